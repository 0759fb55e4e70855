"""Which of the fourteen categories a statement is of: cues, each with a weight, and the category with the most."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from illumina.types import Category


def _cues(*pairs: tuple[float, str]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, re.compile(pattern)) for weight, pattern in pairs)


_ME: Final = r"(?:^|\b)(?:i|i['’]m|i['’]ve|my|me)\b"
_PART: Final = (
    r"(?:service|services|api|gateway|worker|database|db|queue|cache|cluster|table|topic|broker|bucket|schema|index|module"
    r"|library|sdk|client|server|"
    r"endpoint|replica|scheduler|frontend|backend|pipeline|job|jobs|exporter|collector|parser|proxy|engine|store|bus|flag"
    r"|flags|secrets|config|node|nodes)"
)
_KIN: Final = (
    r"(?:wife|husband|partner|daughter|son|kid|kids|child|children|baby|mother|father|mom|mum|dad|parents|sister|brother"
    r"|grandmother|grandma|grandfather|"
    r"grandpa|aunt|uncle|cousin|niece|nephew|girlfriend|boyfriend|fianc[eé]e?|dog|cat|puppy|kitten|pet|family)"
)

_RULES: Final[tuple[tuple[Category, tuple[tuple[float, re.Pattern[str]], ...]], ...]] = (
    (
        "decision",
        _cues(
            (
                2.7,
                (
                    r"\b(?:is|are|was|were) (?:raised|lowered|moved|cancelled|fixed|increased|reduced|switched"
                    r"|extended|postponed|abandoned|scrapped) (?:to|from|since|by|so|until)\b|\bbecomes (?:manager"
                    r"|lead|head|the)\b|\breturns? to the\b|\bapproves\b|\bgo(?:es)? through\b|\bgiven notice\b"
                    r"|\bmoves? to\b|\bstays until\b"
                ),
            ),
            (
                4,
                (
                    r"\b(?:decided|decides|decision|we agreed|agreed (?:to|on|that)|chose|chosen|opted|settled on"
                    r"|went with|going with|go with)\b"
                ),
            ),
            (
                3.5,
                (
                    r"\b(?:replaces|supersedes|superseded|obsoletes|no longer (?:support|use|ship|offer|need)"
                    r"|dropped support|deprecat\w+|is (?:hereby )?(?:accepted|approved|rejected))\b"
                ),
            ),
            (4.5, r"^(?:status|decision|decided|rejected|accepted|resolution|outcome)\s*:"),
            (
                2.5,
                (
                    r"\b(?:instead of|rather than|in favou?r of|stays (?:in|on|at|with)|remains? on|moves? (?:from"
                    r"|off|away)|moved (?:from|to)|migrate(?:d)? (?:from|to)|switch(?:ed|ing)? (?:to|from|back)"
                    r"|becomes its|is moved|adopt(?:ed|ing)?|approved|we(?:'ll| will) (?:use|move|keep|drop|stop"
                    r"|go|switch|run))\b"
                ),
            ),
            (
                1.5,
                (
                    r"\b(?:from now on|as of|going forward|gone for good|was (?:replaced|removed|cancelled"
                    r"|postponed)|is (?:gone|retired|replaced))\b"
                ),
            ),
        ),
    ),
    (
        "action_item",
        _cues(
            (
                5,
                (
                    r"^(?:todo|action|actions|action item|follow-?up|next steps?|next"
                    r"|ai)\b\s*(?:\([^)]*\))?\s*[:-]"
                ),
            ),
            (3.5, r"\b(?:please|pls|can you|could you)\s+\w+"),
            (
                3,
                (
                    r"\b(?:i['’]ll|i will|i am going to|i['’]m going to|we['’]ll|needs? to|have to|has to"
                    r"|will (?:write|send|rotate|update|fix|add|review|prepare|check|look|visit|call|schedule"
                    r"|present|draft|finish|deploy|test|talk|ask|follow|be done|create|migrate|move|take|own"
                    r"|contact|book|bring|organi[sz]e))\b"
                ),
            ),
            (
                2.5,
                (
                    r"\b(?:asked for|wants? (?:a|an|us|the)|requested|assigned to|assignee|owner:|due (?:by|on)"
                    r"|deadline|to do|by (?:monday|tuesday|wednesday|thursday|friday|tomorrow|eod|eow|the end of"
                    r"|\d))\b"
                ),
            ),
            (2, r"\b(?:planning to|plan to|plans to|intend to|going to)\b"),
            (
                2.5,
                (
                    r"^\w+ to (?:write|send|fix|add|review|prepare|check|look|update|draft|create|ask|call"
                    r"|follow)\b"
                ),
            ),
        ),
    ),
    (
        "key_insight",
        _cues(
            (
                2.3,
                (
                    r"\bhad (?:not )?(?:been|left|lost|never)\b|\bkept [\w ]{2,30} from \w+ing\b|\bthe (?:effect"
                    r"|consequence) (?:is|was)\b"
                ),
            ),
            (
                4.5,
                (
                    r"^(?:the )?(?:root cause|cause|lesson|lessons learned|lessons|takeaway|insight|learning"
                    r"|finding|conclusion|why)s?\b\s*(?:\([^)]*\))?\s*:"
                ),
            ),
            (
                4,
                (
                    r"\b(?:turn(?:s|ed) out|we (?:learn(?:ed|t)|realis?z?ed|found(?: out)?|discovered|noticed)"
                    r"|(?:i|team) (?:learn(?:ed|t)|realis?z?ed)|root cause|(?:the )?(?:real|actual|true"
                    r"|underlying) (?:problem|cause|reason|issue)|the (?:reason|cause|culprit|lesson"
                    r"|trigger) (?:is|was|being))\b"
                ),
            ),
            (
                2.2,
                (
                    r"\b(?:prevent(?:s|ed)|since then|that is why|which explains|explains why|would have (?:caught"
                    r"|prevented|saved)|boils down|the trick is|in hindsight|it follows|means that we)\b"
                ),
            ),
            (1.4, r"\b(?:because|caused by|due to)\b"),
        ),
    ),
    (
        "metric",
        _cues(
            (
                2.4,
                (
                    r"(?:\bcosts? (?:about |around )?(?:eur|usd|gbp|€|\$|\d)|\b\d+ of (?:the )?(?:last )?\d+"
                    r"|\bin total\b|\bin all\b|\bfound \d)"
                ),
            ),
            (1.6, r"(?:\b(?:eur|usd|gbp)|€|\$) ?\d"),
            (0.8, r"\d.*\D\d.*\D\d"),
            (
                2.5,
                (
                    r"\d[\d.,]*\s?(?:%|ms\b|percent|per cent|seconds?\b|minutes?\b|req/s|rps|qps|gb\b|tb\b|mb\b"
                    r"|million|billion|k\b|€|\$|euros?\b|eur\b|usd\b|dollars?\b|(?:requests|bookings|orders|users"
                    r"|messages|events|rows|tickets|calls|customers)\b)"
                ),
            ),
            (
                3,
                (
                    r"\b(?:p\d{2}|median|latency|throughput|error rate|churn|revenue|conversion rate|uptime"
                    r"|availability|usage|utili[sz]ation|hit rate|sign-?ups|backlog|mrr|arr|nps|coverage"
                    r"|memory use|disk use)\b"
                ),
            ),
            (
                2,
                (
                    r"\b(?:rose|fell|grew|dropped|increased|decreased|peaked|doubled|halved|went (?:up|down) (?:to"
                    r"|from|by)|down from|up from|averaged|lasted|measured|process(?:es)? about|\d\S* \w+ (?:per"
                    r"|a) (?:day|second|hour|minute|week|month))\b"
                ),
            ),
            (0.4, r"\b\d+(?:[.,]\d+)?\b"),
        ),
    ),
    (
        "issue",
        _cues(
            (
                2.6,
                (
                    r"\b(?:died|burst|could not|couldn['’]t|offline|(?:charged|taken|found|sent) twice"
                    r"|only \w+ (?:can|knows)|was zero|refused|ran out of|hangs?|hung|garbled|boxes instead)\b"
                ),
            ),
            (
                3.2,
                (
                    r"\b(?:fail(?:s|ed|ing|ure|ures)?|errors?|bugs?|broken?|breaks|broke|crash(?:es|ed|ing)?"
                    r"|outages?|incident|(?:is|was|were|are|went|goes|been|back) down\b(?! (?:to|from|by|with))"
                    r"|stuck|timeouts?|timed out|times out|leak(?:s|ed|ing)?|corrupt(?:ed|ion)?|regression"
                    r"|unreachable|unavailable|expired|flaky|deadlocks?|lost(?! (?:my|his|her|their|our|weight"
                    r"|touch))|missing|duplicate[sd]?|degraded|vulnerab\w+|wrong|blocked by|race condition|oom"
                    r"|rejected|misconfigured|exhausted|overloaded|stopped working|does(?:n['’]t| not) work"
                    r"|not working|can(?:not|['’]t) (?:log|connect|reach|open|load|start|print|see))\b"
                ),
            ),
            (
                1.8,
                (
                    r"\b(?:slow|late|delay(?:s|ed)?|problem|issue|red|alert|page[sd]?|complain(?:s|ed|t)?|affected"
                    r"|stale|drops|silenced|back up|green again|recovered|nobody (?:has|noticed)|never tested"
                    r"|no one)\b"
                ),
            ),
        ),
    ),
    (
        "convention",
        _cues(
            (
                3.5,
                (
                    r"\b(?:snake_case|camelcase|pascalcase|kebab-case|naming|convention|style guide"
                    r"|commit messages?|branch(?:es)? (?:names?|are named)|pull requests?|prs?\b.*(?:need|must)"
                    r"|code review|file names?|imperative|linter|formatter|semver|indent\w*|four spaces"
                    r"|prefix(?:ed)?|suffix(?:ed)?|force-?push|trunk)\b"
                ),
            ),
            (
                3,
                (
                    r"\b(?:all|every) (?:timestamps?|times|prices?|dates?|services?|modules?|functions?|tests?"
                    r"|logs?|weights|amounts|tickets?)\b|\b(?:tests?|files?|names?|columns?|types|flags|branches"
                    r"|variables) (?:files? )?(?:start|end|begin|live|go|are (?:named|called|written)|use)\b"
                ),
            ),
            (
                2.8,
                (
                    r"^(?:always|never (?!\w+ed\b|been|had|mind|thought|knew|seen|heard|felt)|do not|don['’]t"
                    r"|avoid|prefer|use|post|write|keep (?!up|going|it|making|those|in touch|me|on|at|your"
                    r"|the good|the great|them)|name|put)\b"
                ),
            ),
            (
                2,
                (
                    r"\b(?:we (?:always|never|use|write|name|call|keep|store all)|should (?:always|never|be)"
                    r"|must be (?:stored|written|named|in)|by convention|go(?:es)? to #|in utc|not to #)"
                ),
            ),
        ),
    ),
    (
        "business_rule",
        _cues(
            (
                3,
                (
                    r"\b(?:allows?|may|have|has|gets?|(?:is|are) paid|is on the)\b.{0,50}\d.{0,30}\b(?:an?"
                    r"|per) (?:minute|day|month|year|week|night|hour)\b"
                ),
            ),
            (
                2.6,
                (
                    r"\b(?:(?:are|is) welcome|vans? only|nothing is|^no [\w ]{3,30} (?:runs|is|are)|closes on"
                    r"|the freeze|days of leave|carried over|on any day|valid for|kept (?:for )?\d|passes \d"
                    r"|holds at most)\b"
                ),
            ),
            (
                3,
                (
                    r"\b(?:refunds?|invoices?|customers?|orders?|parcels?|shipments?|subscri\w+|plans?|contracts?"
                    r"|drivers?|passengers?|accounts?|partners?|payments?|pricing|tenants?|users|members?"
                    r"|employees|guests|visitors|surcharge|discount|approval|approvals|passwords?|backups?"
                    r"|retention|raw data|personal data)\b.{0,80}\b(?:may|must|need|needs|require[sd]?"
                    r"|are (?:charged|sent|kept|deleted|billed|limited|refunded|closed)|is (?:charged|sent|kept"
                    r"|deleted|limited)|ship|counts? as|expires?|cannot|at most|at least|up to|within)\b"
                ),
            ),
            (
                3,
                (
                    r"\b(?:at most|at least|up to \d|no more than|within \d+|not allowed|is allowed|are allowed"
                    r"|may only|may not|only if|eligible|entitled|mandatory|requires? (?:a|an|the|two|approval)"
                    r"|must (?:be approved|pay|sign|have an?)|is prohibited|policy|until further notice)\b"
                ),
            ),
            (
                2.5,
                (
                    r"\b(?:closes at|opens at|is (?:open|closed|staffed)|are (?:frozen|closed|open)|(?:frozen"
                    r"|closed) from|kept for|deleted after|office hours|working day|acceptable|same day)\b"
                ),
            ),
            (
                1,
                (
                    r"\bmust(?! (?:be (?:so|very|tough|hard|nice|great|amazing|such|awesome|really)|have|feel|say"
                    r"|admit))\b|\b(?:never|always|every|only)\b"
                ),
            ),
        ),
    ),
    (
        "workflow",
        _cues(
            (
                2.6,
                (
                    r"\b(?:once|twice|\w+ times) an? (?:week|day|month)\b|\bon call\b|\bheld (?:every|on|daily)\b"
                    r"|\bevery (?:day|week|morning|monday) at\b|\btakes the pager\b|\bdeploys? by itself\b"
                    r"|\bon (?:mon|tues|wednes|thurs|fri)days\b"
                ),
            ),
            (
                4,
                (
                    r"^(?:to \w+(?:[\w ]{0,30})?,|first\b.*\bthen\b|before (?:you |each |every |the |any |merging"
                    r"|deploying)|after (?:you |each |every |merging|deploying)|when(?:ever)? .{3,60}, (?:run|open"
                    r"|check|call|restart|use|tell|ask)|step \d|then\b|next,|finally,|(?:run|click|open|restart"
                    r"|drain|contact|write to|call|check(?! out| it out))\b)"
                ),
            ),
            (
                2.5,
                (
                    r"\b(?:then (?:run|press|merge|stop|reboot|wait|deploy|click|open|restart)|run `|the (?:steps"
                    r"|procedure|process|runbook|checklist)|hand(?:ing)? over|on-?call (?:takes|rotates|starts)"
                    r"|goes through|is (?:promoted|deployed|released|reviewed) (?:by|after|every|once)"
                    r"|if .{3,50}, (?:run|open|check|restart|call))\b"
                ),
            ),
            (
                1.2,
                (
                    r"\b(?:rotation|deploy(?:ment)?s?|release(?:s|d)?|merge[sd]?|rollback|weekly|daily"
                    r"|monday to)\b"
                ),
            ),
        ),
    ),
    (
        "architecture",
        _cues(
            (2, r"\b[a-z]+_[a-z_]+\b|\bsvc-\w+|\bx-[a-z]+-[a-z]+"),
            (
                1.2,
                (
                    r"\b(?:timeout|headers?|webhooks?|replicas?|pods?|flags?|logging|base image|manifest|slots?"
                    r"|makefile|container)\b"
                ),
            ),
            (
                3,
                (
                    r"\b(?:depends on|relies on|reads? from|writes? to|talks to|runs? on|is (?:written|deployed"
                    r"|built|hosted|stored|kept|cached) (?:in|on|with|by)|consists of|stores?"
                    r"|is a (?:read )?replica|connects to|sits (?:behind|in front)|publishes|subscribes|consumes"
                    r"|replicates|indexes|validates|renders|samples|compresses|caches|exposes|listens on|routes"
                    r"|proxies|retr(?:y|ies)|kept in|keeps its|lives? in|live in|owns|maintains|over (?:https?"
                    r"|grpc|tcp))\b"
                ),
            ),
            (
                1.6,
                (
                    rf"\b(?:the|a|our|each|every|this) (?:[\w-]+ )?{_PART}\b|\b[a-z]+-(?:service|api|gw|proxy"
                    rf"|worker|db)\b|\bsvc-\w+"
                ),
            ),
            (
                1,
                (
                    r"\b(?:microservice|monolith|postgres\w*|kafka|redis|kubernetes|schema|primary|standby|replica"
                    r"|protocol|idempoten\w+|async\w*|event bus|data ?base|architecture|component)\b"
                ),
            ),
        ),
    ),
    (
        "preference",
        _cues(
            (2.6, r"\bwants? (?:no|to know|only)\b"),
            (
                4.5,
                (
                    rf"{_ME}.{{0,30}}\b(?:prefers?|(?:really |absolutely |do |just )?(?:like|love|enjoy|hate"
                    rf"|dislike|adore|detest)|favou?rites?|can['’]t stand|rather|fond of|big fan|am a fan"
                    rf"|don['’]t (?:like|mind|care for))\b"
                ),
            ),
            (
                3.5,
                (
                    r"\b(?:prefers|loves|hates|likes|dislikes|enjoys|favou?rite|can['’]t stand|would rather"
                    r"|is (?:not )?a fan of|wants to be called|answer to|no fan of|not fond of)\b"
                ),
            ),
        ),
    ),
    (
        "opinion",
        _cues(
            (
                3.6,
                (
                    r"\bis (?:a bit |very |quite )?(?:angry|unhappy|happy|sad|proud|worried|annoyed|sceptical"
                    r"|skeptical)\b|\b(?:are|were) unhappy\b|\b(?:thinks|finds|feels|believes|doubts) that\b"
                    r"|\bwould have (?:used|preferred|chosen)\b"
                ),
            ),
            (
                3.8,
                (
                    r"\b(?:i (?:think|believe|feel|find|reckon|suppose|doubt|agree|disagree)|in my (?:opinion|view"
                    r"|experience)|imo|imho|personally|if you ask me|to be honest|tbh|honestly|frankly|i['’]d say"
                    r"|thinks? (?:that|it|the)|believes)\b"
                ),
            ),
            (
                2,
                (
                    r"\b(?:overrated|underrated|terrible|awful|great|best|worst|waste of time|ugly|beautiful"
                    r"|elegant|boring|fun|exhausting|annoying|brilliant|amazing|too (?:complex|complicated|slow"
                    r"|expensive|many|much)|worth it|easier|harder|should (?:have|stop|not|really))\b"
                ),
            ),
        ),
    ),
    (
        "personal",
        _cues(
            (
                3.2,
                (
                    r"\bis (?:the |an? |our )?(?:[\w-]+ ){0,2}(?:manager|warden|engineer|director|designer|chief"
                    r"|teacher|nurse|analyst|consultant|officer|assistant|doctor|lawyer|student|intern|founder"
                    r"|farmer|artist|musician)\b|\bis responsible for\b|\bjoins the\b"
                ),
            ),
            (
                3,
                (
                    r"\bhas an? (?:dog|cat|son|daughter|brother|sister|baby|horse)\b|\b(?:not related"
                    r"|is (?:\w+ )?cousin|twins?)\b"
                ),
            ),
            (
                4.2,
                (
                    r"\b(?:birthday|born|married|wedding|divorced|pregnan\w+|allerg\w+|diabet\w+|vegetarian|vegan"
                    r"|anniversary|engaged|(?:i|we|he|she|they|i['’]ve) (?:(?:still|now|has|have) )?live[sd]? in"
                    r"|grew up|moved to|nationality|adopted|diagnosed|medication|parental leave|maternity|sick"
                    r"|vacation|on holiday|phd|degree|studied|graduated)\b"
                ),
            ),
            (3.4, rf"\b(?:my|his|her|their|\w+['’]s) (?:\w+ )?{_KIN}\b"),
            (
                3,
                (
                    r"\b(?:works (?:at|for)|work (?:at|for)|joined \w+|is (?:the |our |a |an )?(?:new )?(?:cto|ceo"
                    r"|cfo|coo|head of|manager|engineer|designer|teacher|nurse|lead|founder|intern|dba)"
                    r"|became (?:head|the|a|an|cto|ceo)|reports to|manages|leads|took over|years old|answers to"
                    r"|is called|nickname|starts (?:as|school)|speaks|flight|train to|deputises|is on (?:vacation"
                    r"|leave|holiday|sick))\b"
                ),
            ),
        ),
    ),
    (
        "experience",
        _cues(
            (
                3.6,
                (
                    r"\b(?:i|we)\b.{0,24}\b(?:went|visited|ran|travel(?:l)?ed|hiked|saw|watched|attended|met"
                    r"|finished|tried|cooked|baked|painted|played|had (?:a|an|dinner|lunch|breakfast|fun|so)|took"
                    r"|spent|enjoyed|stayed|slept|bought|won|made|camped|swam|climbed|celebrated|volunteered"
                    r"|started|joined|signed|got|gave|read|learned to)\b"
                ),
            ),
            (
                2.5,
                (
                    r"\b(?:trip|camping|hiking|concert|festival|museum|marathon|race|road ?trip|holiday|party"
                    r"|dinner|weekend|beach|mountains|joined the call|was raining|broke down|ceremony|class"
                    r"|workshop|pottery|parade)\b"
                ),
            ),
            (
                1.2,
                (
                    r"\b(?:yesterday|last (?:week|weekend|night|month|year|summer|winter|spring|fall|autumn"
                    r"|\w+day)|ago)\b"
                ),
            ),
        ),
    ),
    (
        "domain_knowledge",
        _cues(
            (
                3.2,
                (
                    r"^(?:an?|the term) [\w -]{2,40}? (?:is|are|means|refers to|lets|denotes|describes"
                    r"|stands for)\b"
                ),
            ),
            (
                2.6,
                (
                    r"\b(?:means that|is defined as|refers to|stands for|is a (?:kind|type|list|set|form|way"
                    r"|measure|document|number)|is called|by law|known as|in other words|for example"
                    r"|is an? account)\b"
                ),
            ),
            (1, r"\b(?:is an?|are the|consists of|in general|usually|typically|generally)\b"),
        ),
    ),
)
"""In the order in which equal sums are decided."""

_SECTIONS: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("action_item", re.compile(r"action|follow-?up|next steps|to-?do", re.IGNORECASE)),
    ("decision", re.compile(r"decision|resolution|outcome|status", re.IGNORECASE)),
    ("key_insight", re.compile(r"root cause|lesson|rationale|why|motivation|insight|conclusion|consequence", re.IGNORECASE)),
    ("workflow", re.compile(r"how to|runbook|procedure|steps|process|checklist|installation|getting started", re.IGNORECASE)),
    ("architecture", re.compile(r"architecture|design|component|implementation|specification|data model|api\b", re.IGNORECASE)),
    ("convention", re.compile(r"convention|style|naming|guideline", re.IGNORECASE)),
    ("metric", re.compile(r"metric|result|benchmark|measurement|kpi|figures", re.IGNORECASE)),
    ("issue", re.compile(r"problem|issue|impact|incident|known bugs|limitation", re.IGNORECASE)),
    ("business_rule", re.compile(r"policy|rules|terms|requirements", re.IGNORECASE)),
)
_LEAST: Final = 1.4
_TALK: Final = 0.75
"""Work's share where somebody talks and names nothing of work."""
_LIFE: Final = frozenset(("preference", "opinion", "personal", "experience", "action_item", "domain_knowledge"))
_PRIVATE: Final = frozenset(("preference", "opinion", "experience"))
_SECTION_WEIGHT: Final = 1.8
_CAUSE_WEIGHT: Final = 2.0
_SELF: Final = re.compile(rf"{_ME}|\b(?:we|our|us)\b")
_NAMED: Final = re.compile(r"\b[A-ZÀ-Þ]\w+ (?=(?:still |now |has )?live)(\w)")
MAX_READ: Final = 600
"""Characters of a statement by which it is judged."""


