-- Retain in full. Recorded: chunks, mentions, statements of cause, rulings, model calls, judgements. Derived from those, and rebuilt at
-- will: entities, supersessions, links. Work to do: jobs, stale.

alter table illumina.namespaces add column lifecycle boolean not null default false;
comment on column illumina.namespaces.lifecycle is 'Whether its facts have stages: a policy, kept when all documents are gone.';

alter table illumina.documents
    add column agent text collate "C",
    add column device text collate "C",
    add column visibility text collate "C" not null default 'shared' check (visibility in ('shared', 'agent', 'device')),
    add column pods text[] collate "C" not null default '{}',
    add column recorded_at timestamptz,
    add column extractor text collate "C";
comment on column illumina.documents.recorded_at is 'By the injected clock, when it was accepted; nothing but the age of facts is derived from it.';
comment on column illumina.documents.extractor is 'Name and fingerprint of what made its facts.';

-- What is still to be read is a job.
drop index illumina.documents_accepted;

create table illumina.chunks (
    namespace     bigint not null,
    document      uuid not null,
    version       integer not null,
    ordinal       integer not null,
    span_start    integer not null,
    span_end      integer not null check (span_end > span_start),
    context_start integer not null check (context_start <= span_start),
    preamble      text collate "C" not null,
    lexemes       text[] collate "C" not null,
    frequencies   integer[] not null,
    length        integer not null,
    state         text collate "C" not null check (state in ('pending', 'extracted', 'failed')),
    rejected      jsonb not null default '[]',
    reason        text collate "C",
    primary key (namespace, document, version, ordinal),
    foreign key (namespace, document, version) references illumina.documents (namespace, document, version)
);
comment on column illumina.chunks.rejected is 'Spans of the body that yield no fact: start, end, reason.';
comment on column illumina.chunks.reason is 'Why it failed: the text is kept and can be retried.';
comment on column illumina.chunks.lexemes is
    'Distinct, of the preamble and the text from context_start to span_end; with how often each occurs, and how many there are in all.';
create index chunks_failed on illumina.chunks (namespace, document, version) where state = 'failed';

alter table illumina.facts
    add column chunk integer not null default 0,
    add column section text collate "C",
    add column category text collate "C",
    add column confidence text collate "C" not null default 'high' check (confidence in ('high', 'medium', 'low')),
    add column importance text collate "C" not null default 'supplementary' check (importance in ('vital', 'supplementary')),
    add column event_start timestamptz,
    add column event_end timestamptz,
    add column event_precision text collate "C",
    add column agent text collate "C",
    add column device text collate "C",
    add column visibility text collate "C" not null default 'shared' check (visibility in ('shared', 'agent', 'device')),
    add column pods text[] collate "C" not null default '{}',
    add column superseded boolean not null default false,
    add column recorded_at timestamptz,
    add column said_at timestamptz,
    add column first_accessed_at timestamptz,
    add column accessed_at timestamptz,
    add column lifecycle text collate "C" not null default 'fresh' check (lifecycle in ('fresh', 'stable', 'editing'));
comment on column illumina.facts.occurred_at is 'When it was said or written.';
comment on column illumina.facts.said_at is
    'From when it was believed: the earliest time at which a version of its document said it; if none is known, recorded_at.';
comment on column illumina.facts.event_start is 'When what it tells of happened; its end is the first moment behind it.';
comment on column illumina.facts.recorded_at is
    'When the version of its document was accepted that first brought it; null if that was before times were recorded.';
comment on column illumina.facts.accessed_at is 'The last access, as of the last lifecycle pass; with the first it says all of them.';
comment on column illumina.facts.lifecycle is 'Derived: its stage as of the last pass; see the module illumina.store.lifecycle.';
comment on column illumina.facts.superseded is 'Derived: another fact says what holds instead. Such a fact is in no index, and its history stays.';
-- A case, not coalesce: PostgreSQL does not know that the latter gives nothing away, and would not let it reach the index
-- before the policy's own condition.
create index facts_timeline on illumina.facts (
    namespace, (case when event_start is null then occurred_at else event_start end), document, ordinal, fact)
    where retired_version is null and not superseded;
create index facts_restricted on illumina.facts (namespace) where visibility <> 'shared' and retired_version is null;
create index facts_source on illumina.facts (namespace, source);
create index facts_category on illumina.facts (namespace, category) where category is not null and retired_version is null;

-- Kept for superseded and retired facts too: they were believed once, and may return.
alter table illumina.embeddings add column superseded boolean not null default false;
comment on column illumina.embeddings.superseded is 'Whether the fact is superseded or retired, so that only a question about the past finds it.';
do $$
begin
    if to_regclass('illumina.embeddings_hnsw') is not null then
        drop index illumina.embeddings_hnsw;
        create index embeddings_hnsw on illumina.embeddings using hnsw (embedding halfvec_ip_ops)
            where approximate and not superseded;
    end if;
