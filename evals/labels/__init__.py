"""Labelling suites: dates, names, causes and supersession, each judged on labelled sets by counts and their ratios."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from evals.labels import causes, dates, names, supersession
from evals.labels.kinds import AnyKind, Kind
from evals.labels.published import published
from evals.labels.sources import causal, decisions, duckling, own, people, recognizers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evals.labels.kinds import LabelledSet

__all__ = ["KINDS"]


def _own(load: Callable[..., LabelledSet[Any]]) -> dict[str, Callable[..., LabelledSet[Any]]]:
    return {corpus: partial(load, corpus=corpus) for corpus in own.CORPORA}


DATES: Final[Kind[dates.DateCase, dates.DateNormaliser]] = Kind(
    "dates",
    sets={"duckling": duckling.load, "recognizers": recognizers.load, **_own(own.dates)},
    systems={"iso": dates.iso_dates, "engine": dates.engine_dates},
    judge=dates.judge,
    columns=dates.COLUMNS,
    measures=dates.MEASURES,
    own=own.CORPORA,
)

NAMES: Final[Kind[names.MentionCase, names.EntityResolver]] = Kind(
    "names",
    sets={
        **{f"historical-{half}": partial(people.historical, half=half) for half in people.HALVES},
        **{f"febrl-{number}": partial(people.febrl, number=number) for number in "123"},
        "fake-1000": people.fake,
        "fake-1000-pairs": people.fake_pairs,
        "nicknames": people.nicknames,
        **_own(own.names),
    },
    systems={"exact": names.exact, "published": published, "engine": names.engine},
    judge=names.judge,
    columns=names.COLUMNS,
    measures=names.MEASURES,
    own=own.CORPORA,
)

CAUSES: Final[Kind[causes.CauseCase, causes.CauseExtractor]] = Kind(
    "causes",
    sets={"semeval": causal.semeval, "ecare": causal.ecare, **_own(own.causes)},
    systems={"cues": causes.cues, "engine": causes.engine},
    judge=causes.judge,
    columns=causes.COLUMNS,
    measures=causes.MEASURES,
    own=own.CORPORA,
)

SUPERSESSION: Final[Kind[supersession.RecordCase, supersession.SupersessionFinder]] = Kind(
    "supersession",
    sets={
        "peps": decisions.peps,
        "adr-gsp": decisions.gsp,
        "adr-prisma": decisions.prisma,
        **_own(own.supersession),
    },
    systems={"stated": supersession.stated, "newest": supersession.nothing, "engine": supersession.engine},
    judge=supersession.judge,
    columns=supersession.COLUMNS,
    measures=supersession.MEASURES,
    own=own.CORPORA,
)

KINDS: Final[Mapping[str, AnyKind]] = {kind.name: kind for kind in (DATES, NAMES, CAUSES, SUPERSESSION)}
"""Every kind of labelling suite. Where the engine learns one of them, its system joins those of the kind here."""
