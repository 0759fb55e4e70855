"""Holidays and feasts by rule. Jewish ones begin at sundown: their day is the one on which they begin, as calendars have it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from illumina.retain.dates.calendars import easter, hebrew, orthodox_easter
from illumina.retain.dates.moon import chinese_new_year, hindu, islamic
from illumina.retain.dates.recurring import Recurring
from illumina.retain.dates.units import Whole, day, local, nth_weekday, period

if TYPE_CHECKING:
    from collections.abc import Mapping

_Rule = Callable[[int], Whole]


def _number(number: int, days: int = 1) -> Whole:
    start = datetime.fromordinal(number)
    return Whole(start, start + timedelta(days=days), "day")


def _fixed(month: int, number: int) -> _Rule:
    return lambda year: day(year, month, number)


def _nth(nth: int, weekday: int, month: int, shift: int = 0) -> _Rule:
    """The `nth` weekday of a month, and `shift` days on."""

    def rule(year: int) -> Whole:
        found = nth_weekday(period(local(year, month, 1), "month"), weekday, nth)
        if found is None:
            raise ValueError
        return period(found.start + timedelta(days=shift), "day")

    return rule


def _near(month: int, number: int, weekday: int) -> _Rule:
    """The weekday on or before a date."""

    def rule(year: int) -> Whole:
        start = local(year, month, number)
        return period(start - timedelta(days=(start.weekday() - weekday) % 7), "day")

    return rule


def _easter(shift: int, days: int = 1) -> _Rule:
    return lambda year: _number(easter(year) + shift, days)


def _orthodox(shift: int, days: int = 1) -> _Rule:
    return lambda year: _number(orthodox_easter(year) + shift, days)


def _jewish(month: str, number: int, days: int = 1, moved: Mapping[int, int] = MappingProxyType({})) -> _Rule:
    """A feast from the evening before; `moved` by days where it would fall on a weekday that does not suit."""

    def rule(year: int) -> Whole:
        start = hebrew(year, month, number)
        return _number(start + moved.get((start - 1) % 7, 0) - 1, days)

    return rule


def _islamic(month: int, number: int) -> _Rule:
    return lambda year: _number(islamic(year, month, number))


def _ramadan(year: int) -> Whole:
    first, end = islamic(year, 9, 1), None
    for later in (year, year + 1):
        end = islamic(later, 10, 1)
        if end > first:
            break
    return _number(first, (end or first) - first)


def _last_friday_of_ramadan(year: int) -> Whole:
    last = _ramadan(year).end - timedelta(days=1)
    return period(last - timedelta(days=(last.weekday() - 4) % 7), "day")


def _hindu(month: str, lunar_day: int, hour: float = 6, days: int = 1) -> _Rule:
    return lambda year: _number(hindu(year, month, lunar_day, hour), days)


def _boss(year: int) -> Whole:
    """16 October, or the working day nearest to it."""
    start = local(year, 10, 16)
    return period(start + timedelta(days={5: -1, 6: 1}.get(start.weekday(), 0)), "day")


def _kings_day(year: int) -> Whole:
    """27 April, or the day before if that is a Sunday."""
    start = local(year, 4, 27)
    return period(start - timedelta(days=start.weekday() == 6), "day")


def _earth_hour(year: int) -> Whole:
    """The last Saturday of March, or the one before if that is the day before Easter."""
    saturday = _nth(-1, 5, 3)(year).start
    if saturday.toordinal() == easter(year) - 1:
        saturday -= timedelta(days=7)
    return Whole(saturday.replace(hour=20, minute=30), saturday.replace(hour=21, minute=31), "minute")


_RULES: Final[dict[str, _Rule]] = {
    # Names without apostrophes; "|" parts the names of one feast.
    "new years day|new year day|new year|new years|yuandan": _fixed(1, 1),
    "new years eve|new year eve|silvester|hogmanay": _fixed(12, 31),
    "epiphany|three kings day": _fixed(1, 6),
    "martin luther king day|martin luther kings day|martin luther king jr day|mlk day|mlk jr day|civil rights day": _nth(
        3, 0, 1
    ),
    "australia day": _fixed(1, 26),
    "groundhog day|ground hog day|groundhogs day": _fixed(2, 2),
    "valentines day|valentine day|valentines|st valentines day|saint valentines day": _fixed(2, 14),
    "presidents day|president day|washingtons birthday": _nth(3, 0, 2),
    "womens day|international womens day": _fixed(3, 8),
    "pi day": _fixed(3, 14),
    "ides of march": _fixed(3, 15),
    "st patricks day|saint patricks day|st paddys day|saint paddys day|st patrick day|saint patrick day": _fixed(3, 17),
    "april fools day|april fools|april fool day|fools day|all fools day": _fixed(4, 1),
    "earth day": _fixed(4, 22),
    "anzac day": _fixed(4, 25),
    "kings day|koningsdag": _kings_day,
    "may day|labour day|international workers day|international labour day": _fixed(5, 1),
    "star wars day": _fixed(5, 4),
    "cinco de mayo": _fixed(5, 5),
    "mothers day|mother day": _nth(2, 6, 5),
    "memorial day": _nth(-1, 0, 5),
    "childrens day|international childrens day": _fixed(6, 1),
    "flag day": _fixed(6, 14),
    "fathers day|father day": _nth(3, 6, 6),
    "juneteenth": _fixed(6, 19),
    "canada day": _fixed(7, 1),
    "independence day|american independence day": _fixed(7, 4),
    "bastille day": _fixed(7, 14),
    "sysadmin day|system administrator appreciation day": _nth(-1, 4, 7),
    "assumption day": _fixed(8, 15),
    "labor day": _nth(1, 0, 9),
    "programmers day": lambda year: period(local(year, 1, 1) + timedelta(days=255), "day"),
    "bosss day|boss day|bosss|boss": _boss,
    "columbus day|indigenous peoples day": _nth(2, 0, 10),
    "halloween|halloween day|all hallows eve|all hallow eve": _fixed(10, 31),
    "all saints day|all hallows day": _fixed(11, 1),
    "all souls day": _fixed(11, 2),
    "world vegan day": _fixed(11, 1),
    "guy fawkes day|guy fawkes night|bonfire night": _fixed(11, 5),
    "veterans day|veteran day|remembrance day|armistice day|singles day": _fixed(11, 11),
    "thanksgiving day|thanksgiving|thanks giving day|thanks giving": _nth(4, 3, 11),
    "black friday": _nth(4, 3, 11, 1),
    "cyber monday": _nth(4, 3, 11, 4),
    "giving tuesday": _nth(4, 3, 11, 5),
    "st nicholas day|saint nicholas day": _fixed(12, 6),
    "human rights day": _fixed(12, 10),
    "christmas eve|xmas eve": _fixed(12, 24),
    "christmas day|christmas|xmas|xmas day": _fixed(12, 25),
    "boxing day|st stephens day": _fixed(12, 26),
    "global youth service day|gysd": lambda year: Whole((start := _nth(4, 4, 4)(year).start), start + timedelta(days=3), "day"),
    "earth hour": _earth_hour,
    "victoria day": _near(5, 24, 0),
    "early may bank holiday": _nth(1, 0, 5),
    "spring bank holiday": _nth(-1, 0, 5),
    "summer bank holiday|august bank holiday": _nth(-1, 0, 8),
    # Western churches.
    "shrove tuesday|mardi gras|pancake day|pancake tuesday|fat tuesday": _easter(-47),
    "ash wednesday": _easter(-46),
    "lent": _easter(-46, 46),
    "palm sunday|branch sunday": _easter(-7),
    "maundy thursday|covenant thursday|thursday of mysteries|holy thursday": _easter(-3),
    "good friday|great friday": _easter(-2),
    "holy saturday|easter saturday": _easter(-1),
    "easter|easter sunday|easter day": _easter(0),
    "easter monday": _easter(1),
    "ascension day|ascension thursday": _easter(39),
    "pentecost|whit sunday|white sunday|pentecost sunday": _easter(49),
    "whit monday|pentecost monday|monday of the holy spirit": _easter(50),
    "trinity sunday": _easter(56),
    "corpus christi": _easter(60),
    "advent sunday": _near(12, 3, 6),
    # Eastern churches.
    "clean monday|orthodox shrove monday|orthodox clean monday": _orthodox(-48),
    "great lent|great fast|orthodox lent": _orthodox(-48, 40),
    "lazarus saturday": _orthodox(-8),
    "orthodox palm sunday": _orthodox(-7),
    "orthodox good friday|orthodox great friday": _orthodox(-2),
    "orthodox easter|orthodox easter sunday": _orthodox(0),
    "orthodox easter monday": _orthodox(1),
    # Jewish.
    "rosh hashanah|rosh hashana|rosh hashanna|rosh hashanah day|jewish new year": _jewish("tishri", 1, 3),
    "yom kippur|day of atonement": _jewish("tishri", 10),
    "sukkot|succot|sukkos|succos|feast of tabernacles|feast of booths|feast of the ingathering": _jewish("tishri", 15, 9),
    "hoshana rabbah": _jewish("tishri", 21),
    "shemini atzeret|shmini atzeret": _jewish("tishri", 22),
    "simchat torah|simhat torah": _jewish("tishri", 23),
    "hanukkah|chanukah|hanukah|hannukkah|hannukah|chanukkah|festival of lights": _jewish("kislev", 25, 8),
    "tu bishvat|tu bshvat": _jewish("shevat", 15),
    "purim": _jewish("adar", 14),
    "shushan purim": _jewish("adar", 15),
    "passover|pesach": _jewish("nisan", 15, 9),
    "yom hashoah|holocaust day|holocaust remembrance day": _jewish("nisan", 27, moved={4: -1, 6: 1}),
    "yom haatzmaut|israeli independence day": _jewish("iyar", 5, moved={4: -1, 5: -2, 0: 1}),
    "lag baomer|lag bomer": _jewish("iyar", 18),
    "shavuot|shavuoth|shavuos|feast of weeks": _jewish("sivan", 6, 3),
    "tisha bav": _jewish("av", 9, moved={5: 1}),
    # Islamic.
    "islamic new year|muslim new year|hijri new year|amun jadid": _islamic(1, 1),
    "ashura|day of ashura": _islamic(1, 10),
    "mawlid|mawlid al nabawi|mawlid an nabi": _islamic(3, 12),
    "isra and miraj|the prophets ascension|prophets ascension|the night journey|ascension to heaven": _islamic(7, 27),
    "ramadan|ramadhan|ramzan": _ramadan,
    "laylat al qadr|laylat al kadr|night of power|night of measures|night of destiny": _islamic(9, 27),
    "jumuatul wida|jamat ul vida": _last_friday_of_ramadan,
    "eid al fitr|eid ul fitr|id ul fitr": _islamic(10, 1),
    "eid al adha|eid ul adha|id ul adha|sacrifice feast|bakr id": _islamic(12, 10),
    # Chinese, Hindu, Buddhist, Sikh, Jain, Parsi.
    "chinese new year|chinese new years|chinese new years day|chinese new year day|chinese lunar new year|lunar new year|"
    "chinese lunar new years day|lunar new years day|chinese lunar new years|spring festival": lambda year: _number(
        chinese_new_year(year)
    ),
    "dhanteras|dhanatrayodashi": _hindu("ashvina", 28, 18),
    "naraka chaturdashi|kali chaudas|choti diwali|chhoti diwali": _hindu("ashvina", 29, 18),
    "diwali|deepavali|lakshmi puja": _hindu("ashvina", 30, 18),
    "bhai dooj": _hindu("kartika", 2, 12),
    "chhath|chhath puja|dala puja|surya shashthi": _hindu("kartika", 6),
    "navaratri|durga puja": _hindu("ashvina", 1, 6, 10),
    "maha saptami": _hindu("ashvina", 7),
    "dussehra|vijayadashami": _hindu("ashvina", 10, 14),
    "karva chauth": _hindu("ashvina", 19, 20),
    "maharishi valmiki jayanti|valmiki jayanti|pargat diwas": _hindu("ashvina", 15, 12),
    "ratha yatra": _hindu("ashadha", 2),
    "guru purnima": _hindu("ashadha", 15),
    "raksha bandhan|rakhi": _hindu("shravana", 15),
    "krishna janmashtami|janmashtami|gokulashtami": _hindu("shravana", 23, 24),
    "ganesh chaturthi": _hindu("bhadrapada", 4, 12),
    "ugadi|yugadi|chaitra sukladi|gudi padwa": _hindu("chaitra", 1),
    "rama navami|ram navami": _hindu("chaitra", 9, 12),
    "mahavir jayanti|mahaveer janma kalyanak|mahavir janma kalyanak": _hindu("chaitra", 13),
    "hanuman jayanti": _hindu("chaitra", 15),
    "vesak|vaisakha|buddha day|buddha purnima": _hindu("vaishakha", 15, 24),
    "vasant panchami|basant panchami|saraswati puja": _hindu("magha", 5, 10),
    "guru ravidas jayanti|guru ravidass jayanti|guru ravidas birthday": _hindu("magha", 15),
    "maha shivaratri|shivaratri": _hindu("magha", 29, 24),
    "saraswati jayanti|dayananda saraswati jayanti": _hindu("magha", 25),
    "holika dahan|chhoti holi|choti holi|kamudu pyre": _hindu("phalguna", 15, 18),
    "holi|dhulandi|phagwah": lambda year: _number(hindu(year, "phalguna", 15, 18) + 1),
    "guru gobind singh jayanti|guru govind singh jayanti|guru gobind singh birthday": _hindu("pausha", 7),
    "bogi pandigai|boghi": _fixed(1, 13),
    "pongal|thai pongal|makara sankranthi|makar sankranti": _fixed(1, 14),
    "mattu pongal|maattu pongal": _fixed(1, 15),
    "kaanum pongal|kanni pongal": _fixed(1, 16),
    "lohri": _fixed(1, 13),
    "vaisakhi|baisakhi|vasakhi|vaishakhi": _fixed(4, 14),
    "rabindra jayanti|rabindranath jayanti": _fixed(5, 9),
    "parsi new year|jamshedi navroz": _fixed(8, 16),
    "gandhi jayanti": _fixed(10, 2),
    "nowruz|persian new year": _fixed(3, 20),
}
AMBIGUOUS: Final = frozenset(
    ("lent", "boss", "bosss", "flag day", "advent sunday", "mawlid", "new year", "new years", "holi", "valentines", "pi day")
)
"""Holidays only where more than their name says so."""

_BY_NAME: Final = {name: rule for names, rule in _RULES.items() for name in names.split("|")}
MOST_WORDS: Final = max(len(name.split()) for name in _BY_NAME)
FIRST_WORDS: Final = frozenset(name.split()[0] for name in _BY_NAME)


def plain(word: str) -> str:
    """A word as the names of feasts are written: without apostrophes, weekdays in full."""
    bare = re.sub("'", "", word)
    return {"mon": "monday", "thu": "thursday", "fri": "friday", "sun": "sunday"}.get(bare, bare)


def holiday(name: str) -> Recurring | None:
    """The feast of that plain name."""
    rule = _BY_NAME.get(name)
    return None if rule is None else Recurring("year", lambda start: rule(start.year), "holiday")
