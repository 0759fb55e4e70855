from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evals import gate
from evals.comparison import compare
from evals.errors import BaselineError, SuiteError
from evals.gate import EXIT_CODES, Acknowledgement, Verdict, acknowledgement_line, check_tree, judge, read_acknowledgements
from evals.identity import MEASURE_VERSION, embedder_identity, ranking_identity, replay_fingerprint, suite_identity
from evals.policy import GateMeasure, GatePolicy
from evals.recorded import open_embedder
from evals.suite import load_suite
from illumina import Ranking
from tests.evals.records import identity, record

if TYPE_CHECKING:
    from evals.baseline import Record

POLICY = GatePolicy(Path("toy.json"), (GateMeasure("ndcg_at_10", 0.02), GateMeasure("mrr", 0.02)), must_pass={"q000": 3})
OLD = record([0.5] * 40)


def new(values: list[float], **more: Any) -> Record:
    return record(values, **{"named": identity(code="2"), "result": "r2", **more})


def shifted(by: float) -> list[float]:
    return [0.5 + by] * 40


CASES = [
    (Verdict.IDENTICAL, new(shifted(0), result="r1"), None),
    (Verdict.PASS, new([0.4, 0.6] * 20), None),
    (Verdict.PASS, new(shifted(0.01)), None),
    (Verdict.IMPROVED, new(shifted(0.1)), "improved"),
    (Verdict.NEEDS_ACK, new([*([0.1] * 4), *([0.5] * 36)]), "more than the tolerance 0.02), adjusted p = 0.2500 (not below"),
    (Verdict.NEEDS_ACK, new(shifted(-0.01)), "no more than the tolerance 0.02), adjusted p = 0.0002 (below 0.05)"),
    (Verdict.REGRESSED, new(shifted(-0.1)), "0.500 → 0.400, a loss of 0.100 (more than the tolerance"),
    (
        Verdict.REGRESSED,
        new(shifted(0.1), ranks={"q000": 4}),
        "must pass: its best gold unit was at rank 1, within 3, and is at rank 4",
    ),
    (Verdict.REGRESSED, new(shifted(0), ranks={"q000": 0}), "is not retrieved"),
    (Verdict.REGRESSED, record(shifted(0), result="r2"), "one identity"),
    (Verdict.INCOMPARABLE, new(shifted(-0.1), named={**identity(), "measure_version": 2}), None),
]


