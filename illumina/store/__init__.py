"""All SQL: one module a noun, numbered migrations, and the embedded server."""
