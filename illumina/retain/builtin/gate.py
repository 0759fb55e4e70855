"""What of a sentence tells nothing: questions, greetings, thanks, acknowledgements, reactions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from illumina.retain.builtin.clausal import predicate
from illumina.retain.words import words_of

if TYPE_CHECKING:
    from illumina.retain.clauses import Words

_NAME: Final = r"@?(?:(?:Mrs?|Ms|Dr|Prof|Frau|Herr)\.? )?[A-ZÀ-ÖØ-Þ][\w'’-]*"
_WHOM: Final = (
    rf"(?:\s+(?i:all|everyone|everybody|team|folks|there|guys|again|both|mate|man|y'all|friends?|{_NAME}(?:\s{_NAME}){{0,2}}))"
)
_HELLO: Final = (
    r"(?:hi|hey|hello|howdy|yo|hiya|good ?(?:morning|afternoon|evening|night|day)|morning|greetings|welcome(?: back| aboard)?"
    r"|dear)"
)
_OPENER: Final = re.compile(
    rf"(?P<greeting>(?i:{_HELLO}){_WHOM}{{0,3}}\s*(?:[,!–—]+|-+(?=\s))\s*)"
    rf"|(?P<thanks>(?i:thanks|thank you|thx|cheers|many thanks)(?i:\s+(?:so much|a lot|again|very "
    rf"much)){{0,2}}{_WHOM}{{0,2}}\s*[,!–—]+\s*)"
    r"|(?P<acknowledgement>(?i:yes|yeah|yep|yup|sure|ok|okay|right|well|oh|ah|aww|wow|great|cool|nice|true|no|nope|nah"
    r"|exactly|agreed"
    r"|absolutely|definitely|of course|no worries|no problem|got it|i see|fair enough|makes sense|sounds good|hmm+|lol"
    r"|haha\w*|ugh|omg"
    rf"|btw|by the way|fyi|tbh|anyway|so){_WHOM}?\s*(?:[,!–—]+|\.{{2,}}|…)\s*)"
    rf"|(?P<filler>(?i:(?:i['’]?m |i am )?not (?:\w+ ly )?(?:sure|certain)|i don['’]t know|no idea|not an expert|i may be "
    rf"wrong)\s*,?\s*but\s+)"
)
_FAREWELL: Final = re.compile(
    rf"(?:{_HELLO}|bye(?:[- ]bye)?|goodbye|farewell|ciao|(?:see|catch|talk to) (?:you|ya)|see you all|talk (?:soon|later)"
    rf"|take care|cya"
    r"|have (?:a|an) (?:good|great|nice|lovely|wonderful|safe|awesome|amazing|fantastic)\b.{0,60}|happy (?:birthday|new "
    r"year|holidays|friday|"
    r"monday|easter|weekend)|merry christmas|congrat(?:s|ulations)\b.{0,80}|good luck\b.{0,60}|(?:best|kind|warm) "
    r"(?:wishes|regards)|regards"
    r"|sincerely|yours (?:truly|sincerely|faithfully)|gm|gn|ttyl|enjoy your \w+)"
    r"(?:[\s,]+(?:all|everyone|everybody|team|folks|there|guys|again|back|soon|later|then|around|tomorrow|tonight|next "
    r"(?:time|week)|mate"
    rf"|on \w+day|there|at \w+|to you(?: all)?|@?[\w'’-]+)){{0,3}}",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(
    r"(?:(?:many|a thousand|big|huge) )?(?:thanks|thank you|thankyou|thx|tysm|ty|cheers|much appreciated|(?:i |we "
    r")?(?:really )?appreciate"
    r"(?: it| that| you| your| this)|much obliged)(?! to\b)\b",
    re.IGNORECASE,
)
ACKS: Final = words_of(
    """ok okay k kk yes yeah yep yup sure right exactly agreed agree indeed nope no nah cool great nice awesome perfect
    excellent good fine done noted understood got welcome absolutely definitely totally fair wow oh ah aww true
    interesting amazing wonderful lovely fantastic brilliant beautiful impressive incredible fabulous fun exciting
    inspiring cute adorable stunning glad happy sorry worries problem pleasure roger ack lgtm likewise same alright cheers
    sweet neat rad dope gotcha perhaps maybe ditto please yay yikes bravo hooray gorgeous terrific superb super sounds
    makes looks sense congrats kudos +1 see know understand"""
)
_AROUND: Final = words_of(
    """so very really that's that is it's it sounds looks look a an the to me too here there you you're your how what this
    these those those like of course for us i i'm we all must be was and but such pretty quite just well will do copy my
    not at enough on then as always hear both job work news idea point one thing stuff plan way time definitely much ever
    are am can imagine think bet totally never mind feel feels seems guys man dude mate team have having again more have
    had hope want now also very with them they bad up mean sir"""
)
_PHRASES: Final = re.compile(
    r"(?:(?:so|and|just|well|yeah|yes),? )?(?:will do|onward|come on|keep (?:it|that) up|keep up the \w+(?: \w+)? work"
    r"|stay (?:motivated|strong|safe"
    r"|tuned|in touch|positive)|take (?:it easy|your time|care)|(?:i )?can['’]?t wait|my bad|never mind|you (?:got|can do"
    r"|rock|nailed) (?:this|it)|you rock"
    r"|way to go|go for it|hang in there|believe in yourself|let (?:me|us) know(?: (?:if|when|how|what)\b.{0,60})?|good "
    r"(?:to know|for you|one|point|idea)"
    r"|fingers crossed|no need|same to you|back at you|on it|done deal|you bet|(?:i['’]m )?(?:so )?(?:happy|glad) (?:to|i "
    r"could) help)"
    r"(?: (?:and|to) (?:keep (?:it|that) up|hear|stay safe))?(?:,? (?:@?[A-ZÀ-Þ][\w'’-]+|mate|man|team|everyone|guys|then"
    r"|though|too|again))?",
    re.IGNORECASE,
)
_REACTIONS: Final = re.compile(
    r"(?:(?:lo+l|(?:ha){2,}h?|ha|he(?:he)+|hm+|ugh+|omg|lmao|rofl|yay+|uh+|um+|eh+|huh|phew|oops|ouch|xd|wow+|meh|brb|afk"
    r"|shrug)[\s,.!…]*)+",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(
    r"(?:(?:and|but|so|also|hey|ok|now|then),? )?(?:"
    r"(?:do|don['’]t) (?:you|we|they|i|these|those|your users)\b|(?:does|did|can|could|would|will|is|are|was|were|has|have"
    r"|had|should|shall|isn['’]t|aren['’]t|doesn['’]t|didn['’]t|won['’]t"
    r"|can['’]t|wouldn['’]t|haven['’]t|hasn['’]t) (?:anyone|anybody|someone|somebody|everyone|you|we|they|i|it|he|she|this"
    r"|that|these|those|there"
    r"|the|your|our|my|any)\b"
    r"|(?:anyone|anybody) (?:know|else|seen|have|has|tried|able|here|up|got|willing|free)\b"
    r"|(?:what|who|where|when|why|how|which|whose|whom)(?:['’]s| is| are| was| were| do| does| did| can| could| should| "
    r"would| will| about| come"
    r"| many| much| long| often| far| has| have| else| kind| time)\b)",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"(?:(?:and|but|or) )?(?:how about|what about|and you|(?:did|do|have|are|is|was|were|can|could|would|will|does|has"
    r"|should|isn['’]t|aren['’]t"
    r"|don['’]t|doesn['’]t|didn['’]t|won['’]t|wasn['’]t|weren['’]t|haven['’]t|shall|anyone|anybody|any|what|how|why|who"
    r"|when|where|which|you)\b)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"(?:right|ok|okay|correct|no|yes|eh|huh|yeah|true|innit)\W*$", re.IGNORECASE)
_BREAK: Final = re.compile(r"(?:,|;|—|–|\s-|\.\.\.|…)\s+|\s(?=(?:and|but) (?:how|what|do|did|have|are)\b)")
_ENDING: Final = "\"'”’)]*_ \t\r\n.!"
_LETTERS: Final = re.compile(r"[^\W_]")
_ALPHA: Final = re.compile(r"[^\W\d_]")


def opener(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Where what opens a sentence without telling anything ends ("Hi Bob,"), and what it is."""
    match = _OPENER.match(text, start, end)
    if match is None or match.lastgroup is None:
        return None
    return match.end(), match.lastgroup


