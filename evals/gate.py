"""May this change be merged? Seven verdicts on a comparison, one on a tree, each with its exit code.

| verdict | exit | when |
|---|---:|---|
| `identical` | 0 | the rankings are the same bytes; for a tree: its ranking is the recorded one |
| `pass` | 0 | other rankings, and nothing below is the case |
| `improved` | 0 | no loss to talk about, and at least one gate measure rose by more than its tolerance, significantly |
| `regressed` | 1 | a gate measure fell by more than its tolerance *and* significantly; or a must-pass query was lost; or one
  identity gave two results |
| `needs-ack` | 3 | a gate measure fell by more than its tolerance but within chance, or significantly but by less |
| `incomparable` | 4 | other suite, corpus or measures: the figures say nothing about each other |
| `infra` | 5 | a run or a baseline is missing or broken: nothing was judged |
| `unrecorded` | 6 | this tree ranks otherwise than the newest recorded baseline, and no run says how well |

2 is every command's code for a wrong argument. Significant means that the p of the randomisation test, adjusted by Holm
over the suite's gate measures of `fusion`, is below alpha.

A `needs-ack` passes once its line, with a reason, is in the acknowledgements beside the baseline. A `regressed` cannot
be acknowledged: who means it changes the suite's tolerance or its must-pass list, in the open as well.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal

from evals.errors import BaselineError, SuiteError
from evals.identity import (
    MEASURE_VERSION,
    differences,
    embedder_identity,
    ranking_identity,
    replay_fingerprint,
    suite_identity,
)
from evals.recorded import open_embedder
from illumina.strict_json import DuplicateKeyError, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from evals.baseline import Record
    from evals.comparison import Comparison
    from evals.policy import GateMeasure, GatePolicy
    from evals.suite import Suite

_SHORTEST: Final = 12
_ACKNOWLEDGEMENT: Final = frozenset({"old", "new", "measure", "reason"})


class Verdict(StrEnum):
    """What the gate says."""

    IDENTICAL = "identical"
    PASS = "pass"  # noqa: S105 (no password)
    IMPROVED = "improved"
    REGRESSED = "regressed"
    NEEDS_ACK = "needs-ack"
    INCOMPARABLE = "incomparable"
    INFRA = "infra"
    UNRECORDED = "unrecorded"


EXIT_CODES: Final[Mapping[Verdict, int]] = {
    Verdict.IDENTICAL: 0,
    Verdict.PASS: 0,
    Verdict.IMPROVED: 0,
    Verdict.REGRESSED: 1,
    Verdict.NEEDS_ACK: 3,
    Verdict.INCOMPARABLE: 4,
    Verdict.INFRA: 5,
    Verdict.UNRECORDED: 6,
}
"""Fixed: scripts depend on them."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A loss that somebody accepts, for one measure between two identities.

    Attributes:
        old: At least twelve digits of the old identity's digest.
        new: The same of the new one's.
        measure: The measure that falls.
        reason: Why that is accepted.
    """

    old: str
    new: str
    measure: str
    reason: str

    def holds_for(self, comparison: Comparison) -> bool:
        """Whether it is about these two runs."""
        return comparison.old.digest.startswith(self.old) and comparison.new.digest.startswith(self.new)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that decided: what it is about, and why."""

    kind: Literal["regressed", "needs-ack", "acknowledged", "improved"]
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, what decided it, and what else a reader should know."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The process's exit code."""
        return EXIT_CODES[self.verdict]