end
$$;

-- What the exact scan reads; see the module illumina.store.blocks. Vectors of superseded facts and of namespaces in the HNSW
-- index are not here.
create table illumina.blocks (
    namespace bigint not null,
    block     integer not null,
    norms     double precision[] not null,
    facts     uuid[] not null,
    vectors   halfvec[] not null,
    primary key (namespace, block)
);
alter table illumina.blocks
    alter column norms set storage plain,
    alter column facts set storage plain,
    alter column vectors set storage plain;

-- The owner too is bound by the policies, and works for all namespaces here.
alter table illumina.embeddings no force row level security;
insert into illumina.blocks (namespace, block, norms, facts, vectors)
select namespace, 1 + (place - 1) / capacity as block, array_agg(norm order by place), array_agg(fact order by place),
    array_agg(embedding order by place)
from (select e.*, row_number() over (partition by namespace order by fact) as place
      from illumina.embeddings e where not approximate) vectors,
    (select least(16, 8048 / (32 + 4 * ((dimension + 1) / 2))) as capacity from illumina.contract) contract
group by namespace, block;
alter table illumina.embeddings force row level security;

create table illumina.mentions (
    namespace  bigint not null,
    mention    uuid not null,
    fact       uuid not null,
    ordinal    integer not null,
    name       text collate "C" not null,
    form       uuid not null,
    kind       text collate "C",
    span_start integer,
    span_end   integer,
    homes      text[] collate "C" not null default '{}',
    primary key (namespace, mention),
    foreign key (namespace, fact) references illumina.facts (namespace, fact)
);
comment on column illumina.mentions.form is 'Digest of what is compared of the name: equal for spellings that are read alike.';
create index mentions_fact on illumina.mentions (namespace, fact, ordinal);
create index mentions_form on illumina.mentions (namespace, form);

-- Trigrams and other keys as 64-bit digests: short rows under equality, which may reach an index before the policy's own
-- condition, as the operators of pg_trgm may not; and no name is too long for a page of the index.
create table illumina.name_keys (
    namespace bigint not null,
    key       bigint not null,
    form      uuid not null,
    primary key (namespace, key, form)
);
comment on table illumina.name_keys is 'Derived from the mentions: by which keys a form of a name is found.';

create table illumina.name_pairs (
    namespace bigint not null,
    form      uuid not null,
    other     uuid not null check (other <> form),
    primary key (namespace, form, other)
);
comment on table illumina.name_pairs is 'Derived from the mentions: forms of names that may be one entity''s, each pair both ways.';

create table illumina.relations (
    namespace bigint not null,
    fact      uuid not null,
    ordinal   integer not null,
    subject   uuid not null,
    name      text collate "C" not null,
    object    uuid not null,
    primary key (namespace, fact, ordinal),
    foreign key (namespace, subject) references illumina.mentions (namespace, mention),
    foreign key (namespace, object) references illumina.mentions (namespace, mention)
);
comment on table illumina.relations is 'Typed relations between entities as facts state them, from mention to mention.';
create index relations_subject on illumina.relations (namespace, subject);
create index relations_object on illumina.relations (namespace, object);

create table illumina.causal (
    namespace bigint not null,
    cause     uuid not null,
    effect    uuid not null check (effect <> cause),
    kind      text collate "C" not null check (kind in ('causes', 'enables', 'prevents')),
    cue       text collate "C" not null,
    primary key (namespace, cause, kind, effect),
    foreign key (namespace, cause) references illumina.facts (namespace, fact),
    foreign key (namespace, effect) references illumina.facts (namespace, fact)
);
comment on table illumina.causal is 'Causes as texts state them; the links are made of these.';
create index causal_effect on illumina.causal (namespace, effect);

create table illumina.rulings (
    namespace   bigint not null,
    ruling      uuid not null,
    kind        text collate "C" not null check (kind in ('same', 'different', 'supersedes')),
    one         uuid not null,
    other       uuid not null check (other <> one),
    act         uuid,
    reason      text collate "C" not null default '',
    recorded_at timestamptz,
    undone_at   timestamptz,
    primary key (namespace, ruling)
);
comment on table illumina.rulings is 'What people have decided: two mentions are (not) one entity; the fact `one` supersedes `other`.';
comment on column illumina.rulings.act is 'Rulings of one act of somebody share it, and are undone together.';
create index rulings_one on illumina.rulings (namespace, one);
create index rulings_other on illumina.rulings (namespace, other);

create table illumina.calls (
    namespace     bigint not null,
    call          uuid not null,
    model         text collate "C" not null,
    prompt        uuid not null,
    schema        uuid not null,
    input         uuid not null,
    response      jsonb not null,
    input_tokens  bigint not null,
    output_tokens bigint not null,
    recorded_at   timestamptz,
    primary key (namespace, call)
);
comment on table illumina.calls is 'Every answer of a language model, under the digest of model, prompt, schema and input.';

