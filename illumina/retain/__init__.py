"""From text to stored facts."""
