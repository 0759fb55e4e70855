"""The words by which categories are told, each with its weight."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from illumina.types import Category

_SHARED: Final = {
    "<ME>": (r"(?:^|\b)(?:i|i['’]m|i['’]ve|my|me)\b"),
    "<PART>": (
        r"(?:service|services|api|gateway|worker|database|db|queue|cache|cluster|table|topic|broker|bucket"
        r"|schema|index|module|library|sdk|client|server|endpoint|replica|scheduler|frontend|backend|pipeline"
        r"|job|jobs|exporter|collector|parser|proxy|engine|store|bus|flag|flags|secrets|config|node|nodes)"
    ),
    "<KIN>": (
        r"(?:wife|husband|partner|daughter|son|kid|kids|child|children|baby|mother|father|mom|mum|dad|parents"
        r"|sister|brother|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|girlfriend"
        r"|boyfriend|fianc[eé]e?|dog|cat|puppy|kitten|pet|family)"
    ),
}
"""What several cues share."""

_CUES: Final = r"""
decision
  2.7 \b(?:is|are|was|were) (?:raised|lowered|moved|cancelled|fixed|increased|reduced|switched
      |extended|postponed|abandoned|scrapped) (?:to|from|since|by|so|until)\b|\bbecomes (?:manager
      |lead|head|the)\b|\breturns? to the\b|\bapproves\b|\bgo(?:es)? through\b|\bgiven notice\b
      |\bmoves? to\b|\bstays until\b
  4 \b(?:decided|decides|decision|we agreed|agreed (?:to|on|that)|chose|chosen|opted|settled on
      |went with|going with|go with)\b
  3.5 \b(?:replaces|supersedes|superseded|obsoletes|no longer (?:support|use|ship|offer|need)
      |dropped support|deprecat\w+|is (?:hereby )?(?:accepted|approved|rejected))\b
  4.5 ^(?:status|decision|decided|rejected|accepted|resolution|outcome)\s*:
  2.5 \b(?:instead of|rather than|in favou?r of|stays (?:in|on|at|with)|remains? on|moves? (?:from
      |off|away)|moved (?:from|to)|migrate(?:d)? (?:from|to)|switch(?:ed|ing)? (?:to|from|back)
      |becomes its|is moved|adopt(?:ed|ing)?|approved|we(?:'ll| will) (?:use|move|keep|drop|stop|go
      |switch|run))\b
  1.5 \b(?:from now on|as of|going forward|gone for good|was (?:replaced|removed|cancelled
      |postponed)|is (?:gone|retired|replaced))\b
action_item
  5 ^(?:todo|action|actions|action item|follow-?up|next steps?|next|ai)\b\s*(?:\([^)]*\))?\s*[:-]
  3.5 \b(?:please|pls|can you|could you)\s+\w+
  3 \b(?:i['’]ll|i will|i am going to|i['’]m going to|we['’]ll|needs? to|have to|has to
      |will (?:write|send|rotate|update|fix|add|review|prepare|check|look|visit|call|schedule
      |present|draft|finish|deploy|test|talk|ask|follow|be done|create|migrate|move|take|own|contact
      |book|bring|organi[sz]e))\b
  2.5 \b(?:asked for|wants? (?:a|an|us|the)|requested|assigned to|assignee|owner:|due (?:by|on)
      |deadline|to do|by (?:monday|tuesday|wednesday|thursday|friday|tomorrow|eod|eow|the end of
      |\d))\b
  2 \b(?:planning to|plan to|plans to|intend to|going to)\b
  2.5 ^\w+ to (?:write|send|fix|add|review|prepare|check|look|update|draft|create|ask|call|follow)\b
key_insight
  2.3 \bhad (?:not )?(?:been|left|lost|never)\b|\bkept [\w ]{2,30} from \w+ing\b|\bthe (?:effect
      |consequence) (?:is|was)\b
  4.5 ^(?:the )?(?:root cause|cause|lesson|lessons? learned|lessons|takeaway|insight|learning
      |finding|conclusion|why)s?\b\s*(?:\([^)]*\))?\s*:
  4 \b(?:turn(?:s|ed) out|we (?:learn(?:ed|t)|realis?z?ed|found(?: out)?|discovered|noticed)|(?:i
      |team) (?:learn(?:ed|t)|realis?z?ed)|root cause|(?:the )?(?:real|actual|true
      |underlying) (?:problem|cause|reason|issue)|the (?:reason|cause|culprit|lesson|trigger) (?:is
      |was|being))\b
  2.2 \b(?:prevent(?:s|ed)|since then|that is why|which explains|explains why|would have (?:caught
      |prevented|saved)|boils down|the trick is|in hindsight|it follows|means that we)\b
  1.4 \b(?:because|caused by|due to)\b
