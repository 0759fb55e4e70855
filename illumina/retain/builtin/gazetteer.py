"""Small lists of names, written for this project from general knowledge; rules on shape and cues do most of the work."""

from __future__ import annotations

from typing import Final

from illumina.retain.words import words_of


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


def _names(text: str) -> frozenset[str]:
    return frozenset(_phrases(text))


GIVEN: Final = words_of(
    """aarav abdul abdullah adaeze adil aditya ahmad ahmed aisha akira akiko alejandra alessandro ali alina aliya alvaro amal
    amara amina amir amit ana anaya anders andrea andrei andreas angela anika anil anita anja ankit anna anne anouk
    antonio anya aoife aria arjun arturo asha astrid aya ayesha ayse beatriz bianca birgit bjorn bo bruno camila camille
    carla carlos carmen caro catarina cem chen chidi chiara chioma chloe clara claire claudia dagmar daiki damien dana
    daniela daria deepak deepika diego dimitri divya dmitri ebru eduardo efe eirik ekaterina elena eleni elias elif elin
    elsa emeka emil emilia emre enrique erik esra ewa fabio farah farid fatima federica felipe felix fernanda fernando
    fiona florian francesca freya gabriela gaurav giulia giovanni goran gretchen greta guillermo gustav gustavo hana hans
    hannah haruka harald hassan heidi heike helena helga hikaru hiroshi hugo hussein ibrahim ida ilse imani ines inga inge
    ingrid irina isabel isha ivan ivana jakob jamal jan jana jasmin jasmine javier jens jia jin johan johanna jonas jorge
    jose juan juana julia julio jun jurgen kai kamal karim karin karl katarina katya kavya keiko kemal kenji khadija
    khalid kiran klaus kofi kwame lars laszlo laura layla lea leila lena leon leonie leticia lina linh ling lior liv
    lorena lotte luca lucia luis luisa lukas luka luna magda magnus maja malik manuel marc marcela marcin marco marek
    maria mariam marie marina mario marisol marko marta mateo mateus matteo maya mei mehmet meera mila milan mina ming
    mira miriam mohammed mohamed muhammad monika moritz nadia nadine naoki naomi natalia natasha neha nia nicolas nikhil
    nikola nils nina nora noor nuno oksana ola olaf oleg olga oliwia olivia oluwaseun omar oscar pablo paolo patricia
    pavel pawel pedro pekka petra pilar pierre piotr pooja prakash preeti priya qing rachid rafael rahul raj rajesh ramon
    raquel rashid ravi renata riccardo rohan rosa rune ruben sabine saeed salma samir samira sanjay sana santiago sara
    sasha satoshi sergei sergio seun shreya silvia simone sofia sofie sonja soren stefan stefania stella sunil suresh
    svetlana sven svenja takashi tamara tanvi tara tariq tatiana teresa thandi thiago tilda tomas tomasz tuan ulrike umar
    ursula valentina vanessa vera veronika viktor vikram vladimir wei willem wojciech xavier xiao yael yan yara yasmin
    yasmine ying yoko youssef yuki yuko yuri yusuf yvonne zahra zainab zara zeynep zoe zofia caroline gina jolene tim
    calvin dave evan nate audrey melanie deborah joanna james john maria joan jean angela andrew michael sam ryan kyle
    tyler jordan dylan brandon jason justin kevin brian scott eric mark paul peter george frank karen susan linda nancy
    lisa emily emma mia ava noah liam ethan lucas mason logan aiden owen wyatt"""
)
"""Given names beside those that `illumina.retain.entities.nicknames` knows."""
WORDS_TOO: Final = words_of(
    """will mark may rich art bill pat sandy gene rob max grant jack ray drew rose grace hope faith joy dawn june april
    august summer autumn ivy daisy lily violet amber ruby pearl jade olive ginger honey sunny chase cash chance hunter
    mason carter cooper tanner parker miles rusty dusty sky star storm rain river reed heath cliff dale glen brook lane
    rock stone frank ernest earnest victor christian dean duke earl prince king page trace bob rod jet jay robin martin
    drake finch peg penny dolly holly hazel iris fern laurel myrtle heather basil sage forest wood woody clay ash rowan
    jan sue wade skip tip tuck nick dick don josh guy al an any ana ali mo so in jo do van ben sun ever case ty long bo
    lee sara chip chuck buck bud dot dell jasper ada ruby julia scala jenkins travis clifford jean bud tab ad em lou vi di
    ed norm hank stew sly flo fran wat win wyn ike rye tam tim ted tod abe sid ned mat matt kit tony major leo lex ari liv
    bess belle"""
)
"""Of those, names that are ordinary words or something else as often: they need a surname or a person's verb beside them."""

