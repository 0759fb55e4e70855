"""Causal relations that a text states: which stretch is said to be the cause of which other.

By rule: a cue word (`illumina.retain.causal_cues`), and around it the phrase or clause that can be its cause and its effect
(`illumina.retain.causal_readings`). What "this", "as a result" or "root cause:" refers to is looked for in the sentence before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.retain import causal_cues as cues
from illumina.retain.causal_readings import Readings
from illumina.retain.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.retain.causal_cues import Cue, Kind
    from illumina.retain.causal_readings import CausalLink
    from illumina.retain.clauses import Span
    from illumina.retain.sentences import Sentence


def find_causes(text: str, within: Sequence[Sentence] | None = None) -> list[CausalLink]:
    """All causal relations stated in a text, in the order of their cues.

    Both sides lie in the sentence of the cue or in the one before it; for a label ("Root cause: …") that opens a
    paragraph, the paragraph before. Takes any text, and time linear in its length.

    Args:
        text: Any text.
        within: Its sentences, in order and without overlap, where the caller knows them better than punctuation tells.
    """
    links: dict[tuple[Kind, Span, Span], CausalLink] = {}
    earlier: list[Sentence] = []
    block: Span | None = None
    block_before: Span | None = None
    for sentence in sentences(text) if within is None else within:
        if sentence.opens:
            block_before, block = block, (sentence.start, sentence.end)
        elif block is not None:
            block = (block[0], sentence.end)
        before = _antecedent(text, earlier)
        for link in _Finder(text, sentence, before, block_before if sentence.opens else before).links():
            links.setdefault((link.kind, link.cause, link.effect), link)
        earlier = [*earlier[-1:], sentence]
    return list(links.values())


def _antecedent(text: str, earlier: list[Sentence]) -> Span | None:
    """The sentence that "this" refers to; a bare question ("Why?") is passed over."""
    for sentence in reversed(earlier):
        if not (text[sentence.end - 1] == "?" and sentence.end - sentence.start < 12):
            return sentence.start, sentence.end
    return None


class _Finder(Readings):
    """Finds the cues of one sentence."""

    def links(self) -> list[CausalLink]:
        """The relations of the sentence."""
        found = []
        place = 0
        low = self.words.low
        while place < len(low):
            match = self._cue(place)
            if match is None:
                if compound := self.compound(place):
                    found.append(compound)
                place += 1
                continue
            cue, behind = match
            if link := self.read(cue, place, behind):
                found.append(link)
                place = behind
            else:
                place += 1
        return found

    def _cue(self, place: int) -> tuple[Cue, int] | None:
        """The longest cue that begins at a word, and the word behind it."""
        words, word = self.words, self.words.low[place]
        best: Cue | None = None
        end = words.ends[place]
        longest = -1
        if word in cues.VERBS:
            active, passive = cues.VERBS[word]
            agent = passive and cues.AGENT.match(self.text, end)
            best, longest = (passive, agent.end()) if agent else (active, end)
        for pattern, cue in cues.PHRASES.get(word, ()):
            if (match := pattern.match(self.text, end)) and match.end() > longest:
                best, longest = cue, match.end()
        return None if best is None else (best, words.index(longest))
