"""What is no document: an exception with a clear sentence, never a crash."""

import pytest

import origo


@pytest.fixture
def store():
    with origo.Store(":memory:") as opened:
        yield opened


@pytest.mark.parametrize("document,sentence", [
    (None, "no text"),
    (7, "must be a str, bytes, a dict or a pair"),
    (["a"], "must be a str, bytes, a dict or a pair"),
    ({"text": 7}, "text must be str or bytes"),
    ({"text": None}, "no text"),
    ({}, "no text"),
    ({"text": "a", "id": 3.5}, "id must be str or bytes"),
    ({"text": "a", "time": "yesterday"}, "'yesterday' is not a time"),
    ({"text": "a", "time": float("nan")}, "nan is not a time"),
    ({"text": "a", "time": float("inf")}, "inf is not a time"),
    ({"text": "a", "time": []}, "must be a str, a number or a datetime"),
    ("a\ud800b", "lone surrogate"),
])
def test_documents(store, document, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        store.trace(document)


def test_the_place_is_named(store):
    with pytest.raises(TypeError, match="document 2: the text"):
        store.add_many(["a", "b", {"text": 3}])


def test_bytes_that_are_no_utf8(store):
    store.add(b"the lamp \xff\xfe will be lit " * 20, id="a")
    assert len(store) == 1


def test_empty_texts(store):
    assert store.trace("").spans == []
    assert store.add_many([]) ["n_documents"] == 0
    assert origo.dedup([]).indices == []
    assert origo.dedup(["", ""]).indices == [0]


def test_exceptions_in_callbacks(store, text):
    class Broken(Exception):
        pass

    def documents():
        yield text(1)
        raise Broken("generator")

    def fail(*unused):
        raise Broken("callback")
    with pytest.raises(Broken, match="generator"):
        store.add_many(documents())
    with pytest.raises(Broken, match="callback"):
        store.trace_many([text(1)] * 5, on_answer=fail)
    # The store can still be used.
    store.add(text(2), id="x")
    assert store.trace(text(2)).spans[0].origin == "x"


def test_exceptions_in_every_callback(store, text, tmp_path):
    class Broken(Exception):
        pass

    def fail(*unused):
        raise Broken("callback")
    many = [{"id": str(i), "text": text(i)} for i in range(50)]
    path = tmp_path / "a.jsonl"
    path.write_text('{"id":"a","text":"%s"}\n' % text(1) * 3)
    with pytest.raises(Broken):
        origo.read(path, on_document=fail)
    with pytest.raises(Broken):
        origo.MinHash(hashfunc=fail).update(b"x")
    with pytest.raises(Broken):
        origo.MinHash(hashfunc=fail).update_batch([b"x"])

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            raise Broken("stream")
    with pytest.raises(Broken):
        store.add_many(Stream())
    with pytest.raises(Broken):
        origo.dedup(Stream())

    class Texts:
        def __iter__(self):
            raise Broken("iterator")
    with pytest.raises(Broken):
        store.add_many(Texts())
    store.add_many(many)
    assert len(store) == 50


def test_exceptions_while_progress_is_shown(text):
    """It is shown every 50 ms: a source that is never at its end."""
    import itertools

    class Broken(Exception):
        pass

    def fail(*unused):
        raise Broken("progress")
    with origo.Store(":memory:") as store:
        with pytest.raises(Broken):
            store.trace_many((text(i % 20) for i in itertools.count()),
                             progress=fail)


def test_texts_that_are_too_long(store, text, monkeypatch, caplog):
    """Of 1 GiB and more; here, of 2,000 bytes. They are left out, reported and
    counted, and `dedup` keeps their rows, wherever nulls are."""
    monkeypatch.setattr("origo.sources.MAX_TEXT", 2000)
    long = "word " * 1000
    rows = [None, text(1), long, None, text(2), long, text(1), None, long]
    with caplog.at_level("WARNING", "origo"):
        result = origo.dedup(rows)
    assert len(caplog.records) == 3
    assert "too long (skipped)" in caplog.records[0].getMessage()
    assert result.indices == [0, 1, 2, 3, 4, 5, 7, 8]
    assert result.removed[0].duplicate_of == 1
    assert result.kept == rows[:6] + rows[7:]
    assert result.counts["stream"]["n_skipped"] == 3
    counts = store.add_many([{"id": str(i), "text": one}
                             for i, one in enumerate(rows)])
    assert (counts["n_added"], counts["n_skipped"], counts["n_nulls"]) == (
        3, 3, 3)
    found = origo.decontaminate(rows, [text(2)])
    assert [one.index for one in found.found] == [4]
    assert len(found.mask) == 9
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": rows, "n": range(9)})
    assert origo.dedup(table, keep="last").kept.column("n").to_pylist() == [
        0, 2, 3, 4, 5, 6, 7, 8]


def test_problems_are_logged(store, tmp_path, caplog):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id":"a","text":"one two"}\nno JSON at all\n')
    with caplog.at_level("INFO", "origo"):
        store.add_many(path)
    assert any("a.jsonl:2" in one.getMessage() for one in caplog.records)


def test_repeated_ids(store, text):
    counts = store.add_many([{"id": "a", "text": text(1)},
                             {"id": "b", "text": text(2)},
                             {"id": "a", "text": text(3)},
                             {"id": "a", "text": text(1)}])
    assert counts["n_documents"] == 4
    assert counts["n_repeated_ids"] >= 1


def test_options(store, tmp_path):
    with pytest.raises(TypeError, match="no option 'rewordd'"):
        store.trace("a", rewordd=True)
    with pytest.raises(TypeError, match="min_span must be an int"):
        store.trace("a", min_span="3")
    with pytest.raises(ValueError, match="mode"):
        origo.Store(tmp_path / "s", "x")
    with pytest.raises(ValueError, match="preset"):
        origo.Store(tmp_path / "s", preset="poetry")
    with pytest.raises(ValueError, match="indexes"):
        origo.Store(tmp_path / "s", indexes="nothing")
    assert not (tmp_path / "s").exists()
    with pytest.raises(ValueError):
        origo.Store(tmp_path / "s", memory=-1)


def test_not_a_store(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(origo.Error):
        origo.Store(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letter").write_text("x")
    with pytest.raises(origo.Error):
        origo.Store(tmp_path / "folder")
    assert (tmp_path / "folder" / "letter").read_text() == "x"


def test_sources():
    for bad in ("text", b"text", {"text": "a"}, 7):
        with pytest.raises(TypeError):
            origo.dedup(bad)