PLACES: Final = _names(
    """afghanistan, albania, algeria, argentina, armenia, australia, austria, azerbaijan, bahrain, bangladesh, belarus,
    belgium, bolivia, bosnia, botswana, brazil, bulgaria, cambodia, cameroon, canada, chile, china, colombia, costa rica,
    croatia, cuba, cyprus, czechia, czech republic, denmark, dominican republic, ecuador, egypt, el salvador, england,
    estonia, ethiopia, fiji, finland, france, georgia, germany, ghana, greece, greenland, guatemala, haiti, honduras, hong
    kong, hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy, jamaica, japan, jordan, kazakhstan,
    kenya, kuwait, latvia, lebanon, libya, liechtenstein, lithuania, luxembourg, malaysia, malta, mauritius, mexico,
    moldova, monaco, mongolia, montenegro, morocco, mozambique, myanmar, namibia, nepal, netherlands, the netherlands, new
    zealand, nicaragua, nigeria, north korea, north macedonia, norway, oman, pakistan, panama, paraguay, peru,
    philippines, poland, portugal, qatar, romania, russia, rwanda, saudi arabia, scotland, senegal, serbia, singapore,
    slovakia, slovenia, somalia, south africa, south korea, spain, sri lanka, sudan, sweden, switzerland, syria, taiwan,
    tanzania, thailand, tunisia, turkey, uganda, ukraine, united arab emirates, united kingdom, united states, uruguay,
    uzbekistan, venezuela, vietnam, wales, zambia, zimbabwe, uk, usa, u.s., u.k., eu, europe, asia, africa, north america,
    south america, latin america, middle east, scandinavia, iberia, balkans, caribbean, aarhus, abu dhabi, accra, addis
    ababa, adelaide, amsterdam, ankara, antwerp, athens, atlanta, auckland, austin, baltimore, bangalore, bengaluru,
    bangkok, barcelona, basel, beijing, beirut, belfast, belgrade, bergen, berlin, bern, bilbao, birmingham, bogota,
    bologna, bordeaux, boston, brasilia, bratislava, bremen, brighton, brisbane, bristol, brno, brussels, bucharest,
    budapest, buenos aires, cairo, calgary, cambridge, canberra, cape town, cardiff, casablanca, chennai, chicago,
    cologne, copenhagen, cordoba, cork, dallas, dakar, delhi, new delhi, denver, detroit, doha, dresden, dubai, dublin,
    durban, düsseldorf, edinburgh, eindhoven, espoo, essen, florence, frankfurt, fukuoka, gdansk, gdańsk, geneva, genoa,
    ghent, glasgow, gothenburg, graz, grenoble, guadalajara, hamburg, hanoi, hannover, heidelberg, helsinki, ho chi minh
    city, houston, hyderabad, innsbruck, istanbul, jakarta, jerusalem, johannesburg, karachi, kathmandu, kiel, kigali,
    kraków, krakow, kuala lumpur, kyiv, kyoto, lagos, lahore, las vegas, lausanne, leeds, leipzig, lille, lima, lisbon,
    lisboa, liverpool, ljubljana, london, los angeles, lucerne, lund, luxembourg city, lyon, madrid, malaga, malmö, malmo,
    manchester, manila, marrakesh, marseille, melbourne, mexico city, miami, milan, minneapolis, minsk, montevideo,
    montpellier, montreal, moscow, mumbai, munich, nagoya, nairobi, nantes, naples, nashville, new orleans, new york, new
    york city, nice, nicosia, nuremberg, oakland, odessa, orlando, osaka, oslo, ottawa, oxford, palermo, palo alto, paris,
    perth, philadelphia, phoenix, pisa, pittsburgh, porto, portland, poznań, poznan, prague, pune, quebec, quito,
    reykjavik, riga, rio de janeiro, riyadh, rome, rotterdam, sacramento, salvador, salzburg, san antonio, san diego, san
    francisco, san jose, santiago, são paulo, sao paulo, sapporo, sarajevo, seattle, seoul, seville, shanghai, sheffield,
    shenzhen, skopje, sofia, stockholm, strasbourg, stuttgart, sydney, taipei, tallinn, tampere, tbilisi, tehran, tel
    aviv, the hague, tokyo, toronto, toulouse, trieste, trondheim, tunis, turin, uppsala, utrecht, valencia, vancouver,
    venice, verona, vienna, vilnius, warsaw, washington, washington dc, wellington, winnipeg, wrocław, wroclaw, york,
    yokohama, zagreb, zurich, zürich, nyc, california, texas, florida, oregon, colorado, arizona, alaska, hawaii, bavaria,
    catalonia, tuscany, provence, normandy, ontario, alberta, british columbia, silicon valley, manhattan, brooklyn,
    queens, bronx, alps, rocky mountains, grand canyon, yellowstone, yosemite, mount fuji, kilimanjaro, sahara, amazon
    rainforest, baltic, mediterranean"""
)