create table illumina.call_uses (
    namespace bigint not null,
    call      uuid not null,
    document  uuid not null,
    version   integer not null,
    chunk     integer not null,
    primary key (namespace, call, document, version, chunk),
    foreign key (namespace, call) references illumina.calls (namespace, call)
);
comment on table illumina.call_uses is 'Which chunk a call was made for; a call goes with its last use.';
create index call_uses_document on illumina.call_uses (namespace, document, version);

create table illumina.judgements (
    namespace   bigint not null,
    old         uuid not null,
    new         uuid not null check (new <> old),
    question    uuid not null,
    decision    text collate "C" not null check (decision in ('add', 'update', 'supersede', 'merge')),
    part        text collate "C" check (part is null or decision in ('update', 'supersede')),
    confidence  text collate "C" not null check (confidence in ('high', 'medium', 'low')),
    reason      text collate "C" not null,
    model       text collate "C" not null,
    recorded_at timestamptz,
    primary key (namespace, old, new),
    foreign key (namespace, old) references illumina.facts (namespace, fact),
    foreign key (namespace, new) references illumina.facts (namespace, fact)
);
comment on table illumina.judgements is 'What a language model said of two facts: recorded, and read whenever what supersedes what is derived.';
comment on column illumina.judgements.question is 'Digest of what was asked: of two facts that say something else by now, it says nothing.';
comment on column illumina.judgements.part is 'The words of the old fact that no longer hold, where the rest does.';
create index judgements_new on illumina.judgements (namespace, new);

create table illumina.pair_uses (
    namespace bigint not null,
    call      uuid not null,
    old       uuid not null,
    new       uuid not null,
    primary key (namespace, call, old, new),
    foreign key (namespace, call) references illumina.calls (namespace, call)
);
comment on table illumina.pair_uses is 'Which two facts a call was made for; a call goes with its last use.';
create index pair_uses_old on illumina.pair_uses (namespace, old, new);
create index pair_uses_new on illumina.pair_uses (namespace, new);

create table illumina.spending (
    namespace     bigint primary key,
    calls         bigint not null default 0,
    input_tokens  bigint not null default 0,
    output_tokens bigint not null default 0,
    token_cap     bigint
);
comment on table illumina.spending is 'What was asked of language models, replayed answers not counted; it is money spent, so only forgetting the whole namespace takes it away.';

create table illumina.entities (
    namespace bigint not null,
    entity    uuid not null,
    name      text collate "C" not null,
    kind      text collate "C",
    aliases   text[] collate "C" not null,
    merges    jsonb not null,
    primary key (namespace, entity)
);
comment on column illumina.entities.merges is 'Why its mentions are one entity, in the order of the decisions.';

create table illumina.resolved (
    namespace bigint not null,
    mention   uuid not null,
    entity    uuid not null,
    primary key (namespace, mention),
    foreign key (namespace, mention) references illumina.mentions (namespace, mention),
    foreign key (namespace, entity) references illumina.entities (namespace, entity)
);
create index resolved_entity on illumina.resolved (namespace, entity);

create table illumina.supersessions (
    namespace  bigint not null,
    old        uuid not null,
    new        uuid not null check (new <> old),
    extent     text collate "C" not null check (extent in ('whole', 'part')),
    part       text collate "C",
    since      timestamptz,
    evidence   jsonb not null,
    primary key (namespace, old, new),
    foreign key (namespace, old) references illumina.facts (namespace, fact),
    foreign key (namespace, new) references illumina.facts (namespace, fact)
);
comment on column illumina.supersessions.part is 'The words of the old fact that no longer hold, where the rest does.';
comment on column illumina.supersessions.since is 'From when the old does not hold any more: the moment that the new tells of; null if unknown.';
create index supersessions_new on illumina.supersessions (namespace, new);

-- No foreign keys: more than a dozen rows a fact, written by settling and removed only together with it.
create table illumina.claims (
    namespace bigint not null,
    key       uuid not null,
    seeks     boolean not null,
    fact      uuid not null,
    primary key (namespace, key, seeks, fact)
);
comment on table illumina.claims is 'Where facts meet that may supersede one another: keys made of what they say.';
comment on column illumina.claims.seeks is 'Whether the fact looks for older ones under this key, or may be found there by newer ones.';
create index claims_fact on illumina.claims (namespace, fact);

-- No foreign keys: a dozen rows a fact, written by settling and removed only together with it.
create table illumina.links (
    namespace bigint not null,
    source    uuid not null,
    kind      text collate "C" not null
        check (kind in ('temporal', 'semantic', 'entity', 'causes', 'enables', 'prevents', 'supersedes')),
    target    uuid not null check (target <> source),
    weight    double precision not null check (weight > 0 and weight <= 1),
    evidence  jsonb not null,
    primary key (namespace, source, kind, target)
);
comment on table illumina.links is 'Edges between facts; `caused_by` is `causes` read from its target.';
create index links_target on illumina.links (namespace, target, kind);

