"""The words by which English states a cause: verbs, prepositions, conjunctions, nouns, and what an effect is called.

A cue is a pattern that begins at a word, and how its cause and effect stand around it. Weak cues ("headaches from mould",
"the pump makes a noise") state a cause only beside a noun that names an effect: a symptom, a feeling, damage, a disruption,
something radiated, a gain. The lists are by meaning, not by corpus.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from illumina.retain.words import words_of

Kind = Literal["causes", "enables", "prevents"]
Form = Literal[
    "active",
    "passive",
    "intransitive",
    "preposition",
    "because",
    "since",
    "so",
    "why",
    "cause_noun",
    "result_noun",
    "label",
    "arrow",
]
"""How the two sides stand around a cue.

- active: cause, cue, effect ("X led to Y"); passive: effect, cue, cause ("Y was caused by X"), and so intransitive ("Y stems
  from X"), which needs no auxiliary
- preposition: effect, cue, cause as a noun phrase ("Y due to X"), or in front ("due to X, Y"); because: the same with a clause;
  since: the same where it is not about time
- so: cause as a clause, cue, effect as a clause, across sentences too ("X. As a result, Y"); why: "that is why Y"
- cause_noun: "X is the cause of Y", "the cause of Y is X"; result_noun: "Y is the result of X", "the result of X is Y"
- label: "Root cause: X", about what was told before; arrow: clause → clause
"""


@dataclass(frozen=True, slots=True)
class Cue:
    """A way to state a cause.

    Attributes:
        form: How cause and effect stand around it.
        kind: The edge it states.
        weak: Whether it states one only beside a noun that names an effect.
        bare: Whether an infinitive of it states a purpose that is no less certain for it ("to avoid Y").
    """

    form: Form
    kind: Kind = "causes"
    weak: bool = False
    bare: bool = False


def _inflected(verb: str) -> tuple[str, str, str, str, str]:
    """Base, third person, past, participle and gerund of a regular verb, or those written out with commas."""
    if "," in verb:
        base, third, past, participle, gerund = verb.split(",")
        return base, third, past, participle, gerund
    third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb[:-1] + "ied", verb + "ing"
    if verb.endswith("e"):
        return verb, third, verb + "d", verb + "d", verb[:-1] + "ing"
    return verb, third, verb + "ed", verb + "ed", verb + "ing"


_TRANSITIVE: Final[Mapping[Kind, str]] = {
    "causes": "cause trigger provoke induce precipitate spark instigate engender elicit prompt necessitate exacerbate worsen "
    "aggravate inflict effectuate beget,begets,begot,begotten,begetting effect,effects,effected,effected,effecting",
    "prevents": "prevent avert preclude impede hinder inhibit hamper thwart forestall suppress avoid "
    "block,blocks,blocked,blocked,blocking",
    "enables": "enable facilitate permit,permits,permitted,permitted,permitting unblock allow",
}
_WEAK: Final = (
    "create generate produce emit,emits,emitted,emitted,emitting radiate make,makes,made,made,making yield introduce "
    "fuel,fuels,fueled,fueled,fueling spawn give,gives,gave,given,giving ignite"
)
_NO_PASSIVE: Final = frozenset({"make", "give"})
"""What these do to something "by" somebody is handed over or worked on, not caused."""
_PHRASAL: Final[Sequence[tuple[str, str, Kind]]] = (
    ("lead,leads,led,led,leading", "(?:directly |indirectly |straight |in turn |inevitably )?to", "causes"),
    ("result", "in", "causes"),
    ("contribute", "(?:directly |heavily |significantly )?to", "causes"),
    ("culminate", "in", "causes"),
    ("bring,brings,brought,brought,bringing", "(?:about|on)", "causes"),
    ("set,sets,set,set,setting", "off", "causes"),
    ("touch", "off", "causes"),
    ("give,gives,gave,given,giving", "(?:rise|birth) to", "causes"),
    ("pave", "the way (?:for|to)", "enables"),
    ("open", "the (?:door|way) (?:for|to)", "enables"),
    ("clear", "the way for", "enables"),
    ("guard", "against", "prevents"),
    ("protect", r"(?:\S+ ){0,4}(?:against|from)", "prevents"),
    ("put,puts,put,put,putting", "an end to", "prevents"),
    ("rule", "out the possibility of", "prevents"),
    ("make,makes,made,made,making", r"it (?:possible|easy|easier|feasible) (?:to|for)", "enables"),
    ("make,makes,made,made,making", r"it (?:impossible|hard|harder|difficult) (?:to|for)", "prevents"),
    ("make,makes,made,made,making", r"(?=\S+(?: \S+){0,4} (?:impossible|unusable|unavailable|unreachable))", "causes"),
    ("force", r"(?=(?:\S+ ){1,5}(?:to|into|off|out)\b)", "causes"),
    ("keep,keeps,kept,kept,keeping", r"(?=(?:\S+ ){1,6}from \w+ing\b)", "prevents"),
    ("stop,stops,stopped,stopped,stopping", r"(?=(?:\S+ ){1,6}(?:from )\w+ing\b)", "prevents"),
    ("save", r"(?=(?:\S+ ){1,4}from\b)", "prevents"),
    (
        "let,lets,let,let,letting",
        r"(?=(?:us|me|them|him|her|it|you|the|our|their|a|an|every|any|each|\w+s) (?:\S+ ){0,3}\w+\b)",
        "enables",
    ),
    ("translate", "into", "causes"),
)
_FROM: Final[Sequence[tuple[str, str, bool]]] = (
    ("result", "from", False),
    ("stem,stems,stemmed,stemmed,stemming", "from", False),
    ("arise,arises,arose,arisen,arising", "(?:from|out of)", False),
    ("ensue", "from", False),
    ("follow", "from", False),
    ("originate", "from", True),
    ("come,comes,came,come,coming", "from", True),
    ("derive", "from", True),
    ("emanate", "from", True),
    ("radiate", "from", True),
    ("grow,grows,grew,grown,growing", "(?:from|out of)", True),
    ("die,dies,died,died,dying", "(?:from|of)", False),
)
_MANNER: Final = (
    "(?:(?:in part|at least in part|"
    r"likely|either|often|just|only|not|also|\w{2,20}ly) ){0,2}"
)
_OF: Final = "(?:of|for|behind|why)"
_LABELLED: Final = "(?:cause|reason|rationale|motivation|culprit|trigger)"
_TURNS_OUT: Final = "(?:is|was|turned out to be|turns out to be|seems to be|seems to have been)"
_LABEL: Final = f"(?: {_TURNS_OUT}(?: that)?| that)?:"
_QUALIFIED: Final = "root probable proximate underlying likely actual real main"

_FIXED: Final[Sequence[tuple[str, str, Cue]]] = (
    ("is are was were be been being it's that's isn't wasn't", f"{_MANNER}(?:due|down|owing) to", Cue("passive")),
    ("is are was were be been being it's that's isn't wasn't", f"{_MANNER}because of", Cue("passive")),
    ("due owing thanks", "(?:solely |entirely |largely |in part )?to", Cue("preposition")),
    ("due owing", "to the fact that", Cue("because")),
    ("because cuz coz bc b/c", "of", Cue("preposition")),
    ("on", "(?:account|the strength) of", Cue("preposition")),
    ("by", "(?:virtue|reason) of", Cue("preposition")),
    ("as", "(?:a|the|one|an?) (?:(?:direct|natural|inevitable|immediate) )?(?:result|consequence) of", Cue("preposition")),
    ("in", "(?:consequence of|(?:response|reaction) to)", Cue("preposition")),
    ("in", "the (?:wake|aftermath) of", Cue("preposition", weak=True)),
    ("caused triggered created generated", f"{_MANNER}(?:due to|because of)", Cue("passive")),
    ("blamed pinned", "on", Cue("passive")),
    ("attributed attributable ascribed traceable", f"{_MANNER}to", Cue("passive")),
    ("traced tracked", f"{_MANNER}(?:(?:back|down) )?to", Cue("passive")),
    ("put chalked", "(?:down|up) to", Cue("passive")),
    ("comes come came coming boils boiled", "down to", Cue("intransitive")),
    ("at", "the (?:root|heart|bottom) of", Cue("active")),
    ("to", "blame for", Cue("active")),
    ("at", "fault for", Cue("active")),
    ("responsible", "for(?: causing)?", Cue("active", weak=True)),
    ("account accounts accounted accounting", "for", Cue("active", weak=True)),
    ("is are was were", "behind", Cue("active", weak=True)),
    ("essential necessary indispensable", "for", Cue("active", "enables", weak=True)),
    ("blocked stuck stalled gated", "(?:on|by)", Cue("passive", "prevents")),
    ("held hung", "up by", Cue("passive", "prevents")),
    ("made makes", "possible (?:by|through)", Cue("passive", "enables")),
    ("because cuz coz bc b/c", r"(?! of\b)", Cue("because")),
    ("given seeing considering", "that", Cue("because")),
    ("inasmuch", "as", Cue("because")),
    ("on", "the grounds that", Cue("because")),
    ("now", "that", Cue("because", "enables")),
    ("since", "", Cue("since")),
    ("so", "that", Cue("so", "enables")),
    ("as", r"a (?:(?:direct|natural) )?(?:result|consequence)(?! of\b)", Cue("so")),
    ("in", r"consequence(?! of\b)", Cue("so")),
    ("for", "(?:this|that|which|these) reasons?", Cue("so")),
    ("because due", r"(?:of|to) (?:this|that|which)(?=,| (?:we|i|it|they|he|she|you|the|a|no)\b)", Cue("so")),
    ("therefore thus hence consequently accordingly", "", Cue("so")),
    ("so", "", Cue("so")),
    (
        "that this it which",
        "(?: is|'s| was)(?: also| exactly| precisely| partly| probably)? (?:why|because|the reason(?: why)?)",
        Cue("why"),
    ),
    ("that's thats it's", "(?:(?:also|exactly|precisely|partly|probably) )?(?:why|because|the reason(?: why)?)", Cue("why")),
    ("cause causes reason reasons trigger triggers culprit culprits explanation rationale motivation", _OF, Cue("cause_noun")),
    ("reason reasons", r"(?=(?:that|we|i|it|they|the|this|our)\b)", Cue("cause_noun")),
    ("source sources producer producers", "of", Cue("cause_noun", weak=True)),
    (
        "result results consequence consequences outcome outcomes upshot byproduct by-product side-effect",
        "of",
        Cue("result_noun"),
    ),
    ("why", r"(?=[^.:?!\n]{4,90}: )", Cue("label")),
    (_QUALIFIED, f"{_LABELLED}{_LABEL}", Cue("label")),
    ("cause reason rationale motivation culprit why trigger", _LABEL, Cue("label")),
    (_QUALIFIED, f"{_LABELLED} {_TURNS_OUT}(?: that)?", Cue("label")),
    ("cause reason culprit", f"{_TURNS_OUT}(?: that)?", Cue("label")),
    ("result consequence upshot", "(?: (?:is|was)(?: that)?:?|:)", Cue("so")),
    ("-> => → ⇒", "", Cue("arrow")),
    ("after following from through over by", "", Cue("preposition", weak=True)),
    ("out", "of", Cue("preposition", weak=True)),
)

_GAINS: Final = words_of(
    """profit revenue income earnings benefit gain savings saving boost growth increase decrease rise drop decline reduction
    improvement progress commission fortune excess spike surge"""
)
_SYMPTOMS: Final = words_of(
    """pain ache headache migraine fever rash nausea dizziness cough coughing sneeze sneezing itch itching itchiness swelling
    inflammation infection irritation injury burn bruise scar blister wrinkle cramp fatigue diarrhea diarrhoea
    vomiting dehydration disease illness sickness disorder syndrome cancer ulcer blindness deafness stroke seizure
    death mortality morbidity suffocation discomfort tension soreness throat exhaustion breakdown allergy symptom
    complication infestation contamination poisoning outbreak epidemic famine starvation hunger thirst insomnia
    numbness acne breakout redness dryness trauma miscarriage paralysis asthma anemia fainting drowsiness blackout
    addiction aging ageing worsening bleeding drowning aching risk"""
)
_FEELINGS: Final = words_of(
    """joy happiness fear grief sorrow sadness anger rage frustration disappointment satisfaction fulfillment fulfilment
    pleasure enjoyment excitement anxiety panic depression despair shame guilt laughter boredom embarrassment worry
    confusion distress misery thrill delight disgust resentment outrage shock stress dissatisfaction discontent
    amusement jolliness impression mood sensation annoyance"""
)
_HARM: Final = words_of(
    """damage devastation destruction harm loss pollution erosion corrosion extinction shrinkage delay cancellation
    disruption outage downtime failure fire explosion flood flooding leak leakage spill crash accident collapse crisis
    recession unemployment poverty scandal controversy riot unrest violence chaos havoc mess problem trouble incident
    regression slowdown latency lag degradation backlog congestion overload deadlock corruption breach strain stall
    hang freeze fallout casualty bottleneck interference overhead timeout blockage churn drift contention jank stutter
    throttling jitter flakiness error panic overrun underrun starvation setback instability turbulence deforestation
    waste sabotage"""
)
_RADIATED: Final = words_of(
    """sound noise smell odor odour stench light glow heat warmth radiation emission signal wave vibration electricity smoke
    fumes glare echo buzz hum whistle hiss squeal rattle thump electron neutron photon sparks flash bang beam pulse
    impulse melody shadow tsunami earthquake landslide avalanche storm swell unemployment disaster"""
)
_REACTIONS: Final = words_of(
    """reaction response effect impact stir commotion behaviour behavior activation inhibition mistake disturbance imbalance
    shortage discussion debate backlash imprint termination extinction fulfilment"""
)
_EFFECTS: Final = _GAINS | _SYMPTOMS | _FEELINGS | _HARM | _RADIATED | _REACTIONS
"""What an effect is called: gains and changes, symptoms, feelings, damage and disruption, what is radiated, reactions."""
_SUFFIXED: Final = re.compile(r"\w+(?:aches?|itis|osis|algia|emia)")
_NOT_FROM: Final = words_of(
    """growth increase decrease rise drop decline reduction change progress improvement signal sound wave impulse pulse beam
    current electron discussion debate behaviour behavior mood error impact effect saving savings income fire smoke
    mistake problem trouble"""
)
"""Effects that come "from" a place, a value or a source as often as from a cause."""
_AFTER: Final = words_of(
    """grief sorrow sadness anger rage frustration disappointment joy fire flood famine disruption delay death pain loss
    damage destruction chaos panic outage downtime failure crash collapse shock trauma shrinkage confusion screaming
    unrest riot contamination fatigue stress regression timeout latency slowdown degradation infection bleeding
    swelling"""
)
_BY: Final = words_of("death activation reduction destruction inhibition damage pollution contamination poisoning")
_THROUGH: Final = words_of(
    """happiness inhibition expenditure alteration joy satisfaction improvement progress reduction death damage infection
    loss profit growth contamination pollution fulfillment pleasure"""
)
_OUT_OF: Final = words_of(
    """fear necessity anger spite frustration desperation love boredom curiosity habit concern caution pity jealousy greed
    ignorance"""
)
_OVER: Final = words_of("controversy anger outrage frustration riot unrest dispute concern")
_PEOPLE: Final = words_of(
    """person people man men woman women boy girl child children learner student teacher author artist user customer client
    member friend player reader writer worker colleague politician democrat republican official officer doctor nurse
    citizen speaker leader company team he she we they i you"""
)
_ORIGINS: Final = _PEOPLE | words_of(
    """area region side place country state town village coast sea river lake north south east west street site location
    office room hospital school university laboratory lab end point position angle distance perspective standpoint
    viewpoint approach home house world planet earth inside outside front back top bottom edge centre center list
    source article letter report story page website database dataset table survey study interview document file record
    text artery joint vein heart brain nose mouth lung skin leg arm hand back head body organ"""
)
"""What something comes "from" as from a place, a speaker or a document."""
TIMES: Final = words_of(
    """yesterday today tomorrow yesterdays week weeks month months year years day days hour hours minute minutes second
    seconds morning evening night noon midnight monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december spring summer autumn fall winter
    season term semester decade century past then now beginning start launch last preseason date century time"""
)


def names_effect(word: str, among: frozenset[str] = _EFFECTS) -> bool:
    """Whether a noun, in lower case, names an effect."""
    if word in among or (among is _EFFECTS and _SUFFIXED.fullmatch(word) is not None):
        return True
    forms = [word[:-1]] if word.endswith("s") else []
    forms += [word[:-2]] if word.endswith("es") else []
    forms += [word[:-3] + "y"] if word.endswith("ies") else []
    return any(form in among for form in forms)


def effect_before(word: str, cue: str) -> bool:
    """Whether a noun before a weak preposition names what that preposition gives the cause of."""
    lists = {"after": _AFTER, "following": _AFTER, "by": _BY, "through": _THROUGH, "over": _OVER}
    if cue in lists:
        return names_effect(word, lists[cue])
    return names_effect(word) and not (cue == "from" and names_effect(word, _NOT_FROM))


def gain(words: Iterable[str]) -> bool:
    """Whether a gain or change is named: what is made by somebody ("makes progress"), not by an event."""
    return any(names_effect(word, _GAINS) for word in words)


def person(words: Iterable[str]) -> bool:
    """Whether somebody is named who makes something rather than something that causes it."""
    return any(names_effect(word, _PEOPLE) or word.endswith(("ist", "ists", "ician", "icians")) for word in words)


def origin(word: str) -> bool:
    """Whether a noun behind "from" names where something comes from rather than why."""
    return names_effect(word, TIMES) or names_effect(word, _ORIGINS)


def motive(word: str) -> bool:
    """Whether a noun after "out of" is a motive."""
    return word in _OUT_OF


def _rest(pattern: str) -> re.Pattern[str]:
    """What follows a cue's first word, each space standing for white space."""
    lead = " " if pattern and not pattern.startswith(("(?: ", "(?! ")) else ""
    close = "" if "(?=" in pattern else r"(?![\w'’])"
    return re.compile((lead + pattern).replace(" ", r"\s{1,3}") + close, re.IGNORECASE)


def _verbs() -> dict[str, tuple[Cue, Cue | None]]:
    """Verb form to its cue as a verb and, of a participle, its cue before an agent."""
    table: dict[str, tuple[Cue, Cue | None]] = {}
    classes: list[tuple[str, Kind, bool]] = [(verbs, kind, False) for kind, verbs in _TRANSITIVE.items()]
    for verbs, kind, weak in [*classes, (_WEAK, "causes", True)]:
        for verb in verbs.split():
            forms = _inflected(verb)
            for form in forms:
                passive = (
                    Cue("passive", kind, weak=weak) if form == forms[3] and verb.split(",")[0] not in _NO_PASSIVE else None
                )
                table[form] = Cue("active", kind, weak=weak, bare=kind == "prevents"), passive
    return table


def _phrases() -> dict[str, list[tuple[re.Pattern[str], Cue]]]:
    """First word to what may follow it, the longest patterns not necessarily first."""
    table: defaultdict[str, list[tuple[re.Pattern[str], Cue]]] = defaultdict(list)

    def add(openings: Iterable[str], rest: str, cue: Cue) -> None:
        pattern = _rest(rest)
        for opening in openings:
            table[opening].append((pattern, cue))

    for verb, rest, kind in _PHRASAL:
        forms = _inflected(verb)
        add(dict.fromkeys(forms), rest, Cue("active", kind, bare=kind == "prevents"))
        if rest in {"off", "(?:about|on)"}:
            add([forms[3]], f"{rest} {_MANNER}by", Cue("passive", kind))
    for verb, rest, weak in _FROM:
        add(dict.fromkeys(_inflected(verb)), f"{_MANNER}{rest}", Cue("intransitive", weak=weak))
    for openings, rest, cue in _FIXED:
        add(openings.split(), rest, cue)
    return dict(table)


VERBS: Final = _verbs()
PHRASES: Final = _phrases()
AGENT: Final = _rest(f"{_MANNER}(?:by|through)")
"""What follows a participle before what did it."""
INFLECTED: Final = frozenset(
    form for verb in [entry[0] for entry in _PHRASAL] + [entry[0] for entry in _FROM] for form in _inflected(verb)
)
"""Forms of the verbs that are cues with what follows them only."""
PARTICIPLES: Final = frozenset(form for form, (_, passive) in VERBS.items() if passive) | frozenset(
    _inflected(verb)[3] for verb, _, _ in _PHRASAL
)
QUALIFIERS: Final = frozenset([*_QUALIFIED.split(), "most", "suspected"])
"""What may stand before a label such as "cause:"."""