def asks(text: str, start: int, end: int) -> bool:
    """Whether a stretch is a question, by its mark or by the order of its words."""
    tail = text[max(start, end - 40) : end]
    stopped = tail.rstrip().endswith((".", "!", ":"))
    while tail and not (tail[-1].isalnum() or tail[-1] == "?"):
        tail = tail[:-1]
    if tail.endswith("?"):
        return True
    return _ASKING.match(text, start, end) is not None and not stopped and "," not in text[start:end]


def last_question(text: str, start: int, end: int, words: Words) -> tuple[int, bool] | None:
    """Of "we saw them, did you?" where the question begins, and whether it only asks for assent; None if it is all one."""
    if _ASKING.match(text, start, end):
        return None
    for match in reversed(list(_BREAK.finditer(text, start, end))):
        tag = _TAG.match(text, match.end(), end) is not None
        if (tag or _TAIL.match(text, match.end(), end)) and predicate(words, words.index(start), words.index(match.start())):
            return match.end(), tag
    return None


def empty(text: str, start: int, end: int) -> str | None:
    """Why a stretch tells nothing, or None if it tells something."""
    part = text[start:end]
    if not _LETTERS.search(part):
        return "markup" if part.isascii() else "reaction"
    if not _ALPHA.search(part):
        return "fragment"
    if len(part) > 160:
        return None
    bare = part.strip()
    while bare and not (bare[-1].isalnum() or bare[-1] in "'’"):
        bare = bare[:-1]
    if _REACTIONS.fullmatch(bare):
        return "reaction"
    if _FAREWELL.fullmatch(bare):
        return "greeting"
    if _PHRASES.fullmatch(bare):
        return "acknowledgement"
    if _THANKS.match(bare):
        return "thanks"
    return "acknowledgement" if _acknowledges(bare) else None


def _acknowledges(text: str) -> bool:
    low = text.lower().replace("’", "'")
    found = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?|\+1", low)
    if len(found) > 9:
        return False
    vocative = re.search(rf",\s*{_NAME}$", text)
    found = found[:-1] if vocative else found
    return bool(found) and all(word in ACKS or word in _AROUND for word in found) and any(word in ACKS for word in found)