def category(statement: str, section: str | None, *, spoken: bool, technical: bool, task: bool, cause: bool) -> Category:
    """The category of a statement.

    Args:
        statement: As the text words it, pronouns included.
        section: The headings above it.
        spoken: Whether a known speaker says it.
        technical: Whether it names a service, a product, a ticket or the like.
        task: Whether it is an item that is still to be ticked off.
        cause: Whether it is given as the cause of something else.
    """
    if task:
        return "action_item"
    text = _NAMED.sub(r"he \1", statement[:MAX_READ]).lower()
    heading = section.rsplit(" > ", 1)[-1] if section else ""
    best: Category | None = None
    most = 0.0
    for name, cues in _RULES:
        score = sum(weight for weight, pattern in cues if pattern.search(text))
        if heading and any(name == about and pattern.search(heading) for about, pattern in _SECTIONS):
            score += _SECTION_WEIGHT
        if cause and name == "key_insight" and not (spoken and _SELF.search(text)):
            score += _CAUSE_WEIGHT
        if spoken and not technical and name not in _LIFE:
            score *= _TALK
        if not spoken and name in _PRIVATE and not _SELF.search(text):
            score *= _TALK
        if score > most:
            best, most = name, score
    if best is None or most < _LEAST:
        if not spoken:
            return "architecture" if technical else "domain_knowledge"
        return "experience" if _SELF.search(text) else "opinion" if text.endswith("!") else "domain_knowledge"
    return best