def judge(comparison: Comparison, policy: GatePolicy, acknowledgements: Sequence[Acknowledgement] = ()) -> Judgement:
    """Judge a comparison that was made with the policy's family and alpha.

    Raises:
        SuiteError: A must-pass query is not among those that were compared.
    """
    old, new = comparison.old, comparison.new
    if comparison.incomparable:
        return Judgement(Verdict.INCOMPARABLE, notes=comparison.incomparable)
    same_result = old.result_digest == new.result_digest
    if old.digest == new.digest and not same_result:
        results = f"the rankings {old.result_digest[:12]} before and {new.result_digest[:12]} now"
        where = _first_difference(comparison)
        reason = f"one identity, {new.digest[:12]}, gave {results}, so something outside it changes results ({where})"
        return Judgement(Verdict.REGRESSED, (Finding("regressed", "determinism", reason),))
    if same_result:
        notes = (
            []
            if old.digest == new.digest
            else ["The identity differs and the rankings do not: `illumina-eval baseline RUN` records it."]
        )
        return Judgement(Verdict.IDENTICAL, notes=(*notes, *_unused(acknowledgements, set(), comparison, policy)))

    used: set[Acknowledgement] = set()
    findings = list(_lost(comparison, policy))
    for measure in policy.measures:
        finding = _measured(comparison, measure)
        if finding is not None and finding.kind == "needs-ack":
            accepted = [it for it in acknowledgements if it.measure == measure.name and it.holds_for(comparison)]
            if accepted:
                used.update(accepted)
                finding = Finding("acknowledged", finding.subject, f"{finding.reason}: {accepted[0].reason}")
        if finding is not None:
            findings.append(finding)
    kinds = {finding.kind for finding in findings}
    verdict = (
        Verdict.REGRESSED
        if "regressed" in kinds
        else Verdict.NEEDS_ACK
        if "needs-ack" in kinds
        else Verdict.IMPROVED
        if kinds == {"improved"}
        else Verdict.PASS
    )
    notes = [*_blunt(comparison), *_still_failing(comparison, policy), *_unused(acknowledgements, used, comparison, policy)]
    return Judgement(verdict, tuple(findings), tuple(notes))


def check_tree(suite: Suite, baseline: Record) -> Judgement:
    """Whether this tree, configured as the suite says, ranks and measures as the baseline's run did.

    Nothing is run: code, constants, analyser, schema, replay, the suite's own definition and, where the corpus carries them,
    the vectors are compared.

    Raises:
        EmbeddingsError: The vectors that the corpus should carry cannot be used.
    """
    recorded = baseline.identity
    engine = ranking_identity(suite.engine.ranking)
    if suite.engine.embeddings == "recorded":
        engine["embedder"] = embedder_identity(open_embedder(suite))
    here = {
        "suite": suite_identity(suite),
        "engine": engine,
        "replay": replay_fingerprint(),
        "measure_version": MEASURE_VERSION,
    }
    there = {**recorded, "engine": {key: recorded["engine"].get(key) for key in engine}}
    differing = differences({key: there.get(key) for key in here}, here)
    if not differing:
        return Judgement(Verdict.IDENTICAL, notes=(f"This tree ranks as recorded in {baseline.digest[:12]}; nothing was run.",))
    reason = (
        f"ranking changed without a recorded run ({', '.join(differing)}): run `illumina-eval run {suite.name}` "
        "then `illumina-eval baseline RUN`"
    )
    return Judgement(Verdict.UNRECORDED, notes=(reason,))


def acknowledgement_line(comparison: Comparison, measure: str) -> str:
    """The line that would acknowledge a loss, but for its reason."""
    line = {
        "old": comparison.old.digest[:_SHORTEST],
        "new": comparison.new.digest[:_SHORTEST],
        "measure": measure,
        "reason": "",
    }
    return json.dumps(line)


def read_acknowledgements(path: Path) -> tuple[Acknowledgement, ...]:
    """The acknowledgements of a file with one JSON object a line; none if there is no file.

    Raises:
        BaselineError: A line is not an acknowledgement, or gives no reason.
    """
    if not path.exists():
        return ()
    lines = path.read_text(encoding="utf-8").split("\n")
    return tuple(_acknowledgement(f"{path}:{number}", line) for number, line in enumerate(lines, start=1) if line.strip())


def _acknowledgement(where: str, line: str) -> Acknowledgement:
    try:
        stored: Any = parse_json(line)
    except DuplicateKeyError as error:
        raise BaselineError(f"{where} has the key {error.key!r} twice. Keep one of the two.") from error
    except ValueError as error:
        raise BaselineError(f"{where} is not JSON: {error}.") from error
    if (
        not isinstance(stored, dict)
        or set(stored) != _ACKNOWLEDGEMENT
        or not all(isinstance(it, str) for it in stored.values())
    ):
        raise BaselineError(f"{where} must be an object of the texts {', '.join(sorted(_ACKNOWLEDGEMENT))}, and nothing else.")
    for key in ("old", "new"):
        if len(stored[key]) < _SHORTEST or not set(stored[key]) <= set("0123456789abcdef"):
            raise BaselineError(f"{where}: {key} must be at least {_SHORTEST} digits of an identity's digest.")
    if not stored["reason"].strip():
        raise BaselineError(f"{where} gives no reason. Say why the loss is accepted.")
    return Acknowledgement(**stored)