ORGANISATIONS: Final = _names(
    """google, alphabet, microsoft, apple, meta, facebook, netflix, ibm, intel, amd, nvidia, oracle, sap, salesforce,
    siemens, bosch, volvo, bmw, volkswagen, audi, mercedes, toyota, honda, hyundai, samsung, sony, nintendo, panasonic,
    philips, ericsson, nokia, cisco, dell, lenovo, adobe, spotify, uber, lyft, airbnb, twitter, linkedin, paypal, visa,
    mastercard, deloitte, accenture, mckinsey, kpmg, pwc, ey, bcg, goldman sachs, jpmorgan, hsbc, barclays, santander,
    deutsche bank, dhl, ups, fedex, maersk, ikea, walmart, tesco, lidl, aldi, nestle, unilever, pfizer, novartis, roche,
    bayer, basf, shell, bp, total, tesla, spacex, boeing, airbus, lufthansa, ryanair, klm, nasa, esa, cern, unesco,
    unicef, who, nato, oecd, w3c, ietf, iana, icann, red hat, canonical, suse, jetbrains, atlassian, openai, anthropic,
    hugging face, mozilla, stanford, mit, harvard, eth zurich, acme, globex, initech, umbrella, contoso, northwind, hooli,
    wayne enterprises, stark industries, greenpeace, red cross, bbc, cnn, reuters"""
)
"""The last but one row holds the invented companies of examples."""

