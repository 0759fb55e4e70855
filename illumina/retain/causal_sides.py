"""What stands before and behind a causal cue: subjects, verb groups, and nouns that name an effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from illumina.retain import causal_cues as cues
from illumina.retain.clauses import REACH, Span, Words
from illumina.retain.words import (
    AUXILIARIES,
    BE,
    COORDINATORS,
    DEMONSTRATIVES,
    DETERMINERS,
    DOUBT,
    FINITE_BE,
    HARD,
    NEGATIONS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
    VERBS,
    words_of,
)

if TYPE_CHECKING:
    from illumina.retain.causal_cues import Cue
    from illumina.retain.sentences import Sentence


@dataclass(slots=True)
class Group:
    """The auxiliaries and adverbs before a verb.

    Attributes:
        first: The word it begins at.
        be: Whether the verb follows a form of "be".
        to: Whether it is an infinitive.
        auxiliary: Whether there is any auxiliary.
        negated: Whether it denies.
        doubt: Whether it supposes.
    """

    first: int
    be: bool = False
    to: bool = False
    auxiliary: bool = False
    negated: bool = False
    doubt: bool = False


_FAILING: Final = words_of("failed fails fail failing unable refused unlikely")
_HOLLOW: Final = words_of(
    """however secondly firstly first second also then please well oh ok okay yes no yeah nothing none n/a again still only
    just in fact that's"""
)
NOUN_TOO: Final = words_of(
    """cause causes trigger triggers lead leads result results prompt prompts block blocks force forces effect effects start
    starts release releases yield yields drive drives occasion occasions stop stops permit permits produce fuel fuels
    spark sparks come spring springs flow flows make makes allow set sets let left saves leaves stem stems following"""
)
_NOUN_RATHER: Final = words_of("block blocks fuel spark sparks release releases")
BEFORE_NOUN: Final = DETERMINERS | words_of(
    "root main major leading common first single likely probable actual real same of possible"
) - {"all", "both", "each"}
_QUANTIFIERS: Final = words_of(
    """amount lot lots number most all some kind kinds sort type types rest part parts level levels degree plenty one much
    many source sources any cases case any half majority none few bit risk feeling feelings sense experience period"""
)
_NEGATIVE_SUBJECTS: Final = words_of("nothing nobody none neither no")
_PLANNED: Final = words_of(
    "be go begin expire arrive retire leave finish happen become appear speak meet take join receive complete"
)
_PLANNED_TOO: Final = words_of("start end ship launch land return open close strike run play move release land visit")
_PLANNED_BEFORE: Final = words_of("on in at next by this tomorrow off soon for the")

_NO_AGENT: Final = words_of("by without for from in of when while after before despite thereby thus")

_NO_RESULT: Final = words_of(
    "far much many what how why who when where which is are was do does did can could will would yes no yeah ok well if"
)

RESULTS: Final = frozenset({"result", "consequence", "upshot"})