metric
  2.4 (?:\bcosts? (?:about |around )?(?:eur|usd|gbp|€|\$|\d)|\b\d+ of (?:the )?(?:last )?\d+
      |\bin total\b|\bin all\b|\bfound \d)
  1.6 (?:\b(?:eur|usd|gbp)|€|\$) ?\d
  0.8 \d.*\D\d.*\D\d
  2.5 \d[\d.,]*\s?(?:%|ms\b|percent|per cent|seconds?\b|minutes?\b|req/s|rps|qps|gb\b|tb\b|mb\b
      |million|billion|k\b|€|\$|euros?\b|eur\b|usd\b|dollars?\b|(?:requests|bookings|orders|users
      |messages|events|rows|tickets|calls|customers)\b)
  3 \b(?:p\d{2}|median|latency|throughput|error rate|churn|revenue|conversion rate|uptime
      |availability|usage|utili[sz]ation|hit rate|sign-?ups|backlog|mrr|arr|nps|coverage|memory use
      |disk use)\b
  2 \b(?:rose|fell|grew|dropped|increased|decreased|peaked|doubled|halved|went (?:up|down) (?:to
      |from|by)|down from|up from|averaged|lasted|measured|process(?:es)? about|\d\S* \w+ (?:per
      |a) (?:day|second|hour|minute|week|month))\b
  0.4 \b\d+(?:[.,]\d+)?\b
