"""What facts name, and the forms of names by which one mention finds another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.ids import content_uuid
from illumina.retain.entities import index
from illumina.retain.entities.blocking import candidate
from illumina.retain.entities.forms import read
from illumina.retain.entities.nodes import possible
from illumina.store import entities, rulings
from illumina.store import mentions as store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from uuid import UUID

    from illumina.retain.entities.forms import NameForm
    from illumina.retain.extraction import MentionDraft, RelationDraft
    from illumina.store.database import Session

MENTION_PREFIX: Final = "men_"
NAMES_AT_ONCE: Final = 128
"""New forms that are looked for in one query, which then needs little memory on the server."""


def replace(
    session: Session,
    facts: Collection[UUID],
    mentions: Mapping[UUID, Sequence[MentionDraft]],
    relations: Mapping[UUID, Sequence[RelationDraft]],
) -> None:
    """Let facts name and state just these. The namespace must be locked, and `resolve.affected` have been asked before.

    Args:
        session: Of the namespace.
        facts: Those that are new or may name something else now.
        mentions: Of each fact that names something.
        relations: Of each fact that states some, by positions among its mentions.
    """
    rows = [
        store.Mention(
            mention_id(fact, ordinal, draft),
            fact,
            ordinal,
            draft.name,
            index.form_id(read(draft.name, draft.kind)),
            draft.kind,
            draft.start,
            draft.end,
            sorted(set(draft.homes)),
        )
        for fact, drafts in mentions.items()
        for ordinal, draft in enumerate(drafts)
    ]
    place = {(row.fact, row.ordinal): row.id for row in rows}
    stated = [
        store.Relation(fact, ordinal, place[fact, draft.subject], draft.name, place[fact, draft.object])
        for fact, drafts in relations.items()
        for ordinal, draft in enumerate(drafts)
    ]
    kept = [row.id for row in rows]
    store.remove_relations(session, facts)
    entities.unresolve(session, facts, kept)
    gone = store.remove(session, facts, kept)
    known = store.names(session, {row.form for row in rows})
    store.insert(session, rows, stated)
    _remove_forms(session, gone)
    _index(session, {row.form: read(row.name, row.kind) for row in rows if row.form not in known})


def remove(session: Session, facts: Collection[UUID]) -> int:
    """Remove what facts name, and rulings on it: the facts are to be forgotten. For what must be done before see `replace`.

    Returns:
        How many mentions there were.
    """
    named = [mention for _, mention, _ in store.of(session, facts)]
    rulings.forget(session, named)
    replace(session, facts, {}, {})
    return len(named)


def mention_id(fact: UUID, ordinal: int, draft: MentionDraft) -> UUID:
    """Of the fact, the position among what it names, the name and the kind."""
    return content_uuid("mention", fact.hex, ordinal, draft.name, draft.kind)


def forms_of_name(name: str) -> set[UUID]:
    """The forms as which a name may have been read, whatever it is the name of."""
    return {index.form_id(read(name, kind)) for kind in (None, "person", "thing")}


def forms_like(session: Session, name: str) -> set[UUID]:
    """Forms of names that are like a given one."""
    asked = [(index.form_id(form), *index.like(form)) for form in {read(name, kind) for kind in (None, "person", "thing")}]
    return {form for _, form in store.search(session, asked)}


def reindex(session: Session) -> None:
    """Read every name anew, and find anew which may be one entity's; changes nothing that is right."""
    forms: dict[UUID, NameForm] = {}
    forms_of: dict[UUID, UUID] = {}
    for mention, (name, kind) in store.all_names(session).items():
        form = read(name, kind)
        forms_of[mention] = index.form_id(form)
        forms[forms_of[mention]] = form
    store.set_forms(session, forms_of)
    store.clear_names(session)
    _index(session, forms)


def _index(session: Session, new: Mapping[UUID, NameForm]) -> None:
    """Let new forms be found, and find which of all forms may be the same entity's."""
    numbered = sorted(new)
    for start in range(0, len(numbered), NAMES_AT_ONCE):
        part = {form: new[form] for form in numbered[start : start + NAMES_AT_ONCE]}
        store.add_keys(session, ((form, key) for form, name in part.items() for key in index.keys(name)))
        store.add_pairs(session, _pairs(session, part))


def _pairs(session: Session, new: Mapping[UUID, NameForm]) -> Iterator[tuple[UUID, UUID]]:
    found = store.search(session, [(form, *index.search(name)) for form, name in new.items()])
    others = {other for _, other in found} - new.keys()
    known = dict(new) | {form: read(*name) for form, name in store.names(session, others).items()}
    for form, other in found:
        if candidate(known[form], known[other]) and possible(known[form], known[other]) is not None:
            yield form, other


def _remove_forms(session: Session, gone: Mapping[UUID, tuple[str, str | None]]) -> None:
    forms = gone.keys() - store.names(session, gone.keys()).keys()
    if forms:
        store.remove_forms(session, forms, ((form, key) for form in forms for key in index.keys(read(*gone[form]))))
