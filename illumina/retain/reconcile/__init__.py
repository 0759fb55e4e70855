"""Supersession by rules: which fact no longer holds because of which other, and what rested on it."""

from illumina.retain.reconcile.correct import rule, undo
from illumina.retain.reconcile.judge import supersedes
from illumina.retain.reconcile.settle import affected, settle, superseding_then

__all__ = ["affected", "rule", "settle", "supersedes", "superseding_then", "undo"]