PRODUCTS: Final = _names(
    """postgres, postgresql, mysql, mariadb, sqlite, mongodb, mongo, redis, valkey, memcached, cassandra, scylladb, dynamodb,
    cockroachdb, clickhouse, snowflake, bigquery, redshift, databricks, duckdb, elasticsearch, opensearch, solr, lucene,
    neo4j, influxdb, timescaledb, prometheus, grafana, kibana, loki, jaeger, zipkin, opentelemetry, datadog, new relic,
    sentry, splunk, pagerduty, opsgenie, kafka, apache kafka, rabbitmq, nats, nats jetstream, pulsar, sqs, sns, kinesis,
    celery, sidekiq, airflow, dagster, prefect, luigi, spark, flink, hadoop, hive, trino, presto, dbt, kubernetes, k8s,
    docker, podman, helm, istio, linkerd, envoy, nginx, haproxy, traefik, caddy, apache, consul, etcd, zookeeper, vault,
    hashicorp vault, nomad, terraform, opentofu, pulumi, ansible, puppet, chef, packer, jenkins, github actions, gitlab
    ci, circleci, argocd, argo cd, argo, flux, spinnaker, github, gitlab, bitbucket, git, svn, mercurial, jira,
    confluence, notion, trello, asana, slack, discord, ms teams, zoom, figma, miro, aws, amazon web services, gcp, google
    cloud, azure, heroku, fly.io, cloudflare, fastly, akamai, netlify, vercel, s3, ec2, ecs, eks, gke, aks, lambda,
    fargate, rds, aurora, cloudfront, route 53, iam, python, java, kotlin, scala, rust, golang, ruby, php, perl,
    javascript, typescript, node.js, nodejs, node, deno, bun, c++, c#, .net, swift, objective-c, haskell, erlang, elixir,
    clojure, ocaml, r, julia, lua, zig, django, flask, fastapi, rails, ruby on rails, spring, spring boot, laravel,
    symfony, react, react native, vue, svelte, angular, next.js, nuxt, flutter, electron, tailwind, bootstrap, webpack,
    vite, jest, pytest, cypress, selenium, playwright, junit, maven, gradle, bazel, npm, yarn, pnpm, pip, poetry, conda,
    cargo, numpy, pandas, polars, pytorch, tensorflow, keras, scikit-learn, jupyter, linux, ubuntu, debian, fedora,
    alpine, centos, rhel, windows, macos, ios, android, chrome, firefox, safari, internet explorer, edge, excel, word,
    powerpoint, outlook, gmail, google docs, google drive, google sheets, dropbox, stripe, paypal checkout, adyen, twilio,
    sendgrid, mailchimp, mailgun, hubspot, zendesk, intercom, okta, auth0, keycloak, ldap, active directory, launchdarkly,
    segment, mixpanel, amplitude, looker, tableau, power bi, metabase, superset, graphql, grpc, protobuf, avro, parquet,
    openapi, swagger, postman, vim, neovim, emacs, vs code, vscode, visual studio, intellij, pycharm, xcode, helix,
    sublime text, tmux, chatgpt, claude, copilot, gemini, llama, jetstream, pgbouncer, patroni, pgvector, minio, ceph,
    rook, hbase, couchdb, couchbase, firebase, firestore, supabase, hasura, prisma, sqlalchemy, hibernate, log4j, openssl,
    bash, zsh, powershell, systemd, cron, kong, tyk, mulesoft, camunda, temporal, playstation, xbox, nintendo switch,
    iphone, ipad, macbook, kindle, alexa, siri, fitbit, instagram, youtube, tiktok, whatsapp, telegram, reddit, wikipedia,
    spotify premium, photoshop, lightroom, procreate, unity, unreal engine, blender, steam, netflix premium, catan,
    dungeons & dragons"""
)
LOWER_TOO: Final = PRODUCTS - words_of(
    """r word edge temporal segment spark flux prefect luigi argo celery chef puppet packer vault consul envoy cargo poetry
    conda lambda swift rust go node spring react vue flask rails angular jest cypress windows ruby java python perl scala
    julia lua zig helm flink hive safari chrome notion zoom slack discord miro steam unity blender catan helix intercom
    amplitude looker superset postman git cron bash pip nomad git apache outlook excel alexa llama gemini claude copilot
    kindle canonical total roche aurora alpine flutter electron bootstrap kong rook presto dropbox stripe bazel loki
    jaeger edge svelte deno bun"""
)
"""Written in lower case they are products as well."""

ROLES: Final = words_of(
    """sre cto ceo cfo coo vp pm po dba qa hr it engineer developer designer manager director lead founder analyst architect
    intern contractor consultant lawyer accountant recruiter scientist researcher professor doctor nurse teacher student
    writer editor author artist musician chef pilot driver librarian photographer owner head chief president chair
    secretary treasurer captain coach admin administrator commander maintainer warden curator mechanic plumber electrician
    carpenter vet dentist therapist translator journalist"""
)
"""Trades and offices, as heads of a phrase."""

