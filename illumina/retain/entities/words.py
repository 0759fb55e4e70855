"""Closed lists of words that are part of a name without naming anybody, and of what can be counted or versioned.

All are of this project's own making, folded as `illumina.retain.entities.forms.fold` folds.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES: Final = _words(
    """mr mrs ms miss mx dr doctor prof professor sir dame lord lady hon honourable honorable rt right rev revd reverend fr
    father sister brother pastor rabbi imam sheikh sheik hajji saint st cardinal bishop archbishop canon capt captain
    cpt col colonel cmdr commander gen lt lieutenant maj sgt sergeant cpl corporal pvt adm admiral ensign president
    chancellor senator sen governor gov ambassador mayor minister herr frau fraulein monsieur mme mademoiselle mlle
    messrs senor senora senorita signor signora signorina dona dom mister madam ing dipl princess queen emperor
    empress tsar czar kaiser duchess archduke marquess marquis marchioness countess viscount viscountess baron
    baroness baronet"""
)
"""In front of a name: forms of address, ranks of church, army, state and nobility."""

NAMES_TOO: Final = _words(
    "dean don duke earl king prince major judge pope general count marshal justice m ma secretary private amb"
)
"""Titles that are names as well: dropped in front of two other words, not of one."""

BEHIND: Final = _words("bt esq esquire phd md mba msc bsc frs obe mbe cbe kbe kcb gcb kc qc mp jp ceo cto cfo coo vp bart")
"""Behind a name: degrees, orders, offices."""

WITHIN: Final = _words(
    "sir dame hon rt rev revd dr prof mr mrs ms baronet bt viscount viscountess baron baroness marquess marchioness"
)
"""Never a name, wherever it stands in one of several words."""

RANKS: Final = _words(
    """baron baroness baronet bt earl count countess viscount viscountess duke duchess marquess marquis marchioness prince
    princess king queen lord lady pope emperor empress"""
)

PARTICLES: Final = _words("de del della dela di da das dos du des der den von vom zu zum zur of the und y e af av auf ter ten")
"""Dropped wherever they stand."""

INNER_PARTICLES: Final = _words("van la le lo al el bin ibn ben bint st san santa mac mc ap o d l")
"""Dropped inside a name; in the first place they may be a name of their own (Van, Ben, Al)."""

GENERATIONS: Final = {
    "jr": "2", "junior": "2", "jnr": "2", "jun": "2", "ii": "2", "sr": "1", "senior": "1", "snr": "1", "sen": "1",
    "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14",
    "xv": "15", "xvi": "16", "younger": "2", "elder": "1",
}  # fmt: skip
"""Behind a name: which of several of this name. One letter (I, V, X) is read as an initial."""

GENERIC: Final = _words(
    """account agent alert api app application area backend bank base batch board bot box branch bucket budget bug build
    building bus cache campaign category channel chapter chart class client cloud cluster code collection college
    commission committee company component conference config console container contract controller core corp
    corporation council course crew cron customer daemon dashboard data database datacenter db deck department deploy
    deployment desk device directory division doc document domain door driver edition email endpoint engine env
    environment epic episode error event exchange factory feature feed file fleet flight floor folder form foundation
    framework frontend function fund gate gateway generation grade group guild handler hangar host hotel hub image inc
    incident index initiative instance institute interface invoice issue item job key lab lambda layer league ledger
    level library license limited line link list llc lock log ltd machine mailbox manager meeting memo message metric
    microservice migration milestone mission mode model module monitor network node note number object office operator
    order organisation organization page panel part party patch path patient payment period phase pipeline plan plant
    platform plc plugin pod policy pool port portal position post problem process processor product program programme
    project protocol provider proxy publication queue quarter rack record region registry release replica repo
    repository report request review road role room route router rule run runbook schema school scheduler screen
    script season seat sector segment sensor series server service session set shard sheet ship shop site slot socket
    sprint squad stack stage standard station step storage store stream street studio suite survey switch system table
    tag task team template tenant terminal test theme thread ticket tier tool topic track train tribe trial tunnel
    type union unit university user utility vendor version video view volume warehouse ward week wing worker workflow
    workspace year zone"""
)
"""Nouns for things of which there are several. Beside one of them names are designations: close ones are others on purpose."""

VERSION_WORDS: Final = _words("v ver version rev revision no nr")
"""Dropped before a number; "#" is too."""

PRONOUNS: Final = _words("he him his she her hers they them theirs it its")
