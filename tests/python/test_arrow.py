"""Tables of Arrow and of those who speak it."""

import datetime

import pytest

import origo

pyarrow = pytest.importorskip("pyarrow")


def table_of(texts, kind=None, **columns):
    return pyarrow.table({
        "id": pyarrow.array(["d%d" % i for i in range(len(texts))]),
        "text": pyarrow.array(texts, kind or pyarrow.string()), **columns})


KINDS = [pyarrow.string(), pyarrow.large_string(), pyarrow.binary(),
         pyarrow.large_binary(),
         pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
         pyarrow.dictionary(pyarrow.uint8(), pyarrow.large_string())]
if hasattr(pyarrow, "string_view"):
    KINDS += [pyarrow.string_view(), pyarrow.binary_view()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_kinds_of_texts(text, kind):
    texts = [text(1), "short", None, text(1), None, "exactly 12 b"]
    if "binary" in str(kind):
        texts = [one if one is None else one.encode() for one in texts]
    array = pyarrow.array(
        texts, kind.value_type if pyarrow.types.is_dictionary(kind) else kind)
    if pyarrow.types.is_dictionary(kind):
        array = array.dictionary_encode().cast(kind)
    result = origo.dedup(pyarrow.table({"text": array}))
    assert result.indices == [0, 1, 2, 4, 5]
    assert result.counts["stream"]["n_nulls"] == 2


def lies_in(address, length, buffers):
    return any(one is not None and one.address <= address and
               address + length <= one.address + one.size for one in buffers)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_nothing_is_copied(text, kind):
    """The library is given the addresses of Arrow's own buffers."""
    from origo import _origo
    from origo.sources import make_input
    texts = [text(i) for i in range(50)] + ["short"]
    if "binary" in str(kind):
        texts = [one.encode() for one in texts]
    array = pyarrow.array(
        texts, kind.value_type if pyarrow.types.is_dictionary(kind) else kind)
    if pyarrow.types.is_dictionary(kind):
        array = array.dictionary_encode().cast(kind)
    table = pyarrow.table({"text": array})
    buffers = array.buffers() if not pyarrow.types.is_dictionary(kind) else (
        array.dictionary.buffers())
    found = _origo.addresses(make_input(table))
    assert [length for _, length in found] == [len(one) for one in texts]
    assert all(lies_in(*one, buffers) for one in found)


def test_nothing_is_copied_of_batches(text):
    from origo import _origo
    from origo.sources import make_input
    batches = table_of([text(i) for i in range(50)]).to_batches(
        max_chunksize=9)
    buffers = [one for batch in batches for one in batch.column(1).buffers()]
    found = _origo.addresses(make_input(pyarrow.Table.from_batches(batches)))
    assert len(found) == 50
    assert all(lies_in(*one, buffers) for one in found)


def test_slices(text):
    table = table_of([text(9), text(1), text(2), text(1), text(3)])
    assert origo.dedup(table.slice(1)).indices == [0, 1, 3]
    parts = pyarrow.concat_tables([table.slice(0, 2), table.slice(3, 2)])
    assert origo.dedup(parts).indices == [0, 1, 3]


def test_the_rest_of_a_table_passes_through(text):
    table = table_of([text(1), text(2), text(1)],
                     n=pyarrow.array([[1], [2, 3], None]))
    kept = origo.dedup(table).kept
    assert kept.schema == table.schema
    assert kept.column("n").to_pylist() == [[1], [2, 3]]


def test_cut_texts_in_a_table():
    table = table_of(["one line here\ntwo lines here\n",
                      "one line here\nanother line here\n"])
    result = origo.dedup(table, level="line", min_tokens=1)
    assert result.kept.column("text").to_pylist() == [
        "one line here\ntwo lines here\n", "another line here\n"]
    assert result.kept.schema == table.schema


@pytest.mark.parametrize("times", [
    pyarrow.array([datetime.datetime(1999, 5, 6)], pyarrow.timestamp("s")),
    pyarrow.array([datetime.datetime(1999, 5, 6)], pyarrow.timestamp("ns")),
    pyarrow.array([datetime.datetime(1999, 5, 6)],
                  pyarrow.timestamp("ms", "UTC")),
    pyarrow.array([datetime.date(1999, 5, 6)], pyarrow.date32()),
    pyarrow.array([datetime.date(1999, 5, 6)], pyarrow.date64()),
    pyarrow.array([925948800], pyarrow.int64()),
    pyarrow.array([925948800], pyarrow.uint32()),
    pyarrow.array([925948800.0], pyarrow.float64()),
    pyarrow.array(["1999-05-06"]),
], ids=lambda array: str(array.type))
def test_kinds_of_times(text, times):
    with origo.Store(":memory:") as store:
        store.add_many(table_of([text(1)], time=times))
        assert store.trace(text(1)).spans[0].origin_time == datetime.datetime(
            1999, 5, 6, tzinfo=datetime.timezone.utc)


def test_times_before_1970(text):
    times = pyarrow.array([-1], pyarrow.int64()).cast(pyarrow.timestamp("ns"))
    with origo.Store(":memory:") as store:
        store.add_many(table_of([text(1)], time=times))
        assert store.trace(text(1)).spans[0].origin_time == datetime.datetime(
            1969, 12, 31, 23, 59, 59, tzinfo=datetime.timezone.utc)


def test_times_that_are_none(text):
    times = pyarrow.array([float("nan"), 1e300, 0.0], pyarrow.float64())
    with origo.Store(":memory:") as store:
        counts = store.add_many(table_of([text(1), text(2), text(3)],
                                         time=times))
        assert counts["n_bad_times"] == 2
        assert counts["n_added"] == 3


def test_numbers_as_ids(text):
    table = pyarrow.table({"id": pyarrow.array([-5], pyarrow.int16()),
                           "text": [text(1)]})
    with origo.Store(":memory:") as store:
        store.add_many(table)
        assert store.trace(text(1)).spans[0].origin == "-5"


def test_columns_of_the_wrong_type():
    with pytest.raises(origo.InputError, match=(
            r"column 'text' is of type int64.*text \(int64\)")):
        origo.dedup(pyarrow.table({"text": [1, 2]}))
    with pytest.raises(origo.InputError, match=(
            r"no column 'text'; the columns are body \(string\)")):
        origo.dedup(pyarrow.table({"body": ["a"]}))
    with pytest.raises(origo.InputError, match="no column 'when'"):
        origo.dedup(pyarrow.table({"text": ["a"]}), fields={"time": "when"})
    with pytest.raises(origo.InputError, match="list"):
        origo.dedup(pyarrow.table({"text": [["a"]]}))


def test_a_stream_is_read_once(text):
    table = table_of([text(1), text(2), text(1)])
    result = origo.dedup(table.to_reader(), keep="last")
    assert result.indices == [1, 2]
    assert result.kept.num_rows == 2


def test_a_stream_that_fails(text):
    schema = pyarrow.schema([("text", pyarrow.string())])

    def batches():
        yield pyarrow.record_batch([[text(1)]], schema=schema)
        raise OSError("the disk is gone")
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with origo.Store(":memory:") as store:
        with pytest.raises(origo.InputError, match="the disk is gone"):
            store.add_many(reader)


def test_spans_as_a_table(text):
    with origo.Store(":memory:") as store:
        store.add_many(table_of([text(i) for i in range(5)]))
        table = store.trace_many(
            pyarrow.table({"id": ["x", "y"], "text": [text(3), "new"]}))
        rows = table.to_arrow().to_pylist()
    assert [(row["document"], row["origin"], row["begin"], row["end"])
            for row in rows] == [("x", "d3", 0, len(text(3)))]
    assert rows[0]["origin_time"] is None
    assert table.to_arrow().num_rows == 1


def test_a_table_is_read_once(text):
    with origo.Store(":memory:") as store:
        table = store.trace_many([text(1)])
        reader = pyarrow.RecordBatchReader.from_stream(table)
        assert reader.read_all().num_rows == 0
        with pytest.raises(ValueError, match="already"):
            table.to_arrow()


def test_near_pairs(text, store_path):
    with origo.Store(store_path, indexes="near") as store:
        table = store.near_many([{"id": "a", "text": text(1)},
                                 {"id": "b", "text": text(1) + " x"}],
                                add=True).to_arrow()
    assert [(row["document"], row["match"]) for row in table.to_pylist()] == [
        ("b", "a")]
    assert table.column("similarity")[0].as_py() > 0.9


def test_many_batches(text):
    texts = ["%s %d" % (text(i % 300), i) for i in range(3000)]
    table = table_of(texts)
    assert (origo.dedup(pyarrow.Table.from_batches(
        table.to_batches(max_chunksize=7))).mask == origo.dedup(texts).mask)


def test_answers_to_arrow(text):
    with origo.Store(":memory:") as store:
        store.add(text(1), id="a")
        table = store.trace("x " + text(1)).to_arrow()
    assert table.column("origin").to_pylist() == ["a"]


def test_lists_of_answers_to_arrow(text, store_path):
    sentence = ("The keeper of the lighthouse said on Monday that the lamp "
                "will be lit again in spring.")
    with origo.Store(store_path, indexes="near,sentences") as store:
        store.add(text(1), id="a", time="2001")
        store.add("He wrote. " + sentence, id="q", time="2002")
        near = store.near(text(1))
        quotes = store.quote("And then. " + sentence, time="2003")
    assert near.to_arrow().column("id").to_pylist() == ["a"]
    assert near.to_dict()[0]["similarity"] == 1
    assert quotes.to_arrow().column("id").to_pylist() == ["q"]
    assert quotes.to_dict()[0]["text"] == sentence
    assert "<td>a</td>" in near._repr_html_()
    assert "http" not in quotes._repr_html_()
    result = origo.dedup([text(1), text(1)])
    assert "1 of 2 documents stay" in result._repr_html_()
    found = origo.decontaminate([text(1), text(2)], [("<q>", text(2))])
    assert found.to_arrow().to_pylist()[0]["item"] == "<q>"
    assert found.to_dict()["found"][0]["index"] == 1
    assert "&lt;q&gt;" in found._repr_html_()


def test_pandas(text):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": [text(1), text(2), text(1)],
                              "n": [1, 2, 3]}, index=[10, 20, 30])
    kept = origo.dedup(frame).kept
    assert list(kept.index) == [10, 20]
    assert isinstance(kept, pandas.DataFrame)


def test_polars(text):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"text": [text(1), text(2), text(1)],
                              "n": [1, 2, 3]})
    kept = origo.dedup(frame).kept
    assert kept["n"].to_list() == [1, 2]


def test_datasets(text):
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"text": [text(1), text(2), text(1)],
                                       "n": [1, 2, 3]})
    assert origo.dedup(data).kept["n"][:] == [1, 2]
    assert origo.dedup(data.select([2, 0, 1])).kept["n"][:] == [3, 2]
