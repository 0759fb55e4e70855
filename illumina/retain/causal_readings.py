"""How each form of causal cue is read: which words around it tell of the cause, and which of the effect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from illumina.retain import causal_cues as cues
from illumina.retain.causal_sides import BEFORE_NOUN, NOUN_TOO, RESULTS, Group, Sides
from illumina.retain.clauses import REACH, Span
from illumina.retain.words import (
    BE,
    DEMONSTRATIVES,
    DETERMINERS,
    DOUBT,
    FINITE_BE,
    HARD,
    PRONOUNS,
    RELATIVES,
    words_of,
)

if TYPE_CHECKING:
    from illumina.retain.causal_cues import Cue, Kind
    from illumina.retain.sentences import Sentence


@dataclass(frozen=True, slots=True)
class CausalLink:
    """A stated relation between two stretches of one text.

    Attributes:
        kind: `causes`, `enables` (makes possible) or `prevents` (keeps from happening).
        cause: The characters that tell of the cause.
        effect: Those that tell of the effect, or of what is prevented.
        cue: The words that state the relation.
        negated: Whether the text denies it ("was not caused by"): no edge then.
        hypothetical: Whether it is supposed, asked or intended, not told ("might have led to", "if … causes …").
    """

    kind: Kind
    cause: Span
    effect: Span
    cue: Span
    negated: bool = False
    hypothetical: bool = False


_SEEMING: Final = words_of(
    "seems seem seemed appears appear appeared known found continues continue continued helped helps tends tend likely"
)
_SUSPECTING: Final = words_of("suspect suspects suspected guess wonder hypothesis theory speculated speculation")
_BEFORE_BECAUSE: Final = words_of("just only simply part not in most very likely perhaps maybe")
_COMPOUND: Final = re.compile(r"(.{2,60})-(induced|caused|triggered|inflicted)", re.IGNORECASE)
_UNTOLD: Final = words_of("unknown unclear still being under yet known found fixed none obvious open here there in on")
_CONNECTIVES: Final = words_of("therefore thus hence consequently accordingly")


class Readings(Sides):
    """One sentence, and a method for each form of cue in it."""

    def __init__(self, text: str, sentence: Sentence, before: Span | None, labelled: Span | None) -> None:
        super().__init__(text, sentence, before)
        self.labelled = labelled

    def read(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        """The relation that a cue states, which begins at a word and ends before another; None if it states none."""
        reading = {
            "active": self._active,
            "passive": self._passive,
            "intransitive": self._passive,
            "preposition": self._weak if cue.weak else self._because,
            "because": self._because,
            "since": self._because,
            "so": self._so,
            "why": self._why,
            "cause_noun": self._nominal,
            "result_noun": self._nominal,
            "label": self._label,
            "arrow": self._arrow,
        }[cue.form]
        return reading(cue, place, behind)

    def _made(
        self,
        cue: Cue,
        cause: Span | None,
        effect: Span | None,
        at: tuple[int, int],
        *,
        negated: bool = False,
        doubt: bool = False,
    ) -> CausalLink | None:
        if cause is None or effect is None or max(cause[0], effect[0]) < min(cause[1], effect[1]):
            return None
        words = self.words
        if self._empty(cause) or self._empty(effect):
            return None
        around = words.low[max(0, at[0] - REACH) : at[0]]
        doubt = doubt or self.question or any(word in {"if", "unless", "whether"} or word in _SUSPECTING for word in around)
        spoken = (words.starts[at[0]], words.ends[at[1] - 1])
        return CausalLink(cue.kind, cause, effect, spoken, negated, doubt)

    def _active(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        words, word = self.words, self.words.low[place]
        group = self._group(place)
        stop = words.object_after(behind)
        effect = words.span(behind, stop)
        if effect is None or not (self._verb(place, behind, group) and self._object(cue, place, behind, stop)):
            return None
        if group.to and group.first <= words.opening:
            return self._fronted(cue, place, behind, group)
        last = words.at(group.first - 1)
        negated = group.negated or words.at(behind) in {"no", "nothing", "neither"}
        doubt = group.doubt or (group.to and not cue.bare and last not in _SEEMING)
        if word.endswith("ing") and not group.auxiliary:
            cause, denied = self._participial(group.first), last == "without"
        elif group.to:
            cause, denied = words.span(words.clause_before(group.first), group.first), False
        else:
            cause, denied = self._subject(group.first)
            agent = cause is not None and cues.person(self._heads(words.index(cause[0]), group.first))
            if cue.weak and (last == "it" or agent):
                return None
        return self._made(cue, cause, effect, (place, behind), negated=negated or denied, doubt=doubt)

    def _fronted(self, cue: Cue, place: int, behind: int, group: Group) -> CausalLink | None:
        """To avoid Y, X."""
        words = self.words
        comma = words.first_comma(behind, len(words))
        if comma is None:
            return None
        cause = words.span(comma + 1, words.clause_after(comma + 1))
        return self._made(cue, cause, words.span(behind, comma), (place, behind), negated=group.negated, doubt=not cue.bare)

    def _passive(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        words = self.words
        group = self._group(place)
        # "is due to" begins with its own auxiliary.
        reduced = not (group.auxiliary or words.low[place] in BE or cue.form == "intransitive") or words.low[place].endswith(
            "ing"
        )
        if words.low[place] in NOUN_TOO and words.at(place - 1) in BEFORE_NOUN and cue.form == "intransitive":
            return None
        last = words.at(group.first - 1)
        stop = words.object_after(behind, reduced=reduced or last in RELATIVES or last == "that")
        cause = words.span(behind, stop)
        negated = group.negated or ("not" in words.low[place:behind] and words.at(place + 1) != "only")
        first, end = group.first, group.first
        if reduced and not group.auxiliary and last not in RELATIVES:
            if last == "," or last in {"(", "—", "–", "--"}:
                end = group.first - 1
                first = words.clause_before(end)
            else:
                first = words.noun_phrase_before(end)
            effect = words.span(first, end)
            if effect is None:
                comma = words.first_comma(behind, len(words))
                if comma is not None and words.span(comma + 1, len(words)):
                    first, end = comma + 1, words.clause_after(comma + 1)
                    effect, cause = words.span(first, end), words.span(behind, comma)
                elif first == 0:
                    effect = self.before
        else:
            effect, denied = self._subject(group.first)
            negated = negated or denied
            first = words.index(effect[0]) if effect else group.first
        if cue.weak and not (effect and (self._effect_within(first, group.first) or cues.names_effect(last))):
            return None
        if self._scheduled(behind):
            return None
        if cue.weak and cue.form == "intransitive" and self._place_or_time(behind, stop):
            return None
        return self._made(cue, cause, effect, (place, behind), negated=negated, doubt=group.doubt)

    def _weak(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        """Headaches from mould: an effect, a preposition, and what is no place or time."""
        words, word = self.words, self.words.low[place]
        end = place - 1 if word == "from" and (words.at(place - 1) == "," or words.at(place - 1) in FINITE_BE) else place
        first = words.noun_phrase_before(end)
        effect = words.span(first, end)
        stop = words.object_after(behind, reduced=True)
        cause = words.span(behind, stop)
        if (
            cause is None
            or effect is None
            or words.at(behind) in PRONOUNS | {"which", "whom", "here", "there"}
            or self._place_or_time(behind, stop)
        ):
            return None
        if word == "out":
            if not cues.motive(words.at(behind)):
                return None
            return self._made(cue, cause, effect, (place, behind))
        if words.low[behind][0].isdigit():
            return None
        if not any(cues.effect_before(head, word) for head in [*self._heads(first, end), words.low[end - 1]]):
            return None
        return self._made(cue, cause, effect, (place, behind), negated=words.at(place - 1) == "not")

    def _because(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        words = self.words
        if self._scheduled(behind) or (cue.form == "since" and not self._reason(place, behind)):
            return None
        end = place
        while end > 0 and (words.adverb(end - 1) or words.low[end - 1] in _BEFORE_BECAUSE):
            end -= 1
        skipped = words.low[end:place]
        negated = "not" in skipped and not ({"just", "only", "simply", "solely"} & set(skipped))
        doubt = any(word in DOUBT for word in skipped)
        left = words.clause_before(end)
        effect = words.span(left, end)
        joined = words.at(end - 1) in {"and", "but", "or"}
        if effect is None or joined or (words.at(end - 1) == "," and end - left <= 3):
            comma = words.first_comma(behind, len(words))
            if comma is not None and (fronted := words.span(comma + 1, words.clause_after(comma + 1))):
                cause = words.span(behind, comma)
                if comma - behind == 1 and words.at(behind) in DEMONSTRATIVES:
                    cause = self.before
                return self._made(cue, cause, fronted, (place, behind), negated=negated, doubt=doubt)
            stop = words.object_after(behind)
            if effect is None and cue.form == "preposition" and words.at(stop) in PRONOUNS:
                # As in: thanks to the cache we survived.
                effect = words.span(stop, words.clause_after(stop))
            effect = effect or (self.before if end <= words.opening else None)
        doubt = doubt or any(word in DOUBT for word in words.low[left:place])
        stop = words.object_after(behind, reduced=True) if cue.form == "preposition" else words.clause_after(behind)
        return self._made(cue, words.span(behind, stop), effect, (place, behind), negated=negated, doubt=doubt)

    def _so(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        words, word = self.words, self.words.low[place]
        following, last = words.at(behind), words.at(place - 1)
        if word == "so" and behind == place + 1 and words.at(place + 2) == "that" and place > 0:
            # As in: so slow that it timed out.
            cause = words.span(words.clause_before(place), place + 2)
            return self._made(cue, cause, words.span(place + 3, words.clause_after(place + 3)), (place, place + 1))
        if not self._connects(place, behind):
            return None
        place -= word in RESULTS
        start = behind + 1 if following == "," else behind
        stop = words.clause_after(start)
        effect = words.span(start, stop)
        first = words.clause_before(place)
        within = words.span(first, place)
        aside = last == "," and following == ","
        if (
            word in _CONNECTIVES
            and within
            and (aside or last not in {",", ";", "and", "—", "–", "--"})
            and not following.endswith("ing")
        ):
            effect = (within[0], effect[1]) if effect else within
            return self._made(cue, self.before, effect, (place, behind))
        if within is None and place > 0 and words.low[place - 1] in HARD:
            within = words.span(words.clause_before(place - 1), place - 1)
        if within is None and (place <= 1 or place <= words.opening):
            within = self.before
        return self._made(cue, within, effect, (place, behind))

    def _why(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        words = self.words
        left = words.span(words.clause_before(place), place) or (self.before if place <= words.opening else None)
        right = words.span(behind, words.clause_after(behind))
        cause, effect = (right, left) if words.low[behind - 1] == "because" else (left, right)
        return self._made(cue, cause, effect, (place, behind))

    def _nominal(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        """X is a cause of Y; the cause of Y is X; and the same of results."""
        words = self.words
        verb = place - 1
        least = max(0, place - 12)
        while verb >= least and not (
            words.low[verb] in BE or words.low[verb] in {"as", "become", "became", "becomes", "remains"}
        ):
            if words.stops(verb) or words.low[verb] in {",", "that", "which"} or words.low[verb] in PRONOUNS:
                verb = -1
                break
            verb -= 1
        subject_first = verb >= least and (words.low[verb] == "as" or verb > 0)
        reversed_ = cue.form == "result_noun"
        if subject_first:
            group = self._group(verb + 1)
            if words.at(group.first - 1) in {"there", "what"}:
                return None
            one, denied = self._subject(group.first)
            stop = words.object_after(behind)
            negated = group.negated or denied or any(word in {"not", "no"} for word in words.low[verb:place])
            if cue.weak and not self._effect_within(behind, stop):
                return None
            other = words.span(behind, stop)
            doubt = group.doubt or any(
                word in {"possible", "likely", "probable", "potential"} for word in words.low[verb:place]
            )
            cause, effect = (other, one) if reversed_ else (one, other)
            return self._made(cue, cause, effect, (place, behind), negated=negated, doubt=doubt)
        return self._copula(cue, place, behind, reversed_=reversed_)

    def _copula(self, cue: Cue, place: int, behind: int, *, reversed_: bool) -> CausalLink | None:
        words = self.words
        verbs = [
            index
            for index in range(behind + 1, min(len(words), behind + 24))
            if words.low[index] in FINITE_BE or words.low[index] == ":"
        ]
        chosen = next((index for index in verbs if words.at(index + 1) in {"that", "because"} or words.low[index] == ":"), None)
        if chosen is None:
            chosen = verbs[0] if verbs else None
        if chosen is None or cue.weak or any(words.low[index] in HARD - {":"} for index in range(behind, chosen)):
            return None
        start = chosen + 1
        following = words.at(start)
        if following in _UNTOLD or following.endswith("ed") or (reversed_ and following not in DETERMINERS | {"that", ":"}):
            return None
        while words.at(start) in {"that", "because", "not", "probably", "likely", ":"}:
            start += 1
        negated = words.at(chosen + 1) == "not" or words.low[chosen].endswith("n't")
        topic, said = words.span(behind, chosen), words.span(start, words.clause_after(start))
        cause, effect = (topic, said) if reversed_ else (said, topic)
        return self._made(cue, cause, effect, (place, behind), negated=negated, doubt=words.at(chosen + 1) in DOUBT)

    def _label(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        words = self.words
        left = words.low[max(0, place - 7) : place]
        if not all(word in DETERMINERS or word in cues.QUALIFIERS or not word[0].isalnum() for word in left) or len(left) > 6:
            return None
        if words.low[place] == "why" and words.at(behind - 1) != ":":
            colon = next((index for index in range(behind, min(len(words), behind + REACH)) if words.low[index] == ":"), None)
            if colon is None:
                return None
            cause = words.span(colon + 1, words.clause_after(colon + 1))
            return self._made(cue, cause, words.span(behind, colon), (place, behind))
        return self._made(cue, words.span(behind, words.clause_after(behind)), self.labelled, (place, behind))

    def _arrow(self, cue: Cue, place: int, behind: int) -> CausalLink | None:
        """Clause → clause; a short side is a value or a name that changes into another."""
        words = self.words
        first = words.clause_before(place)
        stop = words.clause_after(behind)
        valued = words.at(place - 1)[:1].isdigit() and (words.at(behind)[:1].isdigit() or words.at(behind) in {"$", "€", "£"})
        if min(place - first, stop - behind) < 4 or valued:
            return None
        return self._made(cue, words.span(first, place), words.span(behind, stop), (place, behind))

    def compound(self, place: int) -> CausalLink | None:
        """Stress-induced headaches."""
        words = self.words
        start = words.starts[place]
        match = _COMPOUND.fullmatch(self.text, start, words.ends[place])
        if match is None or "-" in match[1]:
            return None
        effect = words.span(place + 1, words.object_after(place + 1, reduced=True))
        if effect is None:
            return None
        return CausalLink("causes", match.span(1), effect, match.span(2))