ORG_SUFFIXES: Final = words_of(
    """inc inc. ltd ltd. llc corp corp. corporation gmbh ag sa s.a. plc bv b.v. nv ab oy kg co co. company bank university
    college institute foundation airlines airways industries group labs laboratories systems technologies solutions
    partners holdings consulting logistics motors insurance pharma pharmaceuticals energy freight shipping hospital
    ministry museum council agency association society club church express freight pay payments möbel spedition transports
    media press studios foods telecom works trust co-op school academy"""
)
PLACE_SUFFIXES: Final = words_of(
    """street st road rd avenue ave lane drive square park lake river beach bay island islands mountain mountains mount
    valley forest bridge airport station hill hills castle cathedral plaza harbour harbor creek falls canyon desert coast
    county province state city town village"""
)
TEAM_HEADS: Final = words_of("team squad guild tribe crew department dept")
PROJECT_HEADS: Final = words_of("project initiative programme program")
SERVICE_HEADS: Final = words_of(
    """service api gateway worker database db cluster queue pipeline server proxy backend frontend microservice daemon app
    portal dashboard scheduler bot broker registry warehouse cron job lambda"""
)
"""As the last word of a name. Those that can be anything (`server`, `job`, `app`) need a capital or a hyphen before them."""
VAGUE_HEADS: Final = words_of(
    "job app server queue pipeline dashboard portal cron lambda bot backend frontend api proxy warehouse registry broker"
)
DEPARTMENTS: Final = words_of(
    "finance legal sales marketing support engineering operations ops hr security product design procurement accounting "
    "compliance "
    "logistics platform infrastructure management payroll research recruiting"
)
"""What does or says something under such a name is a team; else it is a subject."""
NO_MODIFIER: Final = words_of(
    """the a an this that these those our your their its his her my new old whole entire same other another first second
    third next last main single own each every any some no which what both all few many several more most best worst good
    bad big small large slow fast broken wrong right current previous existing separate different local remote internal
    external public private shared central real entire affected failing failed running dead customer-facing whole home
    great good poor room excellent terrible self full high low custom modern legacy third-party and or of for in on with
    per own-brand managed available better bigger dedicated common general such national amazing friendly responsible
    respective latest newest oldest largest biggest fastest smallest entire wonderful incredible fantastic awesome lovely
    support dance basketball football soccer"""
)
"""Before a head they make a description, not a name."""
PERSON_VERBS: Final = words_of(
    """said says thinks thought believes believed asked asks told tells wants wanted likes liked loves loved hates prefers
    preferred knows knew agreed agrees suggested suggests proposed proposes promised joined joins left leaves moved moves
    lives lived works worked wrote writes reviewed reviews approved approves leads led manages managed owns reports
    reported noticed notices noted found finds fixed fixes deployed merged reverted decided decides explained explains
    mentioned confirmed confirms complained called calls emailed pinged volunteered went goes came comes has had is was
    will would can could should might took takes met meets visited bought sold made makes studied studies taught teaches
    plays played sings sang paints painted runs ran cooks cooked married graduated retired starts started finished became
    got gave gives sent sends needs needed hopes hoped deputises looked looks turned handed spent spoke talked quit
    maintains built builds does did keeps kept helped helps saw sees enjoys enjoyed plans planned"""
)
STRONG_PERSON_VERBS: Final = PERSON_VERBS - words_of(
    """has had is was will would can could should might makes made needs needed runs ran starts started keeps kept comes came
    goes went gives gave sends sent took takes got looks looked turned left leaves moves moved leads led finished calls
    called does did helps helped reports reported plays played found finds works worked writes wrote owns manages managed
    became builds built saw sees"""
)
"""Verbs that only people, or hardly anything else, are subjects of."""
SPEECH: Final = words_of(
    "said says thinks thought asked told tells wants likes loves hates suggested suggests prefers joined agreed promised "
    "volunteered"
)
"""The safest of them: enough for a single unknown name that begins a sentence."""
ADDRESSED: Final = words_of(
    "ask asked tell told ping pinged thank thanked met meet meeting cc assigned mr mrs ms dr prof called call emailed invited"
)
"""Words behind which a person follows."""
LIVING: Final = _phrases(
    """lives in, lived in, live in, living in, based in, born in, grew up in, moved to, moving to, flew to, flying to, trip
    to, travelled to, traveled to, travelling to, office in, offices in, visited, visiting, studied in, holiday in,
    vacation in, went to, stayed in, hotel in, conference in, hiking in, flight to, train to, drive to, drove to,
    warehouse in, plant in"""
)
"""Words behind which a place follows."""
EMPLOYING: Final = _phrases(
    """works at, work at, worked at, working at, works for, worked for, work for, working for, joined, job at, employed by,
    hired by, customer, client, vendor, supplier, provider, customers like, acquired by, left, sales at, engineer at,
    manager at, contract with, invoice for, meeting with, call with, partner, company"""
)
"""Words behind which an organisation follows."""

