"""Common verbs with their forms, and how a verb agrees with its subject."""

from __future__ import annotations

from typing import Final

from illumina.retain.words import words_of

_REGULAR: Final = words_of(
    """accept access add adopt advise affect agree aim allow alert announce answer appear apply appreciate approve archive argue
    arrange arrive ask assign assume attach attend audit avoid await back bake base batch behave believe belong block book
    borrow brew bump cache call cancel care carry cause celebrate change charge check claim clean clear climb close collect
    combine commit communicate compare compile complain complete compress compute confirm confuse connect consider consist
    consume contact contain continue control convert cook coordinate copy correct count cover crash create cross cycle damage
    dance decide decline decrease dedicate define delay delete deliver demand deny depend deploy deprecate describe deserve
    design destroy detect develop die differ disable disagree discover discuss display divide document double drain drop
    duplicate earn edit eliminate email embed emit employ enable encode encourage end enforce enjoy ensure enter escalate
    estimate evaluate exceed exclude execute exist expand expect expire explain explore export expose extend face fail fetch
    file fill filter finish fire fix flag flush focus follow force format fork form freeze function gain gather generate
    grab graduate grant guarantee guess guide hand handle happen hate help hike hire hope host identify ignore implement
    import improve include increase index inform ingest inherit insist inspect install intend introduce invent invest invite
    involve issue jam join jump key kick label lack land last laugh launch leak learn like limit link list listen live load
    lock log look love lower mail maintain manage map mark match matter measure mention merge migrate miss mix monitor mount
    move multiply name need note notice notify observe obsolete obtain occur offer open operate oppose order organise organize
    outline own pack page paint parse pass pause peak perform permit pick pin ping place plan plant play point poll post
    postpone practise practice prefer prepare present preserve press pretend prevent print prioritise prioritize process
    produce promise promote propose protect prove provide publish pull purchase push query queue quote raise reach react
    realise realize rebase reboot receive recommend record recover redirect reduce refactor refer reflect refuse refund
    register reindex reject relate relax release rely remain remember remind remove rename render reopen repair repeat replace
    replicate reply report represent reproduce request require rescue resolve respect respond rest restart restore restrict
    retire retry return reuse reveal revert review reward roll rotate route sample save scale scan schedule score scrape
    search seem separate serialise serialize serve share shift ship shop show sign signal skip slip slow smell smoke solve
    sort sound sponsor stage start state stay step stop store stream stretch struggle study submit succeed suffer suggest
    suit supply support suppose surprise suspect switch sync tag talk target taste tend terminate test text thank tidy tie
    time touch trace track trade train transfer transform translate travel treat trigger trust try tune turn type update
    upgrade upload use validate vanish vary verify view violate visit volunteer vote wait walk want warn wash waste watch weigh
    wish wonder work worry wrap yield"""
)
_IRREGULAR: Final = """be was were; become became; begin began; bite bit; blow blew; break broke; bring brought; build built;
    buy bought;
    catch caught; choose chose; come came; cost cost; cut cut; deal dealt; do did; draw drew; drink drank; drive drove;
    eat ate; fall fell; feed fed; feel felt; fight fought; find found; fly flew; forget forgot; get got; give gave; go
    went; grow grew; hang hung; have had; hear heard; hide hid; hit hit; hold held; hurt hurt; keep kept; know knew; lead
    led; leave left; lend lent; let let; lie lay; lose lost; make made; mean meant; meet met; overwrite overwrote; pay
    paid; put put; quit quit; read read; rebuild rebuilt; rewrite rewrote; ride rode; ring rang; rise rose; run ran; say
    said; see saw; seek sought; sell sold; send sent; set set; shake shook; shoot shot; shrink shrank; shut shut; sing
    sang; sink sank; sit sat; sleep slept; speak spoke; spend spent; split split; spread spread; stand stood; steal stole;
    stick stuck; strike struck; swim swam; take took; teach taught; tell told; think thought; throw threw; understand
    understood; wake woke; wear wore; win won; write wrote; withdraw withdrew"""

UNCHANGED: Final = words_of("cost cut hit hurt let put quit read set shut split spread")
"""Their past is their present."""


def third(base: str) -> str:
    """The form behind he, she or it: `tries`, `has`, `goes`."""
    if base in {"be", "have", "do", "go"}:
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _past(base: str) -> set[str]:
    if base.endswith("e"):
        return {base + "d"}
    if base.endswith("y") and base[-2] not in "aeiou":
        return {base[:-1] + "ied"}
    doubled = len(base) > 2 and base[-1] not in "aeiouwxy" and base[-2] in "aeiou" and base[-3] not in "aeiou"
    return {base + "ed"} | ({base + base[-1] + "ed"} if doubled else set())


_PAIRS: Final = [line.split() for line in _IRREGULAR.replace("\n", " ").split(";")]
BASES: Final = _REGULAR | {pair[0] for pair in _PAIRS}
"""As in "I work"."""
THIRDS: Final = frozenset(third(base) for base in BASES) - {"is"}
"""As in "it works"; many are plural nouns as well."""
PASTS: Final = frozenset(form for base in _REGULAR for form in _past(base)) | {form for pair in _PAIRS for form in pair[1:]}
"""As in "it worked"; the regular ones are participles as well."""
GERUNDS: Final = frozenset(
    form for base in BASES for form in (base + "ing", base.removesuffix("e") + "ing", base + base[-1] + "ing")
)
"""As in "working", and some forms that nobody writes."""
NOUNS_TOO: Final = words_of(
    """access address aim alert answer audit back base batch block book bump cache call care cause change charge check claim
    clear close commit control copy cost count cover crash cut cycle damage dance deal delay demand deploy design display
    document double drain draw drink drive drop end estimate exit export face feed file fill filter finish fire fix flag flush
    focus force form format function gain guess guide hand help hike hit hope host import increase index issue jam join jump
    key kick label lack land laugh lead leak leave like limit link list load lock log look love mail map mark match matter
    measure merge mix monitor move name need note offer order own pack page paint pass pause peak pick pin place plan plant
    play point poll post practice present press process produce promise prompt pull purchase push query queue quote raise
    read rebuild record refund register release reply report request rest restart result retry return review reward ride rise
    roll route run sample save scale scan schedule score search set shake share shift ship shop show sign signal sleep
    smell smoke sort sound split spread stage stand start state stay step stick stop store stream stretch strike study
    supply support surprise switch tag talk target taste test text tie time touch trace track trade train transfer travel
    trigger trust try turn type update upgrade upload use view visit vote wait walk want wash waste watch wish wonder work worry
    wrap yield"""
)
"""Bases that are nouns as often."""
