"""What a text says no longer holds, and what holds instead.

By rule, as `illumina.retain.causes` does: cue words, and the phrases around them. Documents that are named by id ("PEP 8001",
"ADR-0012", "RFC 2119", "#123") are given as ids; what a text says of itself ("this ADR replaces …", "Superseded by: …") is
marked as its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from illumina.retain.clauses import REACH, Span
from illumina.retain.references import begins_with_reference, cleaned, named, references
from illumina.retain.sentences import sentences
from illumina.retain.supersession_cues import CUES
from illumina.retain.supersession_sides import DOCUMENT, Sides
from illumina.retain.words import (
    AUXILIARIES,
    BE,
    COORDINATORS,
    DETERMINERS,
    HARD,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    words_of,
)

if TYPE_CHECKING:
    from illumina.retain.supersession_cues import Extent, Form


@dataclass(frozen=True, slots=True)
class SupersessionCue:
    """A statement that something no longer holds.

    Attributes:
        kind: How far.
        old: The characters that tell of what no longer holds; None if only the new is told ("from today …").
        new: Those that tell of what holds instead; None if nothing is said of it.
        cue: The words that state it.
        old_ids: Ids of the documents named as old, in order.
        new_ids: Ids of those named as new.
        old_is_self: Whether the text says that it is itself what is replaced.
        new_is_self: Whether the text is itself what replaces.
        negated: Whether it is denied ("does not replace").
        hypothetical: Whether it is proposed or supposed ("would replace").
    """

    kind: Extent
    old: Span | None
    new: Span | None
    cue: Span
    old_ids: tuple[str, ...] = ()
    new_ids: tuple[str, ...] = ()
    old_is_self: bool = False
    new_is_self: bool = False
    negated: bool = False
    hypothetical: bool = False


_WOULD: Final = words_of(
    "would could may might should propose proposes proposed if plan plans planned want wants consider considering will"
)
_NOUNS: Final = words_of("successor replacement continuation version revision rewrite update differences difference")


def find_supersessions(text: str) -> list[SupersessionCue]:
    """All statements of a text that something no longer holds, in order.

    Both sides lie in the sentence of the cue. Takes any text, and time linear in its length.
    """
    plain = cleaned(text)
    found: dict[tuple[Extent, Span | None, Span | None], SupersessionCue] = {}
    for sentence in sentences(plain):
        for cue in _Reader(plain, sentence).cues():
            found.setdefault((cue.kind, cue.old, cue.new), cue)
    return list(found.values())


class _Reader(Sides):
    """Reads the cues of one sentence of a cleaned text."""

    def cues(self) -> list[SupersessionCue]:
        """What the sentence says no longer holds."""
        found = []
        place = 0
        while place < len(self.words):
            behind = place + 1
            for form, kind, end in self._matching(place):
                if cue := self._read(form, kind, end, place):
                    found.append(cue)
                    behind = end
                    break
            place = behind
        return found

    def _matching(self, place: int) -> list[tuple[Form, Extent, int]]:
        """The cues that begin at a word with the word behind each: "from … to" first, then the longest."""
        matching = []
        end = self.words.ends[place]
        for pattern, form, kind in CUES.get(self.words.low[place], ()):
            if match := pattern.match(self.text, end):
                behind = max(place + 1, self.words.index(match.end()))
                matching.append((form == "from_to", behind, form, kind))
        matching.sort(key=lambda it: (it[0], it[1]), reverse=True)
        return [(form, kind, behind) for _, behind, form, kind in matching]

    def _read(self, form: Form, kind: Extent, behind: int, place: int) -> SupersessionCue | None:
        read = {
            "over": self._over,
            "under": self._under,
            "gone": self._gone,
            "drop": self._drop,
            "instead": self._instead,
            "from_to": self._from_to,
            "no_longer": self._no_longer,
            "any_more": self._any_more,
            "used_to": self._used_to,
            "from_now": self._from_now,
            "set_to": self._set_to,
            "predecessor": self._predecessor,
        }[form]
        return read(kind, place, behind)

    def _made(
        self,
        kind: Extent,
        old: Span | None,
        new: Span | None,
        place: int,
        behind: int,
        *,
        negated: bool = False,
        doubt: bool = False,
    ) -> SupersessionCue | None:
        if old is None and new is None:
            return None
        words = self.words
        spoken = (words.starts[place], words.ends[behind - 1])
        around = words.low[max(0, place - 6) : place]
        close = words.low[max(0, place - 4) : place]
        denied = negated or any(word in NEGATIONS - {"no"} or word.endswith("n't") or word == "than" for word in close)
        denied = denied or any(word in {"nor", "neither"} for word in words.low[max(0, place - 9) : place])
        doubt = doubt or any(word in _WOULD for word in around) or self.text[self.sentence.end - 1] == "?"
        return SupersessionCue(
            kind, old, new, spoken, named(self.text, old), references(self.text, new), negated=denied, hypothetical=doubt
        )

    def _over(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words, word = self.words, self.words.low[place]
        old, old_self, stop = self._object(behind)
        if old is None or words.at(behind) in {"nothing", "none", "it"}:
            return None
        noun = word in _NOUNS or (word == "changes" and words.low[behind - 1] in {"from", "since"})
        first = self._group(place)
        ids = named(self.text, old)
        passive = word.endswith("ed") and any(item in BE for item in words.low[first:place])
        after_noun = words.at(place - 1) in DETERMINERS and not noun and words.at(place - 1) not in {"this", "that", "it"}
        if passive or after_noun or (kind == "amended" and not (ids or old_self)):
            return None
        subject = self._heir(place, old) if noun else self._replacer(place, first)
        if subject is None:
            return None
        new, own = subject
        new_ids: tuple[str, ...] = ()
        if old_self and (new is None or own):
            # As in: ADR 212, Contract spaces, supersedes this ADR.
            new_ids = references(self.text, (words.starts[max(0, place - REACH)], words.starts[place]))
            own = False
        direct = begins_with_reference(self.text, old)
        handed = next((at for at in range(behind + 1, stop) if words.low[at] in {"with", "by"}), stop)
        better = words.span(handed + 1, stop)
        if word.startswith("replac") and not noun and not direct and better is not None:
            # "We replace Y with X": the subject only does it.
            old, new, own = words.span(behind, handed), better, False
        cue = self._made(self._extent(kind, old, place), old, new, place, behind)
        if cue is None:
            return None
        own = own and self._speaks(new, direct or (new is None and bool(ids)))
        return replace(cue, new_is_self=own and not old_self, old_is_self=old_self, new_ids=new_ids or cue.new_ids)

    def _under(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        new, new_self, _ = self._object(behind)
        if new is None:
            return None
        first = self._group(place)
        finite = any(word in AUXILIARIES for word in words.low[first:place])
        if (
            finite
            or words.at(first - 1) in RELATIVES
            or words.at(first - 1) in COORDINATORS
            or first == 0
            or words.at(first - 1) in {",", ":", "—"}
        ):
            old, own = self._subject(first)
        elif words.at(first - 1) in {"|", "("}:
            old, own = words.span(words.noun_phrase_before(first - 1), first - 1), False
        else:
            start = words.noun_phrase_before(first)
            old, own = self._own(start, first)
        weak = words.low[place] in {
            "covered",
            "continues",
            "continued",
            "lives",
            "rolled",
            "changed",
            "updated",
            "extended",
            "modified",
        }
        if (weak or kind == "amended") and not (references(self.text, new) or new_self):
            return None
        cue = self._made(self._extent(kind, old, place), old, new, place, behind)
        own = own and self._speaks(old, bool(references(self.text, new)))
        return cue and replace(cue, old_is_self=own and not new_self, new_is_self=new_self)

    def _gone(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words, word = self.words, self.words.low[place]
        first = self._group(place)
        finite = any(item in BE for item in words.low[first:place]) or word in {"goes", "went", "do", "does", "ends"}
        if not finite:
            return (
                self._drop(kind, place, behind)
                if word.endswith(("ed", "back", "off", "out")) and word not in {"gone", "over", "history"}
                else None
            )
        if word == "over" and words.at(behind) not in {"", ".", ",", "!", ";"}:
            return None
        if word == "history" and words.at(place - 1) not in BE:
            return None
        old, own = self._subject(first)
        if old is None or self.text[slice(*old)].lower() in {"he", "she", "i", "they", "we", "you", "who"}:
            return None
        new = None
        cue = self._made(self._extent(kind, old, place), old, new, place, behind)
        return cue and replace(cue, old_is_self=own and self.text[slice(*old)].lower().startswith(("this ", "the present ")))

    def _drop(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words, word = self.words, self.words.low[place]
        if words.at(place - 1) in DETERMINERS - {"this"} and word != "no":
            return None
        if word in {"was", "were"}:
            # As in: 16.4 min, was 11.2.
            old = words.span(behind, words.object_after(behind))
            new = words.span(words.clause_before(place - 1), place - 1)
            return self._made(kind, old, new, place, behind) if words.at(place - 1) in {",", "("} else None
        first = self._group(place)
        if any(item in BE for item in words.low[first:place]) and not word.endswith("ing"):
            return None
        start = behind + 1 if words.at(behind) == "of" and word in {"removal", "deprecation"} else behind
        stop = words.object_after(start)
        where = self._favour(start, stop)
        old = words.span(start, stop if where is None else where - 3)
        if (
            old is None
            or words.at(start) in {"in", "to", "at", "on", "for", "into", "by", "from"}
            or words.at(start) in AUXILIARIES
        ):
            return None
        new = None
        if word in {"up", "down"}:
            new = words.span(words.clause_before(place), place)
            kind = "whole"
            if not self.text[old[0]].isdigit() and not words.low[start][:1].isdigit():
                return None
        elif where is not None:
            new = words.span(where, words.object_after(where))
            kind = "whole"
        cue = self._made(kind, old, new, place, behind)
        subject = words.span(words.subject_before(first), first)
        titled = self.sentence.start == 0 and place <= 1
        own = bool(cue and cue.old_ids) and (titled or (subject is not None and bool(DOCUMENT.match(self.text, subject[0]))))
        return cue and replace(cue, new_is_self=own)

    def _instead(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        stop = words.object_after(behind)
        old, new = words.span(behind, stop), words.span(words.clause_before(place), place)
        if new is None:
            comma = words.first_comma(behind, len(words))
            if comma is None:
                return None
            old, new = words.span(behind, comma), words.span(comma + 1, words.clause_after(comma + 1))
        cue = self._made(kind, old, new, place, behind)
        # "X instead of the approach of PEP 690" replaces no document.
        plain = old is not None and self.text[slice(*old)] in references(self.text, old)
        return cue and (cue if plain else replace(cue, old_ids=(), new_ids=()))

    def _from_to(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        source = next((index for index in range(behind, min(len(words), behind + 10)) if words.low[index] == "from"), None)
        base = words.low[place] in {
            "change",
            "move",
            "switch",
            "port",
            "cut",
            "go",
            "bump",
            "raise",
            "lower",
            "increase",
            "decrease",
        }
        if (
            source is None
            or (base and words.at(place - 1) in DETERMINERS | PREPOSITIONS - {"to"} | {"out"})
            or words.at(source + 1) in RELATIVES
        ):
            return None
        target = next(
            (index for index in range(source + 2, min(len(words), source + 13)) if words.low[index] in {"to", "onto", "into"}),
            None,
        )
        if target is None or any(words.stops(index) for index in range(place, target)):
            return None
        old = words.span(source + 1, target)
        new = words.span(target + 1, words.object_after(target + 1))
        return self._made(kind, old, new, place, target + 1)

    def _no_longer(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        """What no longer holds is the clause, the cue within it."""
        cue = self._made(kind, self._subject_with(place, behind), None, place, behind)
        return cue and replace(cue, negated=False)

    def _any_more(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        first = words.clause_before(place)
        if not any(word in NEGATIONS or word.endswith("n't") for word in words.low[first:place]):
            return None
        cue = self._made(kind, words.span(first, place), None, place, behind)
        return cue and replace(cue, negated=False)

    def _used_to(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        group = self._group(place)
        if self.words.subject_before(group) == group:
            return None
        return self._made(kind, self._subject_with(place, behind), None, place, behind)

    def _set_to(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        return self._made(kind, None, words.span(words.clause_before(place), words.clause_after(behind)), place, behind)

    def _from_now(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        first = words.clause_before(place)
        start = behind
        while words.at(start) in {",", ":", "please"}:
            start += 1
        after = words.span(start, words.clause_after(start))
        before = words.span(first, place)
        opening = before is None
        if words.low[place] in {"change", "correction"}:
            if not (opening and place <= 1 and (words.low[behind - 1] == ":" or "plan" in words.low[place:behind])):
                return None
            after = words.span(start, len(words))
        elif (
            (words.low[place] == "new" and not opening)
            or words.at(place - 1) in BE
            or {"until", "till"} & set(words.low[behind : behind + 14])
            or (not opening and words.low[behind - 1].isdigit() and behind - place <= 2)
            or words.at(behind) in {"to", "until", "till", "through", "–"}
            or (words.low[place] == "from" and not opening and not self._rule(first, place))
        ):
            return None
        if words.low[place] == "instead":
            cue = self._made(kind, None, before, place, behind)
            told = words.at(first) in {"see", "use", "please", "refer", "read"} or {"see", "refer"} & set(
                words.low[first:place]
            )
            return cue and replace(cue, old_is_self=bool(cue.new_ids) and bool(told))
        if opening and after is None:
            return None
        new = (
            after if opening else (before[0], after[1]) if before and after and words.at(behind) not in HARD | {","} else before
        )
        return self._made(kind, None, new, place, behind)

    def _predecessor(self, kind: Extent, place: int, behind: int) -> SupersessionCue | None:
        words = self.words
        if words.low[place] == "predecessor" and words.at(place - 1) == "(":
            cue = (
                self._made(kind, (words.starts[max(0, place - REACH)], words.ends[place - 2]), None, place, behind)
                if place > 1
                else None
            )
            return cue and replace(cue, new_is_self=bool(cue.old_ids))
        verb = next((index for index in range(place - 1, max(-1, place - 5), -1) if words.low[index] in BE), None)
        if verb is None:
            return None
        old, own = self._subject(self._group(verb + 1))
        if old is None or own or not references(self.text, old):
            return None
        cue = self._made(kind, old, None, place, behind)
        return cue and replace(cue, new_is_self=True)
