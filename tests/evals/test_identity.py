from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import illumina
from evals.identity import code_fingerprint, environment, identity
from evals.rundir import identity_digest
from evals.suite import load_suite
from illumina import Memory, Ranking
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from evals.postgres import PostgresProvider
    from evals.types import Corpus


def test_everything_that_can_change_a_result_changes_the_identity(mini: Corpus, provider: PostgresProvider):
    suite = load_suite("core")
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder()) as memory:
        base = identity_digest(identity(suite, mini, memory))
        assert identity_digest(identity(suite, mini, memory)) == base
        changed = {
            identity_digest(identity(replace(suite, depth=51), mini, memory)),
            identity_digest(identity(replace(suite, seed=1), mini, memory)),
            identity_digest(identity(suite, replace(mini, digest="0" * 64), memory)),
        }
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder(salt="!")) as memory:
        changed.add(identity_digest(identity(suite, mini, memory)))
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder(), ranking=Ranking(rrf_k=10)) as memory:
        changed.add(identity_digest(identity(suite, mini, memory)))
    assert len(changed) == 5
    assert base not in changed


def test_what_a_suite_says_about_itself_is_no_identity(mini: Corpus, provider: PostgresProvider):
    suite = load_suite("core")
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder()) as memory:
        assert identity(suite, mini, memory) == identity(replace(suite, description="other words"), mini, memory)


def test_the_code_fingerprint_is_of_the_engine_sources(tmp_path: Path):
    before = code_fingerprint()
    assert len(before) == 64
    root = Path(illumina.__file__).parent
    assert (root / "recall" / "fuse.py").is_file()
    assert code_fingerprint() == before


def test_the_environment_names_server_and_packages(provider: PostgresProvider):
    where = environment(provider.describe())
    assert where["postgres"]["kind"]
    assert where["packages"]["numpy"]