def _first_difference(comparison: Comparison) -> str:
    """Which query shows that two results differ, as far as the records know."""
    moved = next((query.id for query in comparison.queries if any(gold.old != gold.new for gold in query.gold)), None)
    if moved is not None:
        return f"gold moved first in {moved}"
    old, new = comparison.old.responses, comparison.new.responses
    other = next((query for query, response in new.items() if old.get(query, response) != response), None)
    return "no gold unit moved" if other is None else f"no gold unit moved; the response differs first in {other}"


def _measured(comparison: Comparison, measure: GateMeasure) -> Finding | None:
    delta = comparison.systems[comparison.lead].headline.get(measure.name)
    if delta is None or delta.adjusted is None:
        return None
    loss = measure.loss(delta.paired.difference)
    big, significant = abs(loss) > measure.tolerance, delta.adjusted < comparison.alpha
    reason = (
        f"{delta.old:.{measure.decimals}f} → {delta.new:.{measure.decimals}f}, "
        f"{'a loss' if loss > 0 else 'a gain'} of {abs(loss):.{measure.decimals}f} "
        f"({'more' if big else 'no more'} than the tolerance {measure.tolerance:g}), adjusted p = {delta.adjusted:.4f} "
        f"({'below' if significant else 'not below'} {comparison.alpha:g})"
    )
    if loss > 0 and (big or significant):
        return Finding("regressed" if big and significant else "needs-ack", measure.name, reason)
    if loss < 0 and big and significant:
        return Finding("improved", measure.name, reason)
    return None


def _lost(comparison: Comparison, policy: GatePolicy) -> Iterable[Finding]:
    for query, rank in policy.must_pass.items():
        old, new = _best_ranks(comparison, query)
        if 1 <= old <= rank and not 1 <= new <= rank:
            now = f"at rank {new}" if new else "not retrieved"
            yield Finding("regressed", query, f"must pass: its best gold unit was at rank {old}, within {rank}, and is {now}")


def _still_failing(comparison: Comparison, policy: GatePolicy) -> Iterable[str]:
    for query, rank in policy.must_pass.items():
        old, new = _best_ranks(comparison, query)
        if not 1 <= old <= rank and not 1 <= new <= rank:
            yield f"The must-pass query {query} has no gold unit within rank {rank}, now as before."


def _best_ranks(comparison: Comparison, query_id: str) -> tuple[int, int]:
    for query in comparison.queries:
        if query.id == query_id:
            return query.best_ranks()
    raise SuiteError(f"The must-pass query {query_id!r} is not among the queries that were compared. Take it out of the suite.")


def _blunt(comparison: Comparison) -> Iterable[str]:
    """Where so few queries differ that no difference could be significant, silence proves nothing."""
    for name in comparison.family:
        delta = comparison.systems[comparison.lead].headline.get(name)
        if delta is None or delta.paired.difference == 0:
            continue
        if delta.paired.test.attainable * len(comparison.family) >= comparison.alpha:
            yield f"So few clusters differ in {name} that no difference of theirs could be significant."


def _unused(
    acknowledgements: Sequence[Acknowledgement], used: set[Acknowledgement], comparison: Comparison, policy: GatePolicy
) -> Iterable[str]:
    family = {measure.name for measure in policy.measures}
    for it in acknowledgements:
        about = f"The acknowledgement of {it.measure} from {it.old[:_SHORTEST]} to {it.new[:_SHORTEST]}"
        if it.measure not in family:
            yield f"{about} names no gate measure: mend or remove its line."
        elif it not in used:
            why = "is not needed" if it.holds_for(comparison) else "is about other runs"
            yield f"{about} {why}: remove its line once no branch needs it."