create table illumina.suspects (
    namespace bigint not null,
    fact      uuid not null,
    because   uuid not null,
    primary key (namespace, fact, because),
    foreign key (namespace, fact) references illumina.facts (namespace, fact),
    foreign key (namespace, because) references illumina.facts (namespace, fact)
);
comment on table illumina.suspects is 'Live facts that rest on one that no longer holds.';
create index suspects_because on illumina.suspects (namespace, because);

-- No foreign key: a fact that is gone still leaves its neighbours to be settled.
create table illumina.stale (
    namespace bigint not null,
    fact      uuid not null,
    primary key (namespace, fact)
);
comment on table illumina.stale is 'Facts whose derived rows are still to be settled.';

create table illumina.jobs (
    namespace bigint not null references illumina.namespaces (namespace),
    job       uuid not null,
    kind      text collate "C" not null check (kind in ('extract', 'settle', 'reconcile')),
    document  uuid,
    version   integer,
    fact      uuid check ((fact is not null) = (kind = 'reconcile')),
    state     text collate "C" not null check (state in ('queued', 'leased', 'dead')),
    attempts  integer not null default 0 check (attempts >= 0),
    due_at    timestamptz not null,
    again_at  timestamptz check (again_at is null or state = 'leased'),
    leased_to text collate "C" check ((leased_to is not null) = (state = 'leased')),
    reason    text collate "C",
    primary key (namespace, job)
);
comment on table illumina.jobs is 'Work to do; a job that is done is gone.';
comment on column illumina.jobs.due_at is 'From when it may be taken; of a leased job, when its lease ends.';
comment on column illumina.jobs.again_at is 'Asked for again while it was leased: from when it is due once that run is over.';
comment on column illumina.jobs.reason is 'Why it failed the last time.';
create index jobs_due on illumina.jobs (namespace, due_at, job) where state <> 'dead';
create index jobs_document on illumina.jobs (namespace, document) where document is not null;
create index jobs_fact on illumina.jobs (namespace, fact) where fact is not null;

create table illumina.accesses (
    namespace   bigint not null,
    fact        uuid not null,
    accessed_at timestamptz not null,
    primary key (namespace, fact, accessed_at),
    foreign key (namespace, fact) references illumina.facts (namespace, fact)
);
comment on table illumina.accesses is 'Hits that callers report, until a lifecycle pass moves them into the facts: a recall writes nothing.';

do $$
declare
    name text;
begin
    foreach name in array array['blocks', 'chunks', 'mentions', 'relations', 'causal', 'rulings', 'name_keys', 'name_pairs', 'calls',
                                'call_uses', 'judgements', 'pair_uses', 'spending', 'entities', 'resolved', 'supersessions', 'claims', 'links', 'suspects',
                                'stale', 'jobs', 'accesses'] loop
        execute format('alter table illumina.%I enable row level security', name);
        execute format('alter table illumina.%I force row level security', name);
        execute format(
            'create policy one_namespace on illumina.%I '
            'using (namespace = (select current_setting(''illumina.namespace'')::bigint)) '
            'with check (namespace = (select current_setting(''illumina.namespace'')::bigint))', name);
    end loop;
end
$$;

-- What people wrote is not sampled: the planner's statistics would show it after it was forgotten, until the next sampling.
do $$
declare
    place text[];
begin
    foreach place slice 1 in array array[
            array['documents', 'body'], array['documents', 'segments'], array['documents', 'metadata'],
            array['chunks', 'preamble'], array['chunks', 'lexemes'], array['chunks', 'rejected'], array['chunks', 'reason'],
            array['facts', 'content'], array['facts', 'section'], array['facts', 'speaker'], array['facts', 'label'],
            array['mentions', 'name'], array['mentions', 'homes'], array['entities', 'name'], array['entities', 'aliases'],
            array['entities', 'merges'], array['relations', 'name'], array['causal', 'cue'], array['links', 'evidence'],
            array['supersessions', 'part'], array['supersessions', 'evidence'], array['rulings', 'reason'],
            array['calls', 'response'], array['jobs', 'reason']] loop
        execute format('alter table illumina.%I alter column %I set statistics 0', place[1], place[2]);
    end loop;
end
$$;

-- A worker serves all namespaces: it says so, sees which job is due in which namespace, and nothing else there.
create policy worker on illumina.jobs for select
    using ((select current_setting('illumina.worker', true)) = 'on');
create policy worker on illumina.namespaces for select
    using ((select current_setting('illumina.worker', true)) = 'on');
