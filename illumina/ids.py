"""Identifiers are derived from content: the same input has the same id in every database, in every order."""

from __future__ import annotations

import hashlib
from typing import Final
from uuid import UUID

from illumina.errors import InvalidInputError

FACT_PREFIX: Final = "fct_"
DOCUMENT_PREFIX: Final = "doc_"
JOB_PREFIX: Final = "job_"
RULING_PREFIX: Final = "rul_"
ID_DIGITS: Final = 32


def digest(*parts: str | int | None) -> bytes:
    """SHA-256 over `parts`, each framed by its kind and length, so that no two part lists share an input."""
    hasher = hashlib.sha256()
    for part in parts:
        if part is None:
            hasher.update(b"n;")
            continue
        kind = b"i" if isinstance(part, int) else b"s"
        data = str(part).encode()
        hasher.update(kind + str(len(data)).encode() + b":" + data + b";")
    return hasher.digest()


def content_uuid(*parts: str | int | None) -> UUID:
    """The first 128 bits of `digest`; as a UUID it is a 16-byte key that PostgreSQL compares byte by byte."""
    return UUID(bytes=digest(*parts)[:16])


def namespace_key(name: str) -> int:
    """The signed 64-bit partition key of a namespace."""
    return int.from_bytes(digest("namespace", name)[:8], "big", signed=True)


def public_id(prefix: str, key: UUID) -> str:
    """`fct_`, `doc_` or `job_` and 32 hexadecimal digits."""
    return prefix + key.hex


def content_key(prefix: str, identifier: str) -> UUID:
    """The key behind a public id.

    Raises:
        InvalidInputError: It is not an id of this kind.
    """
    digits = identifier.removeprefix(prefix)
    if len(digits) != ID_DIGITS or identifier == digits or not set(digits) <= set("0123456789abcdef"):
        raise InvalidInputError(f"{identifier!r} is no id of the form {prefix}… with {ID_DIGITS} hexadecimal digits.")
    return UUID(hex=digits)