class Sides:
    """The words of one sentence, and what may be a side of a causal relation in it."""

    def __init__(self, text: str, sentence: Sentence, before: Span | None) -> None:
        self.words = Words(text, sentence.start, sentence.end)
        self.text = text
        self.before = before
        self.question = text[sentence.end - 1] == "?"

    def _empty(self, span: Span) -> bool:
        """Whether a side is a bare pronoun or adverb that tells of nothing."""
        words = self.words
        first = words.index(span[0])
        if first >= len(words) or span[0] != words.starts[first] or words.index(span[1]) - first > 2:
            return False
        return all(
            word in PRONOUNS or word in DEMONSTRATIVES or word in _HOLLOW for word in words.low[first : words.index(span[1])]
        )

    def _group(self, place: int) -> Group:
        words = self.words
        group = Group(place)
        while group.first > max(0, place - 8):
            word = words.at(group.first - 1)
            if word in BE:
                group.be = group.be or not group.auxiliary
            if (
                word in AUXILIARIES
                or word == "to"
                or word in NEGATIONS - {"no", "nothing", "nobody", "none", "neither", "without"}
            ):
                group.auxiliary = group.auxiliary or word in AUXILIARIES
                group.to = group.to or (word == "to" and not group.auxiliary)
                group.negated = group.negated or word in NEGATIONS or word.endswith("n't")
                group.doubt = group.doubt or word in DOUBT
                if words.at(group.first - 1) == "not" and words.at(group.first) in {"only", "just"}:
                    group.negated = False
            elif not (
                words.adverb(group.first - 1)
                or word in {"all", "both", "each"}
                or (word == "longer" and words.at(group.first - 2) == "no")
            ):
                break
            elif word == "longer":
                group.negated = True
                group.first -= 1
            group.doubt = group.doubt or word in DOUBT
            group.first -= 1
        if words.at(group.first - 1) in _FAILING:
            group.negated = True
        return group

    def _noun(self, place: int, behind: int) -> bool:
        """Whether a verb form stands as a noun or an adjective ("the cause", "the allowed formats", "a similar effect as")."""
        words, word = self.words, self.words.low[place]
        last, following = words.at(place - 1), words.at(behind)
        if word in cues.PARTICIPLES and last in DETERMINERS - DEMONSTRATIVES - {"all", "both", "each"}:
            return True
        if word in cues.PARTICIPLES and word not in NOUN_TOO:
            return False
        if word not in NOUN_TOO:
            return False
        nominal = (
            following in PREPOSITIONS or following in SUBORDINATORS or following in RELATIVES or following in {"that", ","}
        )
        if word in _NOUN_RATHER and not (
            following in DETERMINERS or following in PRONOUNS or following.endswith(("s", "ing", "us"))
        ):
            return behind == place + 1
        return last in BEFORE_NOUN or (behind == place + 1 and nominal) or word == "effect"

    def _subject(self, end: int) -> tuple[Span | None, bool]:
        """What stands as the subject of a verb group that begins at a word, and whether it denies ("no test caused …")."""
        words = self.words
        last = words.at(end - 1)
        if last in RELATIVES or (last == "that" and end > 1):
            comma = words.at(end - 2) == ","
            if comma and last == "which":
                return words.span(words.clause_before(end - 2), end - 2), False
            end = end - 1 - comma
            first = words.noun_phrase_before(end)
            if last == "that" and (cleft := self._cleft(end)) is not None:
                return self._resolved(cleft, end)
            if words.at(first - 1) in FINITE_BE and first > 1:
                # "X is a disease that causes Y" tells of X.
                first = words.subject_before(first - 1)
            return self._resolved(first, end)
        if last == "what" and words.at(end - 2) in BE:
            end -= 2
        first = words.subject_before(end)
        if words.span(first, end) is None:
            end = end - 1
            first = words.clause_before(end)
        return self._resolved(first, end)

    def _cleft(self, end: int) -> int | None:
        """Of "it was X that" the place of X."""
        words = self.words
        for place in range(end - 1, max(0, end - 20) - 1, -1):
            if words.stops(place) or words.low[place] == ",":
                return None
            if words.low[place] == "it's" or (words.low[place] in FINITE_BE and words.at(place - 1) == "it"):
                return place + 1
        return None

    def _resolved(self, first: int, end: int) -> tuple[Span | None, bool]:
        """The span of a subject; of a demonstrative, that of what it refers to."""
        words = self.words
        while first < end and (
            words.low[first] in COORDINATORS or words.low[first] in {",", "then", "also"} or words.stops(first)
        ):
            first += 1
        span = words.span(first, end)
        opening = words.at(first)
        denied = opening in _NEGATIVE_SUBJECTS
        if opening in DEMONSTRATIVES and end - first <= (1 if opening == "it" else 3) and opening != "another":
            if first > 0 and (earlier := words.span(words.clause_before(first), first)) and words.low[first - 1] not in HARD:
                return earlier, denied
            if first > 0 and words.low[first - 1] in {";", "—", "–", ":"}:
                return words.span(words.clause_before(first - 1), first - 1) or span, denied
            if first <= 1 and self.before is not None:
                return self.before, denied
        return span, denied

    def _scheduled(self, behind: int) -> bool:
        """Whether "due to" tells what is planned ("is due to end in June")."""
        word, following = self.words.at(behind), self.words.at(behind + 1)
        if self.words.at(behind - 2) != "due":
            return False
        return word in _PLANNED or (
            word in _PLANNED_TOO and (following in _PLANNED_BEFORE or not following or following in HARD)
        )

    def _effect_within(self, first: int, behind: int) -> bool:
        return any(cues.names_effect(head) for head in self._heads(first, behind))

    def _heads(self, first: int, behind: int) -> list[str]:
        """The nouns that a phrase is about: its first head and those joined to it; "a lot of" and the like are passed over."""
        low = self.words.low
        heads: list[str] = []
        last = ""
        for place in range(first, min(behind, first + REACH)):
            word = low[place]
            if word in {"and", "or", ",", "&", "/"}:
                if last:
                    heads.append(last)
                last = ""
            elif word in PREPOSITIONS or word in RELATIVES or word == "that" or word in AUXILIARIES or word in HARD:
                if word in {"of", "to", "in"} and last in _QUANTIFIERS:
                    last = ""
                    continue
                if word == "that" and not last:
                    continue
                break
            elif last and (word == "using" or (word.endswith("ed") and self.words.at(place + 1) in PREPOSITIONS)):
                break
            elif word[0].isalpha() and not self.words.adverb(place):
                last = word
        return [*heads, last] if last else heads

    def _place_or_time(self, first: int, behind: int) -> bool:
        """Whether a phrase behind "from" or "after" names no cause."""
        heads = self._heads(first, behind)
        return not heads or all(cues.origin(head) for head in heads)

    def _reason(self, place: int, behind: int) -> bool:
        """Whether "since" gives a reason, not a time."""
        words = self.words
        opening = words.at(behind)
        stop = words.clause_after(behind)
        if place <= words.opening:
            stop = words.first_comma(behind, stop) or stop
        clause = words.low[behind:stop]
        finite = any(
            word in AUXILIARIES - {"be", "been", "being"} or word in VERBS or word.endswith(("ed", "n't"))
            for word in clause[1:]
        )
        if (
            not (finite or opening in PRONOUNS)
            or opening.endswith("ing")
            or opening in RELATIVES
            or opening in cues.TIMES
            or opening[:1].isdigit()
            or words.at(place - 1) in {"ever", "long", "years"}
        ):
            return False
        if words.at(place - 1) in {",", ""}:
            return True
        main = words.low[words.clause_before(place) : place]
        return not any(word in {"has", "have", "had", "been", "ever"} or word.endswith("'ve") for word in main)

    def _verb(self, place: int, behind: int, group: Group) -> bool:
        """Whether a verb's form stands as an active verb."""
        words, word = self.words, self.words.low[place]
        if word not in cues.VERBS and word not in cues.INFLECTED:
            return True
        relative = (
            words.at(place - 1) == "that" and place > 1 and not (words.low[place - 2] in PREPOSITIONS or words.stops(place - 2))
        )
        if not (relative or group.auxiliary or group.to) and self._noun(place, behind):
            return False
        return not (group.be and word in cues.PARTICIPLES and not word.endswith("ing"))

    def _object(self, cue: Cue, place: int, behind: int, stop: int) -> bool:
        """Whether what follows an active cue can be its effect."""
        words, following = self.words, self.words.at(behind)
        if following in AUXILIARIES or following in COORDINATORS:
            return False
        if following in {"it", "this", "that", "them"} and words.at(behind + 1) != "to":
            return False
        made = words.low[place] in {"make", "makes", "made", "making"} and cues.gain(self._heads(behind, stop))
        return not cue.weak or (self._effect_within(behind, stop) and not made)

    def _participial(self, first: int) -> Span | None:
        """What a participle such as "causing" is about: the noun before it, or the clause before a comma."""
        words = self.words
        last = words.at(first - 1)
        if last in _NO_AGENT or last == ",":
            return words.span(words.clause_before(first - 1), first - 1)
        return words.span(words.noun_phrase_before(first), first)

    def _concludes(self, place: int) -> bool:
        """Whether a bare "so" joins a result to a clause or sentence, not a degree or a question."""
        words = self.words
        following, last = words.at(place + 1), words.at(place - 1)
        if self.question or following in {"it's", "there's"} or last not in {",", ";", "and", "—", "–", "--", "", "."}:
            return False
        if last == "" and following.isalpha() and following not in _NO_RESULT and following not in PREPOSITIONS:
            return True
        clause = following in PRONOUNS or following in DETERMINERS or following in VERBS
        clause = clause or (
            last == "," and following in {"nobody", "nothing", "everybody", "everyone", "everything", "somebody"}
        )
        return clause or words.at(place + 2) in AUXILIARIES

    def _connects(self, place: int, behind: int) -> bool:
        """Whether a connective such as "so", "thus" or "the result was" joins what follows to what came before."""
        words, word = self.words, self.words.low[place]
        following, last = words.at(behind), words.at(place - 1)
        if word == "so" and behind == place + 1 and not self._concludes(place):
            return False
        if word in RESULTS and not (last == "the" and (place == 1 or words.at(place - 2) in HARD)):
            return False
        if following.endswith("ing") and (following in cues.VERBS or following in cues.INFLECTED):
            return False
        return not (following == "far" or (word == "for" and last in {"", "and"} and words.at(place + 1) == "which"))