ORDINARY: Final = words_of(
    """access advice air aid art back bandwidth beer blood board bread breakfast business butter cake capacity cash chat
    chicken chocolate church class code coffee content copy corn cost credit crime crowd culture cut damage dark data day
    death debt demand design dinner dirt disk dog doubt dough downtime drama dust duty earth east energy error evening
    evil failover fame family fan fashion faith fire fish flow food football fresh friend fruit fun fuel gas glass god
    gold grass ground growth half heat help history home honey hope hour hunger ice income ink iron item jazz joy junk
    land latency law lead legacy less life light logic love luck lunch mail main man manual math meat memory metal milk
    mind model money month moon more most mud music name nature news night noise north oil one oxygen page pain paint
    paper part past patience pay peace people person play plenty poetry power price pride print prior progress proof
    public queue quiet rain range rent rest rice road rock room root rush salt sand schema school sea second security self
    sex silk silver site size skin sky sleep smoke snow soap soil song soup south space speed sport stage standard steel
    step stock stone storage story stress stuff style success sugar summer sun support tape task tax tea team test text
    theft theme thing thunder time today tomorrow total touch town toy trade traffic trash trial trouble truck trust
    uptime value video view voice wall war waste water way wealth weather week weight west wifi wind wine winter wood word
    work world worry year yesterday youth zero backup baby bug build cache car cat child cluster deploy feature half
    incident kid life mother father mum dad nobody number office party point problem release report rollback script server
    service staging production development version version thread ticket user worker revenue churn growth turnover profit
    branch customer money survey ledger mother lesson either neither another such several many both each others"""
)
"""Common nouns that often begin a sentence; with a capital there they name nothing."""
NO_NAMES: Final = words_of(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays mon tue wed thu fri sat sun january february march april may june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec christmas easter halloween thanksgiving ramadan eid diwali
    hanukkah passover xmas i i'm i'd i've i'll english german french spanish italian portuguese polish dutch japanese
    chinese russian arabic turkish swedish norwegian danish finnish greek hebrew hindi korean american british european
    asian african canadian australian indian mexican brazilian irish scottish welsh swiss austrian belgian ethiopian thai
    vietnamese api url http https json xml yaml csv sql html css tls ssl ssh dns cpu gpu ram ssd ci cd ui ux qa id ids pr
    prs ok todo fixme note utc gmt cet pst est am pm eta eod eow q1 q2 q3 q4 h1 h2 faq tl dr tldr fyi btw imo imho asap
    ceo cto cfo coo vp hr it rfc adr pep sla slo sli kpi okr mvp poc saas b2b b2c gdpr pdf png jpg svg jwt oauth sso mfa
    otp vpn lan wan ip tcp udp rest rpc crud orm sdk cli ide tv dj status summary decision action context consequences
    impact detection trigger fix root cause author authors title type created version mr mrs ms dr prof sir madam lord
    lady god internet web nobody somebody everybody severity sev p0 p1 p2 p3 lgtm lol omg xd usd eur gbp mom mum dad
    grandma grandpa mama papa mommy daddy auntie let let's here's that's it's there's what's who's lets uncle aunt covid
    lgbtq lgbtq+ dna phd mba bsc msc"""
)
"""Capitalised, or in capitals, without naming anybody."""