issue
  2.6 \b(?:died|burst|could not|couldn['’]t|offline|(?:charged|taken|found|sent) twice
      |only \w+ (?:can|knows)|was zero|refused|ran out of|hangs?|hung|garbled|boxes instead)\b
  3.2 \b(?:fail(?:s|ed|ing|ure|ures)?|errors?|bugs?|broken?|breaks|broke|crash(?:es|ed|ing)?
      |outages?|incident|(?:is|was|were|are|went|goes|been|back) down\b(?! (?:to|from|by|with))
      |stuck|timeouts?|timed out|times out|leak(?:s|ed|ing)?|corrupt(?:ed|ion)?|regression
      |unreachable|unavailable|expired|flaky|deadlocks?|lost(?! (?:my|his|her|their|our|weight
      |touch))|missing|duplicate[sd]?|degraded|vulnerab\w+|wrong|blocked by|race condition|oom
      |rejected|misconfigured|exhausted|overloaded|stopped working|does(?:n['’]t| not) work
      |not working|can(?:not|['’]t) (?:log|connect|reach|open|load|start|print|see))\b
  1.8 \b(?:slow|late|delay(?:s|ed)?|problem|issue|red|alert|page[sd]?|complain(?:s|ed|t)?|affected
      |stale|drops|silenced|back up|green again|recovered|nobody (?:has|noticed)|never tested
      |no one)\b
convention
  3 \b(?:rule of thumb|best practices?|guidelines?)\b
  3.5 \b(?:snake_case|camelcase|pascalcase|kebab-case|naming|convention|style guide|commit messages?
      |branch(?:es)? (?:names?|are named)|pull requests?|prs?\b.*(?:need|must)|code review
      |file names?|imperative|linter|formatter|semver|indent\w*|four spaces|prefix(?:ed)?
      |suffix(?:ed)?|force-?push|trunk)\b
  3 \b(?:all|every) (?:timestamps?|times|prices?|dates?|services?|modules?|functions?|tests?|logs?
      |weights|amounts|tickets?)\b|\b(?:tests?|files?|names?|columns?|types|flags|branches
      |variables) (?:files? )?(?:start|end|begin|live|go|are (?:named|called|written)|use)\b
  2.8 ^(?:always|never (?!\w+ed\b|been|had|mind|thought|knew|seen|heard|felt)|do not|don['’]t|avoid
      |prefer|use|post|write|keep (?!up|going|it|making|those|in touch|me|on|at|your|the good
      |the great|them)|name|put)\b
  2 \b(?:we (?:always|never|use|write|name|call|keep|store all)|should (?:always|never|be)
      |must be (?:stored|written|named|in)|by convention|go(?:es)? to #|in utc|not to #)
business_rule
  2.5 \b(?:free shipping|free of charge|for free)\b
  3 \b(?:cannot|can['’]t|must not|may not) (?:be )?(?:store|keep|share|contact|contacted|stored|kept
      |shared|sold|sell)\b
  3 \b(?:allows?|may|have|has|gets?|(?:is|are) paid|is on the)\b.{0,50}\d.{0,30}\b(?:an?
      |per) (?:minute|day|month|year|week|night|hour)\b
  2.6 \b(?:(?:are|is) welcome|vans? only|nothing is|^no [\w ]{3,30} (?:runs|is|are)|closes on
      |the freeze|days of leave|carried over|on any day|valid for|kept (?:for )?\d|passes \d
      |holds at most)\b
  3 \b(?:refunds?|invoices?|customers?|orders?|parcels?|shipments?|subscri\w+|plans?|contracts?
      |drivers?|passengers?|accounts?|partners?|payments?|pricing|tenants?|users|members?|employees
      |guests|visitors|surcharge|discount|approval|approvals|passwords?|backups?|retention|raw data
      |personal data)\b.{0,80}\b(?:may|must|need|needs|require[sd]?|are (?:charged|sent|kept|deleted
      |billed|limited|refunded|closed)|is (?:charged|sent|kept|deleted|limited)|ship|counts? as
      |expires?|cannot|at most|at least|up to|within)\b
  3 \b(?:at most|at least|up to \d|no more than|within \d+|not allowed|is allowed|are allowed
      |may only|may not|only if|eligible|entitled|mandatory|requires? (?:a|an|the|two|approval)
      |must (?:be approved|pay|sign|have an?)|is prohibited|policy|until further notice)\b
  2.5 \b(?:closes at|opens at|is (?:open|closed|staffed)|are (?:frozen|closed|open)|(?:frozen
      |closed) from|kept for|deleted after|office hours|working day|acceptable|same day)\b
  1 \bmust(?! (?:be (?:so|very|tough|hard|nice|great|amazing|such|awesome|really)|have|feel|say
      |admit))\b|\b(?:never|always|every|only)\b
workflow
  3.8 ^if .{3,60}, (?:then )?(?:run|open|check|restart|call|page|ping|tell|ask|use|write|contact
      |escalate|roll|stop)\b
  2.6 \b(?:once|twice|\w+ times) an? (?:week|day|month)\b|\bon call\b|\bheld (?:every|on|daily)\b
      |\bevery (?:day|week|morning|monday) at\b|\btakes the pager\b|\bdeploys? by itself\b
      |\bon (?:mon|tues|wednes|thurs|fri)days\b
  4 ^(?:to \w+(?:[\w ]{0,30})?,|first\b.*\bthen\b|before (?:you |each |every |the |any |merging
      |deploying)|after (?:you |each |every |merging|deploying)|when(?:ever)? .{3,60}, (?:run|open
      |check|call|restart|use|tell|ask)|step \d|then\b|next,|finally,|(?:run|click|open|restart
      |drain|contact|write to|call|check(?! out| it out))\b)
  2.5 \b(?:then (?:run|press|merge|stop|reboot|wait|deploy|click|open|restart)|run `|the (?:steps
      |procedure|process|runbook|checklist)|hand(?:ing)? over|on-?call (?:takes|rotates|starts)
      |goes through|is (?:promoted|deployed|released|reviewed) (?:by|after|every|once)
      |if .{3,50}, (?:run|open|check|restart|call))\b
  1.2 \b(?:rotation|deploy(?:ment)?s?|release(?:s|d)?|merge[sd]?|rollback|weekly|daily|monday to)\b
architecture
  3.5 \b(?:ttl|timeout|pool size|tokens?|sessions?) (?:is|are|lives?|expires?)\b
  2 \b[a-z]+_[a-z_]+\b|\bsvc-\w+|\bx-[a-z]+-[a-z]+
  1.2 \b(?:timeout|headers?|webhooks?|replicas?|pods?|flags?|logging|base image|manifest|slots?
      |makefile|container)\b
  3 \b(?:depends on|relies on|reads? from|writes? to|talks to|runs? on|is (?:written|deployed|built
      |hosted|stored|kept|cached) (?:in|on|with|by)|consists of|stores?|is a (?:read )?replica
      |connects to|sits (?:behind|in front)|publishes|subscribes|consumes|replicates|indexes
      |validates|renders|samples|compresses|caches|exposes|listens on|routes|proxies|retr(?:y|ies)
      |kept in|keeps its|lives? in|live in|owns|maintains|over (?:https?|grpc|tcp))\b
  1.6 \b(?:the|a|our|each|every|this) (?:[\w-]+ )?<PART>\b|\b[a-z]+-(?:service|api|gw|proxy|worker
      |db)\b|\bsvc-\w+
  1 \b(?:microservice|monolith|postgres\w*|kafka|redis|kubernetes|schema|primary|standby|replica
      |protocol|idempoten\w+|async\w*|event bus|data ?base|architecture|component)\b
preference
  2.6 \bwants? (?:no|to know|only)\b
  4.5 <ME>.{0,30}\b(?:prefers?|(?:really |absolutely |do |just )?(?:like|love|enjoy|hate|dislike
      |adore|detest)|favou?rites?|can['’]t stand|rather|fond of|big fan|am a fan|don['’]t (?:like
      |mind|care for))\b
  3.5 \b(?:prefers|loves|hates|likes|dislikes|enjoys|favou?rite|can['’]t stand|would rather
      |is (?:not )?a fan of|wants to be called|answer to|no fan of|not fond of)\b
opinion
  3.6 \bis (?:a bit |very |quite )?(?:angry|unhappy|happy|sad|proud|worried|annoyed|sceptical
      |skeptical)\b|\b(?:are|were) unhappy\b|\b(?:thinks|finds|feels|believes|doubts) that\b
      |\bwould have (?:used|preferred|chosen)\b
  3.8 \b(?:i (?:think|believe|feel|find|reckon|suppose|doubt|agree|disagree)|in my (?:opinion|view
      |experience)|imo|imho|personally|if you ask me|to be honest|tbh|honestly|frankly|i['’]d say
      |thinks? (?:that|it|the)|believes)\b
  2 \b(?:overrated|underrated|terrible|awful|great|best|worst|waste of time|ugly|beautiful|elegant
      |boring|fun|exhausting|annoying|brilliant|amazing|too (?:complex|complicated|slow|expensive
      |many|much)|worth it|easier|harder|should (?:have|stop|not|really))\b
personal
  3.2 \bis (?:the |an? |our )?(?:[\w-]+ ){0,2}(?:manager|warden|engineer|director|designer|chief
      |teacher|nurse|analyst|consultant|officer|assistant|doctor|lawyer|student|intern|founder
      |farmer|artist|musician)\b|\bis responsible for\b|\bjoins the\b
  3 \bhas an? (?:dog|cat|son|daughter|brother|sister|baby|horse)\b|\b(?:not related
      |is (?:\w+ )?cousin|twins?)\b
  4.2 \b(?:birthday|born|married|wedding|divorced|pregnan\w+|allerg\w+|diabet\w+|vegetarian|vegan
      |anniversary|engaged|(?:i|we|he|she|they|i['’]ve) (?:(?:still|now|has|have) )?live[sd]? in
      |grew up|moved to|nationality|adopted|diagnosed|medication|parental leave|maternity|sick
      |vacation|on holiday|phd|degree|studied|graduated)\b
  3.4 \b(?:my|his|her|their|\w+['’]s) (?:\w+ )?<KIN>\b
  3 \b(?:works (?:at|for)|work (?:at|for)|joined \w+|is (?:the |our |a |an )?(?:new )?(?:cto|ceo|cfo
      |coo|head of|manager|engineer|designer|teacher|nurse|lead|founder|intern|dba)|became (?:head
      |the|a|an|cto|ceo)|reports to|manages|leads|took over|years old|answers to|is called|nickname
      |starts (?:as|school)|speaks|flight|train to|deputises|is on (?:vacation|leave|holiday
      |sick))\b
experience
  3.6 \b(?:i|we)\b.{0,24}\b(?:went|visited|ran|travel(?:l)?ed|hiked|saw|watched|attended|met
      |finished|tried|cooked|baked|painted|played|had (?:a|an|dinner|lunch|breakfast|fun|so)|took
      |spent|enjoyed|stayed|slept|bought|won|made|camped|swam|climbed|celebrated|volunteered|started
      |joined|signed|got|gave|read|learned to)\b
  2.5 \b(?:trip|camping|hiking|concert|festival|museum|marathon|race|road ?trip|holiday|party|dinner
      |weekend|beach|mountains|joined the call|was raining|broke down|ceremony|class|workshop
      |pottery|parade)\b
  1.2 \b(?:yesterday|last (?:week|weekend|night|month|year|summer|winter|spring|fall|autumn|\w+day)
      |ago)\b
domain_knowledge
  3.2 ^(?:an?|the term) [\w -]{2,40}? (?:is|are|means|refers to|lets|denotes|describes|stands for)\b
  2.6 \b(?:means that|is defined as|refers to|stands for|is a (?:kind|type|list|set|form|way|measure
      |document|number)|is called|by law|known as|in other words|for example|is an? account)\b
  1 \b(?:is an?|are the|consists of|in general|usually|typically|generally)\b
"""
"""A category, and under it weights with what they are for, all in lower case; a line that is indented further goes on."""

_FURTHER: Final = " " * 6


def _read() -> tuple[tuple[Category, tuple[tuple[float, re.Pattern[str]], ...]], ...]:
    found: dict[str, list[list[str]]] = {}
    cues: list[list[str]] = []
    for line in _CUES.strip("\n").split("\n"):
        if not line.startswith(" "):
            cues = found.setdefault(line, [])
        elif line.startswith(_FURTHER):
            cues[-1][1] += line.removeprefix(_FURTHER)
        else:
            cues.append(line.lstrip().split(" ", 1))
    return tuple(
        (cast("Category", name), tuple((float(weight), _compiled(cue)) for weight, cue in pairs))
        for name, pairs in found.items()
    )


def _compiled(cue: str) -> re.Pattern[str]:
    for mark, words in _SHARED.items():
        cue = cue.replace(mark, words)
    return re.compile(cue)


RULES: Final = _read()
"""In the order in which equal sums are decided."""
