-- The thin path: namespaces, documents, verbatim facts, their vectors and their postings.
-- Every key starts with the namespace, so that tables can be partitioned or distributed by it.

create table illumina.contract (
    one         boolean primary key default true check (one),
    dimension   integer not null check (dimension between 1 and 1024),
    embedder    text collate "C" not null,
    fingerprint text collate "C" not null,
    analyser    text collate "C" not null
);
comment on table illumina.contract is 'What every vector and posting here was made with; one row, pinned at the first opening.';

create table illumina.namespaces (
    namespace   bigint primary key,
    name        text collate "C" not null,
    facts       bigint not null default 0 check (facts >= 0),
    lexemes     bigint not null default 0 check (lexemes >= 0),
    approximate boolean not null default false
);
comment on column illumina.namespaces.facts is 'N of BM25: live facts.';
comment on column illumina.namespaces.lexemes is 'Sum of the lengths of all live facts, in lexemes.';
comment on column illumina.namespaces.approximate is 'Whether its vectors are in the HNSW index.';

create table illumina.documents (
    namespace   bigint not null references illumina.namespaces (namespace),
    document    uuid not null,
    version     integer not null check (version >= 1),
    source      text collate "C" not null,
    key         text collate "C",
    occurred_at timestamptz,
    body        text collate "C" not null,
    segments    jsonb,
    metadata    jsonb not null,
    digest      uuid not null,
    state       text collate "C" not null check (state in ('accepted', 'retained', 'superseded')),
    primary key (namespace, document, version)
);
comment on column illumina.documents.segments is 'The utterances of a dialogue, as spans of the body; null for running text.';
comment on column illumina.documents.state is 'accepted: stored, facts still to be made; retained: its facts are live; superseded: a newer version is.';
create index documents_accepted on illumina.documents (namespace, document, version) where state = 'accepted';

create table illumina.facts (
    namespace       bigint not null,
    fact            uuid not null,
    document        uuid not null,
    version         integer not null,
    retired_version integer,
    ordinal         integer not null,
    label           text collate "C" not null,
    span_start      integer not null,
    span_end        integer not null check (span_end > span_start),
    source          text collate "C" not null,
    speaker         text collate "C",
    occurred_at     timestamptz,
    content         text collate "C" not null,
    content_digest  uuid not null,
    primary key (namespace, fact),
    foreign key (namespace, document, version) references illumina.documents (namespace, document, version)
);
comment on column illumina.facts.version is 'The newest version of the document that supports it; the span is a span of that version.';
comment on column illumina.facts.retired_version is 'The version that no longer supported it; null while it is live.';
create index facts_document on illumina.facts (namespace, document, ordinal);
create index facts_content on illumina.facts (namespace, content_digest) include (source) where retired_version is null;

-- Narrow on purpose: an exact scan reads nothing but this. Live facts only.
create table illumina.embeddings (
    namespace    bigint not null,
    fact         uuid not null,
    approximate  boolean not null,
    norm         double precision not null check (norm > 0),
    embedding    halfvec not null,
    primary key (namespace, fact),
    foreign key (namespace, fact) references illumina.facts (namespace, fact)
);
comment on column illumina.embeddings.norm is 'The Euclidean length, the square root of an integer, so that the scan divides and no more.';
-- Never compressed or moved out of line: 1,024 dimensions still fit a page.
alter table illumina.embeddings alter column embedding set storage plain;

-- Live facts only. No foreign key: a dozen rows a fact, written and removed only together with it.
create table illumina.postings (
    namespace bigint not null,
    lexeme    text collate "C" not null,
    fact      uuid not null,
    frequency integer not null check (frequency >= 1),
    length    integer not null check (length >= 1),
    primary key (namespace, lexeme, fact) include (frequency, length)
);

create table illumina.lexemes (
    namespace bigint not null,
    lexeme    text collate "C" not null,
    facts     bigint not null check (facts >= 1),
    primary key (namespace, lexeme)
);
comment on table illumina.lexemes is 'Document frequencies of BM25.';

-- A statement without the namespace set is refused by the cast; one with it sees only that namespace. The subquery is
-- evaluated once a statement, not once a row.
do $$
declare
    name text;
begin
    foreach name in array array['namespaces', 'documents', 'facts', 'embeddings', 'postings', 'lexemes'] loop
        execute format('alter table illumina.%I enable row level security', name);
        execute format('alter table illumina.%I force row level security', name);
        execute format(
            'create policy one_namespace on illumina.%I '
            'using (namespace = (select current_setting(''illumina.namespace'')::bigint)) '
            'with check (namespace = (select current_setting(''illumina.namespace'')::bigint))', name);
    end loop;
end
$$;
