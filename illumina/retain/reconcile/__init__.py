"""Which fact no longer holds because of which other, by rules or by a language model where these find nothing."""

from illumina.retain.reconcile.correct import rule, undo
from illumina.retain.reconcile.judge import supersedes
from illumina.retain.reconcile.search import enqueue
from illumina.retain.reconcile.settle import affected, settle, superseding_then

__all__ = ["affected", "enqueue", "rule", "settle", "supersedes", "superseding_then", "undo"]
