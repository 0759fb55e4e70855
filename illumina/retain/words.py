"""Closed classes of English words, and a few open ones, by which rules find the bounds of phrases."""

from __future__ import annotations

from typing import Final


def words_of(text: str) -> frozenset[str]:
    """A set of words from a text that lists them, white space between."""
    return frozenset(text.split())


DETERMINERS: Final = words_of(
    "a an the this that these those my your his her its our their each every some any no another all both"
)
DEMONSTRATIVES: Final = words_of("this that these those it which")
PRONOUNS: Final = words_of(
    "i we you he she they it there i'm we're you're they're it's he's she's we've i've they've i'd we'd that's"
)
BE: Final = words_of("is are was were be been being am 's isn't aren't wasn't weren't it's that's there's")
FINITE_BE: Final = BE - words_of("be been being")
MODALS: Final = words_of(
    "may might could would should can can't couldn't wouldn't shouldn't cannot will won't must mustn't shall"
)
DOUBT: Final = words_of(
    """may might could would should couldn't wouldn't shouldn't potentially possibly likely apparently probably perhaps maybe
    presumably"""
)
AUXILIARIES: Final = BE | MODALS | words_of("has have had having do does did hasn't haven't hadn't don't doesn't didn't ain't")
NEGATIONS: Final = words_of("not never no nor neither without cannot nothing nobody none hardly unlikely")
SUBORDINATORS: Final = words_of(
    "because since although though while whereas if unless when whenever until till once whether except lest"
)
COORDINATORS: Final = words_of("and or but nor yet so & plus")
RELATIVES: Final = words_of("which who whom whose where")
PREPOSITIONS: Final = words_of(
    """of in on at by for with from to into onto over under between among through during after before behind against across
    about around within without via per upon toward towards near beyond inside outside above below along throughout
    despite like as than"""
)
ATTACHING: Final = words_of("of in on at for to from with between among over into across within inside near around")
"""Prepositions whose phrase is read as part of the noun phrase before it."""
SAYING: Final = words_of(
    """say says said saying reported find finds found show shows showed shown believe believes believed think thinks thought
    know knows known claimed suggest suggests suggested indicate indicates indicated discover discovered means meant
    noted explain explains explained realise realised realize realized confirm confirms confirmed conclude concludes
    concluded argue argues argued assume assumes assumed guess suspect suspects suspected told learn learned learnt
    see saw seen seems seem appear appears sure ensure ensures warn warned"""
)
THAT_OPENERS: Final = SAYING | words_of(
    "fact evidence hope fear claim report note likely clear out idea notion belief view mean"
)
"""Words behind which "that" opens a statement, not a relative clause."""
VERBS: Final = words_of(
    """made make makes took takes went goes came comes gave gives got gets kept keeps fell broke began begins became become
    becomes brought brings grew grows held lost loses met ran sent sends sold stood stands told uses needed wants
    wanted remained continues continued suffers suffered helps helped tries tried forced includes included says said
    seem seems seemed knows knew"""
)
"""Common verb forms that are no nouns, for a guess at where a phrase ends."""
ABBREVIATIONS: Final = words_of(
    "e.g i.e mr mrs ms dr prof st vs cf no fig eq sec ch approx inc ltd co corp dept est etc al jr sr rev gen col sgt "
    "jan feb mar apr jun jul aug sep sept oct nov dec v ver pp p vol ed eds resp u.s u.k"
)
HARD: Final = frozenset(".!?;:()[]{}—–|…→⇒") | {"--", "---", "->", "=>"}
"""Punctuation that no phrase crosses."""
ADVERBS: Final = words_of(
    "also then just often always already even still again thus therefore ultimately soon now only never really"
)
NOUNISH: Final = words_of("one same very much kind day time")
