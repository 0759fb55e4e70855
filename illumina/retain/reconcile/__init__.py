"""Supersession by rules: which fact no longer holds because of which other, and what rested on it."""

from illumina.retain.reconcile.judge import supersedes
from illumina.retain.reconcile.settle import affected, settle

__all__ = ["affected", "settle", "supersedes"]
