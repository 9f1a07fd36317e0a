"""dedup() and decontaminate()."""

import json

import pytest

import origo


def near_copies(text):
    return [text(1) + " end", text(2), text(1) + " other", text(3),
            text(2) + " !"]


def test_lists(text):
    texts = near_copies(text)
    result = origo.dedup(texts)
    assert result.indices == [0, 1, 3]
    assert result.kept == [texts[0], texts[1], texts[3]]
    assert [(one.index, one.duplicate_of) for one in result.removed] == [
        (2, 0), (4, 1)]
    assert result.removed[0].similarity > 0.8
    assert len(result) == 3
    assert "3 of 5" in repr(result)
    assert result.counts["n_removed"] == 2


@pytest.mark.parametrize("keep,kept", [("last", [2, 3, 4]),
                                       ("longest", [0, 3, 4])])
def test_which_stays(text, keep, kept):
    texts = near_copies(text)
    texts[4] += " and more of its own"
    assert origo.dedup(texts, keep=keep).indices == kept


def test_iterators_and_dicts(text):
    result = origo.dedup(({"content": one, "n": i} for i, one in
                          enumerate(near_copies(text))),
                         fields={"text": "content"})
    assert [one["n"] for one in result.kept] == [0, 1, 3]


def test_nulls_stay(text):
    result = origo.dedup([None, text(1), None, text(1)])
    assert result.indices == [0, 1, 2]
    assert result.counts["stream"]["n_nulls"] == 2


def test_lines():
    result = origo.dedup(["the first line\nthe second line\n",
                          "the first line\na line of its own\n"],
                         level="line", min_tokens=1)
    assert result.kept == ["the first line\nthe second line\n",
                           "a line of its own\n"]


def test_the_same_for_any_number_of_threads(text):
    texts = [text(i % 40) + " %d" % i for i in range(400)]
    expected = origo.dedup(texts, threads=1)
    for threads in (2, 5):
        found = origo.dedup(texts, threads=threads)
        assert found.mask == expected.mask
        assert found.to_dict()["removed"] == expected.to_dict()["removed"]


def test_files(text, tmp_path):
    path, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    with open(path, "w") as out:
        for i, one in enumerate(near_copies(text)):
            out.write(json.dumps({"id": "d%d" % i, "text": one}) + "\n")
    with pytest.raises(ValueError, match="output"):
        origo.dedup(path)
    result = origo.dedup(path, output=output)
    assert [json.loads(line)["id"] for line in
            output.read_text().splitlines()] == [
        "d0", "d1", "d3"]
    assert result.indices == [0, 1, 3]


def test_against_files(text, tmp_path):
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps({"id": "old", "text": text(2)}) + "\n")
    result = origo.dedup(near_copies(text), against=[path])
    assert result.indices == [0, 3]
    assert result.removed[0].original == "old"
    assert result.removed[0].duplicate_of is None


def test_bad_options(text):
    with pytest.raises(TypeError, match="no option 'treshold'"):
        origo.dedup([text(1)], treshold=0.8)
    with pytest.raises(ValueError, match="must be one of first"):
        origo.dedup([text(1)], keep="best")
    with pytest.raises(ValueError, match="threshold"):
        origo.dedup([text(1)], threshold=2)
    with pytest.raises(TypeError, match="a str is one text"):
        origo.dedup("a text")
    with pytest.raises(TypeError, match="one document"):
        origo.dedup({"text": "a text"})
    with pytest.raises(ValueError, match="no field"):
        origo.dedup([text(1)], fields={"body": "x"})


def test_decontaminate(text):
    items = [{"id": "q%d" % i, "text": text(1000 + i, 30)} for i in range(20)]
    corpus = [text(i, 300) for i in range(30)]
    corpus[3] += " " + items[5]["text"]
    corpus[7] = items[6]["text"].upper().replace(" ", ", ") + " " + corpus[7]
    corpus[9] += " " + " ".join(items[8]["text"].split()[:16])
    result = origo.decontaminate(corpus, items)
    assert [(one.index, one.item) for one in result.found] == [
        (3, "q5"), (7, "q6"), (9, "q8")]
    assert result.found[0].share == 1
    assert 0.4 < result.found[2].share < 0.7
    assert len(result.kept) == 27


def test_words_in_a_row_are_in_a_row(text):
    """Fourteen words with another one among them are no thirteen in a row, and
    too few for a share."""
    item = text(2000, 40).split()
    broken = item[:7] + ["another"] + item[8:15]
    whole = item[:14]
    corpus = [text(1) + " " + " ".join(words) + " " + text(2)
              for words in (broken, whole)]
    found = origo.decontaminate(corpus, [" ".join(item)]).found
    assert [one.index for one in found] == [1]