@pytest.mark.parametrize(("verdict", "run", "reason"), CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_verdicts(verdict: Verdict, run: Record, reason: str | None) -> None:
    judged = judge(compare(OLD, run), POLICY)
    assert judged.verdict == verdict
    assert judged.exit_code == EXIT_CODES[verdict]
    if reason is None:
        assert judged.findings == ()
    elif verdict == Verdict.IMPROVED:
        assert {finding.kind for finding in judged.findings} == {"improved"}
    else:
        assert reason in judged.findings[0].reason


def test_where_no_gold_moved_the_responses_say_which_query_differs() -> None:
    old, changed = (replace(record(shifted(0)), responses={"q000": "1", "q001": last}) for last in ("2", "3"))
    judged = judge(compare(old, replace(changed, result_digest="r2")), POLICY)
    assert judged.verdict == Verdict.REGRESSED
    assert judged.findings[0].reason.endswith("(no gold unit moved; the response differs first in q001)")


def test_exit_codes_are_fixed() -> None:
    assert {str(verdict): code for verdict, code in EXIT_CODES.items()} == {
        "identical": 0,
        "pass": 0,
        "improved": 0,
        "regressed": 1,
        "needs-ack": 3,
        "incomparable": 4,
        "infra": 5,
        "unrecorded": 6,
    }
    documented = {
        line.split("|")[1].strip(" `"): line.split("|")[2].strip()
        for line in (gate.__doc__ or "").splitlines()
        if line.startswith("| `")
    }
    assert documented == {str(verdict): str(code) for verdict, code in EXIT_CODES.items()}


def test_a_measure_of_which_less_is_better() -> None:
    policy = replace(POLICY, measures=(GateMeasure("mrr", 0.02, direction="lower"),), must_pass={})
    assert judge(compare(OLD, new(shifted(0.1)), family=["mrr"]), policy).verdict == Verdict.REGRESSED
    assert judge(compare(OLD, new(shifted(-0.1)), family=["mrr"]), policy).verdict == Verdict.IMPROVED


def test_a_must_pass_query_that_failed_before_is_a_note() -> None:
    old, now = record([0.5] * 40, ranks={"q000": 9}), new(shifted(0), ranks={"q000": 0})
    judged = judge(compare(old, now), POLICY)
    assert judged.verdict == Verdict.PASS
    assert judged.notes == ("The must-pass query q000 has no gold unit within rank 3, now as before.",)


def test_an_unknown_must_pass_query_is_an_error() -> None:
    with pytest.raises(SuiteError, match="must-pass query 'gone' is not among"):
        judge(compare(OLD, new(shifted(0.1))), replace(POLICY, must_pass={"gone": 1}))


def test_too_few_differences_to_judge_are_said_to_be() -> None:
    judged = judge(compare(OLD, new([0.0, *([0.5] * 39)])), POLICY)
    assert judged.verdict == Verdict.NEEDS_ACK or not judged.findings
    assert "So few clusters differ in ndcg_at_10 that no difference of theirs could be significant." in judged.notes


class TestAcknowledgements:
    run = new(shifted(-0.01))

    def lines(self, path: Path, *reasons: str) -> tuple[Acknowledgement, ...]:
        compared = compare(OLD, self.run)
        for measure, reason in zip(("ndcg_at_10", "mrr"), reasons, strict=False):
            line = {**json.loads(acknowledgement_line(compared, measure)), "reason": reason}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return read_acknowledgements(path)

    def test_a_line_for_each_measure_passes_a_loss(self, tmp_path: Path) -> None:
        path = tmp_path / "toy.acknowledged.jsonl"
        assert read_acknowledgements(path) == ()
        one = judge(compare(OLD, self.run), POLICY, self.lines(path, "We trade it for latency."))
        assert one.verdict == Verdict.NEEDS_ACK
        path.unlink()
        both = judge(compare(OLD, self.run), POLICY, self.lines(path, "We trade it for latency.", "As above."))
        assert both.verdict == Verdict.PASS
        assert [finding.kind for finding in both.findings] == ["acknowledged"] * 2
        assert both.findings[0].reason.endswith(": We trade it for latency.")
        assert both.notes == ()

    def test_a_regression_cannot_be_acknowledged(self) -> None:
        compared = compare(OLD, new(shifted(-0.1)))
        lines = [Acknowledgement(compared.old.digest, compared.new.digest, name, "no") for name in ("ndcg_at_10", "mrr")]
        judged = judge(compared, POLICY, lines)
        assert judged.verdict == Verdict.REGRESSED
        assert len(judged.notes) == 2
        assert "is not needed" in judged.notes[0]

    def test_unknown_and_unused_lines_are_reported(self) -> None:
        lines = [Acknowledgement("a" * 12, "b" * 12, "ndcg_at_10", "old"), Acknowledgement("a" * 12, "b" * 12, "recall", "?")]
        for run in (self.run, new(shifted(0), result="r1")):
            notes = judge(compare(OLD, run), POLICY, lines).notes
            assert any("ndcg_at_10 from aaaaaaaaaaaa to bbbbbbbbbbbb is about other runs" in note for note in notes)
            assert any("of recall from aaaaaaaaaaaa to bbbbbbbbbbbb names no gate measure" in note for note in notes)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("{", "is not JSON"),
            ('{"reason": "x", "reason": "y"}', "has the key 'reason' twice"),
            ("[]", "must be an object of the texts measure, new, old, reason"),
            ('{"old": "0", "new": "0", "measure": "mrr", "reason": "x", "by": "me"}', "and nothing else"),
            ('{"old": "0", "new": "0", "measure": "mrr", "reason": 3}', "must be an object of the texts"),
            ('{"old": "0", "new": "0", "measure": "mrr", "reason": "x"}', "old must be at least 12 digits"),
            (f'{{"old": "{"0" * 12}", "new": "{"0" * 12}", "measure": "mrr", "reason": " "}}', "gives no reason"),
        ],
    )
    def test_a_wrong_line_is_an_error(self, line: str, message: str, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text(f"\n{line}\n")
        with pytest.raises(BaselineError, match=rf"a\.jsonl:2.*{message}"):
            read_acknowledgements(path)


class TestTree:
    suite = load_suite("core")

    def recorded(self) -> dict[str, Any]:
        named = {
            "suite": suite_identity(self.suite),
            "corpus": {"name": "meridian", "digest": "c" * 64},
            "engine": {**ranking_identity(Ranking()), "embedder": embedder_identity(open_embedder(self.suite))},
            "replay": replay_fingerprint(),
            "measure_version": MEASURE_VERSION,
        }
        loaded: dict[str, Any] = json.loads(json.dumps(named))
        return loaded

    def test_the_recorded_tree_is_identical(self) -> None:
        judged = check_tree(self.suite, record([0.5], named=self.recorded()))
        assert (judged.verdict, judged.exit_code) == (Verdict.IDENTICAL, 0)

    @pytest.mark.parametrize(
        ("part", "key", "value"),
        [
            ("engine", "code", "0"),
            ("engine", "ranking", {"rrf_k": 10}),
            ("suite", "depth", 10),
            ("engine", "analyser", None),
            ("engine", "embedder", {"recorded": "0" * 64}),
        ],
    )
    def test_another_tree_is_unrecorded(self, part: str, key: str, value: object) -> None:
        named = self.recorded()
        named[part][key] = value
        judged = check_tree(self.suite, record([0.5], named=named))
        assert judged.verdict == Verdict.UNRECORDED
        assert "ranking changed without a recorded run" in judged.notes[0]
        assert f"{part}.{key}" in judged.notes[0]
        assert "run `illumina-eval run core` then `illumina-eval baseline RUN`" in judged.notes[0]

    def test_another_constant_is_unrecorded(self) -> None:
        judged = check_tree(self.suite.tuned(rrf_k=10), record([0.5], named=self.recorded()))
        assert judged.verdict == Verdict.UNRECORDED
        assert "(engine.ranking.rrf_k)" in judged.notes[0]
