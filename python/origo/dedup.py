"""Deduplication and decontamination of whole sources."""

import array
import difflib
import json
import os
import re
import tempfile

from . import _origo
from .answers import Record
from .sources import (can_be_read_again, describe, encode_paths,
                      import_pyarrow, make_input, null_rows, progress_of)

__all__ = ["Contamination", "Decision", "DedupResult", "decontaminate",
           "dedup"]


class Decision(Record):
    """A removed document, and the one that is kept instead."""

    __slots__ = ("duplicate_of", "index", "original", "similarity")

    def __init__(self, index, duplicate_of, original, similarity):
        self.index = index
        self.duplicate_of = duplicate_of
        self.original = original
        self.similarity = similarity

    def __repr__(self):
        if self.duplicate_of is not None:
            of = "document %d" % self.duplicate_of
        elif self.original:
            of = repr(self.original)
        else:
            of = "several others"
        return "<document %d is a copy of %s, similarity %.3f>" % (
            self.index, of, self.similarity)


class DedupResult:
    """The result of a deduplication.

    `kept` is the source without the removed documents, of the same type (a
    list, a table, a data frame, a dataset); `indices` has the positions of the
    kept documents, `mask` a byte for each document. At a level below
    documents, the texts in `kept` are those without the repeated pieces.
    """

    def __init__(self, source, counts, decisions, fields):
        kept, of, similarity, names, texts = decisions
        self.counts = counts
        self._source = source
        self._fields = fields or {}
        self._of = array.array("q", of)
        self._similarity = array.array("d", similarity)
        self._names = names
        self.texts = texts
        self.mask = kept

    def __len__(self):
        return sum(self.mask)

    @property
    def indices(self):
        return [i for i, is_kept in enumerate(self.mask) if is_kept]

    @property
    def removed(self):
        return [
            Decision(i, self._of[i] if self._of[i] >= 0 else None,
                     self._names.get(i), self._similarity[i])
            for i, is_kept in enumerate(self.mask) if not is_kept
        ]

    @property
    def kept(self):
        return select(self._source, self.mask, self.indices, self.texts,
                      self._fields.get("text") or "text")

    def to_dict(self):
        return {"counts": self.counts,
                "removed": [one.to_dict() for one in self.removed]}

    def to_arrow(self):
        """One row for each document: index, is_kept, duplicate_of, original,
        similarity."""
        pyarrow = import_pyarrow()
        n = len(self.mask)
        gone = [not one for one in self.mask]
        return pyarrow.table({
            "index": pyarrow.array(range(n), pyarrow.int64()),
            "is_kept": pyarrow.array([bool(one) for one in self.mask],
                                     pyarrow.bool_()),
            "duplicate_of": pyarrow.array(
                [of if of >= 0 else None for of in self._of],
                pyarrow.int64()),
            "original": pyarrow.array(
                [self._names.get(i) for i in range(n)], pyarrow.string()),
            "similarity": pyarrow.array(
                [s if is_gone else None
                 for s, is_gone in zip(self._similarity, gone)],
                pyarrow.float64()),
        })

    def __repr__(self):
        return "<DedupResult: %d of %d documents stay>" % (
            len(self), len(self.mask))

    def _repr_html_(self):
        from .html import rows_html
        return rows_html(
            "%d of %d documents stay" % (len(self), len(self.mask)),
            ("document", "is a copy of", "similarity"),
            ((one.index, one.original if one.duplicate_of is None else
              one.duplicate_of, "%.3f" % one.similarity)
             for one in self.removed))


def select(source, mask, indices, texts, text_field):
    if source is None:
        raise ValueError("the documents were in files: give `output` to have "
                         "what stays written")
    if isinstance(source, (list, tuple)):
        return [replace_text(source[i], texts.get(i), text_field)
                for i in indices]
    if texts:
        source = replace_column(source, texts, text_field)
    module = type(source).__module__.split(".")[0]
    if module == "pandas":
        return source.iloc[indices]
    if module == "polars":
        return source[indices]
    if module == "datasets":
        return source.select(indices)
    pyarrow = import_pyarrow()
    if not isinstance(source, (pyarrow.Table, pyarrow.RecordBatch)):
        source = pyarrow.table(source)
    from .files import bool_array
    return source.filter(bool_array(mask))


def replace_text(item, text, text_field):
    if text is None:
        return item
    if isinstance(item, dict):
        return {**item, text_field: text}
    if isinstance(item, tuple):
        return (item[0], text)
    return text.encode() if isinstance(item, bytes) else text


def replace_column(source, texts, text_field):
    """The table with some texts replaced."""
    pyarrow = import_pyarrow()
    module = type(source).__module__.split(".")[0]
    if module == "datasets":
        return source.map(
            lambda row, i: {text_field: texts.get(i, row[text_field])},
            with_indices=True)
    if module == "pandas":
        source = source.copy()
        column = source.columns.get_loc(text_field)
        for i, text in texts.items():
            source.iat[i, column] = text
        return source
    if module == "polars":
        values = source[text_field].to_list()
        for i, text in texts.items():
            values[i] = text
        return source.with_columns(
            type(source[text_field])(text_field, values))
    table = source if isinstance(source, pyarrow.Table) else pyarrow.table(
        source)
    at = table.schema.get_field_index(text_field)
    values = table.column(at).to_pylist()
    for i, text in texts.items():
        values[i] = text
    field = table.schema.field(at)
    return table.set_column(at, field, pyarrow.array(values, field.type))


def row_numbers(n, nulls):
    """The rows of `n` documents, of which some rows are none."""
    missing = set(nulls)
    return [row for row in range(n + len(nulls)) if row not in missing]


def with_nulls(decisions, nulls):
    """Decisions by row: a row without a text is not a duplicate, and is
    kept."""
    if not nulls:
        return decisions
    kept, of, similarity, names, texts = decisions
    rows = row_numbers(len(kept), nulls)
    n = len(rows) + len(nulls)
    new_kept = bytearray(b"\1" * n)
    new_of = array.array("q", [-1]) * n
    new_similarity = array.array("d", [0]) * n
    for i, (one, number, value) in enumerate(zip(
            kept, array.array("q", of), array.array("d", similarity))):
        new_kept[rows[i]] = one
        new_of[rows[i]] = rows[number] if number >= 0 else -1
        new_similarity[rows[i]] = value
    return (bytes(new_kept), new_of.tobytes(), new_similarity.tobytes(),
            {rows[i]: name for i, name in names.items()},
            {rows[i]: text for i, text in texts.items()})


OPTIONS = ("cluster", "measure", "tokens", "shingle", "bands", "rows",
           "preset", "min_tokens", "memory", "annotate", "format")


def dedup(source, *, threshold=0.8, keep="first", level="document",
          against=None, fields=None, kind=None, threads=None, output=None,
          report=None, resume=False, progress=None, **options):
    """Removes near-duplicates. Nothing is removed without a comparison.

    `source`: a list of texts or dicts, an Arrow, pandas or polars table, a
    Hugging Face dataset, or pathlib.Path (one or a list) for files, which need
    an `output`. `keep`: "first", "last", "longest", or "field:NAME" for the
    largest value of a field of files. `level`: "document", "passage",
    "sentence", "line". `against`: paths of files or stores to compare with.

    >>> story = "the lamp will be lit again in spring once it is back " * 3
    >>> result = dedup([story + "today", "another text", story + "tomorrow"])
    >>> result.indices
    [0, 1]
    """
    for name in options:
        if name not in OPTIONS:
            raise TypeError("there is no option %r; there are %s" %
                            (name, ", ".join(sorted(OPTIONS))))
    what, value = describe(source)
    if what == "paths" and output is None:
        raise ValueError("files need an output: dedup(path, output='kept.jsonl')")
    if what == "items" and not isinstance(value, (list, tuple)):
        source = value = list(value)
    if what == "arrow" and not can_be_read_again(source):
        # It is needed once more, for what stays.
        source = import_pyarrow().RecordBatchReader.from_stream(
            source).read_all()
    options.update(threshold=threshold, level=level, resume=resume)
    options["keep"], _, field = keep.partition(":")
    options["keep_field"] = field or None
    if output is not None:
        options["output"] = os.fsdecode(output)
    if report is not None:
        options["report"] = os.fsdecode(report)
    if against is not None:
        options["against"] = encode_paths(against)
    show, close = progress_of(progress, "dedup")
    given = make_input(source, fields=fields, kind=kind, threads=threads,
                       on_progress=show)
    try:
        counts, decisions = _origo.dedup(given, options, not resume)
    finally:
        close()
    return DedupResult(None if what == "paths" else source, counts,
                       with_nulls(decisions, null_rows(given)), fields)


PHRASE = 8  # words in a passage that are no longer just a phrase
# Words, and single characters of scripts that put nothing between words.
WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|\w+?(?="
                  r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|\W|$)")


def longest_run(a, b):
    """The longest run of words that two texts share."""
    words = [WORD.findall(one.casefold()) for one in (a, b)]
    return difflib.SequenceMatcher(None, *words, autojunk=False) \
        .find_longest_match(0, len(words[0]), 0, len(words[1])).size


class Contamination(Record):
    """A document that contains a benchmark item, or much of one."""

    __slots__ = ("index", "item", "matching", "share")

    def __init__(self, index, item, matching, share):
        self.index = index
        self.item = item
        self.matching = matching
        self.share = share

    def __repr__(self):
        return "<document %d has %d words of %r: %.0f %% of it>" % (
            self.index, self.matching, self.item, 100 * self.share)


class DecontaminationResult:
    """`found` lists which documents contain which items; `kept` is the corpus
    without these documents."""

    def __init__(self, source, n, found):
        self._source = source
        self.found = found
        gone = {one.index for one in found}
        self.mask = bytes(i not in gone for i in range(n))

    @property
    def indices(self):
        return [i for i, is_kept in enumerate(self.mask) if is_kept]

    @property
    def kept(self):
        return select(self._source, self.mask, self.indices, {}, "text")

    def __len__(self):
        return sum(self.mask)

    def to_dict(self):
        return {"n_documents": len(self.mask),
                "found": [one.to_dict() for one in self.found]}

    def to_arrow(self):
        """One row for each item in a document: index, item, matching,
        share."""
        pyarrow = import_pyarrow()
        return pyarrow.table({
            "index": pyarrow.array([one.index for one in self.found],
                                   pyarrow.int64()),
            "item": pyarrow.array([str(one.item) for one in self.found],
                                  pyarrow.string()),
            "matching": pyarrow.array([one.matching for one in self.found],
                                      pyarrow.int64()),
            "share": pyarrow.array([one.share for one in self.found],
                                   pyarrow.float64()),
        })

    def _repr_html_(self):
        from .html import rows_html
        return rows_html(
            "%d of %d documents stay" % (len(self), len(self.mask)),
            ("document", "holds the item", "words", "share of the item"),
            ((one.index, one.item, one.matching, "%.0f %%" % (
                100 * one.share)) for one in self.found))

    def __repr__(self):
        return "<DecontaminationResult: %d of %d documents stay>" % (
            len(self), len(self.mask))


def without_ids(source):
    """Documents are identified by their position, whatever their ids are."""
    for item in source:
        yield (None, item[1]) if isinstance(item, tuple) else item


def fill_benchmark(store, benchmarks, fields):
    """{id: (name, words)} of all items."""
    items = {}
    names = {"id": "id", "text": "text", **(fields or {})}
    what, value = describe(benchmarks)
    if what == "arrow":
        pyarrow = import_pyarrow()
        value = pyarrow.table(benchmarks).to_pylist()
    elif what == "paths":
        from .store import read
        value = read(value, fields=fields)
        names = {"id": "id", "text": "text"}
    for number, item in enumerate(value):
        name, text = number, item
        if isinstance(item, dict):
            text = item.get(names["text"])
            name = item.get(names["id"], number)
        elif isinstance(item, tuple):
            name, text = item
        if not text:
            continue
        # Before everything else: it is the origin of what shares its words.
        answer = store.trace(
            {"id": "item:%d" % number, "time": "0001-01-01", "text": text},
            add=True)
        items["item:%d" % number] = (name, answer.n_tokens)
    return items


def decontaminate(corpus, benchmarks, *, min_share=0.5, min_words=13,
                  fields=None, benchmark_fields=None, kind=None, threads=None,
                  memory=None, progress=None):
    """Finds the documents of `corpus` that contain items of `benchmarks`.

    A document is contaminated by an item if it contains a share of at least
    `min_share` of the words of the item, with one passage longer than a
    phrase, or `min_words` consecutive words of it. Passages are compared word
    by word. Punctuation and case do not matter, nor, for the share, do a few
    changed words.
    """
    what, value = describe(corpus)
    if what == "items" and not isinstance(value, (list, tuple)):
        corpus = value = list(value)
    found, n = find_items(corpus, benchmarks, min_share, min_words, fields,
                          benchmark_fields, kind, threads, memory, progress)
    return DecontaminationResult(None if what == "paths" else corpus, n, found)


def find_items(corpus, benchmarks, min_share, min_words, fields=None,
               benchmark_fields=None, kind=None, threads=None, memory=None,
               progress=None):
    """Returns the matches and the number of rows. Reads the corpus once."""
    from .store import Store
    what, value = describe(corpus)
    matching = {}

    def take(pair, text, number):
        for span, excerpt in zip(json.loads(pair[0])["spans"], pair[1]):
            key = (number, span["origin"]["id"])
            words = row = span.get("n_matching", span["n_tokens"])
            if words >= min_words and words < span["n_tokens"] and excerpt:
                # Some words of the passage are others: not all are in a row.
                row = longest_run(text[span["begin"]:span["end"]], excerpt)
            total, longest, in_row = matching.get(key, (0, 0, 0))
            matching[key] = (total + words, max(longest, words),
                             max(in_row, row))
    with tempfile.TemporaryDirectory() as folder:
        with Store(os.path.join(folder, "items"), preset="short",
                   memory=memory or 64 << 20) as store:
            items = fill_benchmark(store, benchmarks, benchmark_fields)
            given = corpus if what != "items" else without_ids(value)
            show, close = progress_of(progress, "decontaminate")
            source = make_input(given, fields={**(fields or {}), "id": None},
                                kind=kind, threads=threads, on_progress=show)
            try:
                counts, _ = store._store.run(source, None, False, take, False,
                                             True)
            finally:
                close()
    nulls = null_rows(source)
    rows = row_numbers(counts["n_documents"], nulls)
    found = []
    for (index, item), (words, longest, in_row) in sorted(matching.items()):
        name, length = items[item]
        share = min(1.0, words / length) if length else 0.0
        # Phrases that any two texts share add up: one passage must be longer.
        is_item = share >= min_share and longest >= min(PHRASE, length)
        if is_item or in_row >= min_words:
            found.append(Contamination(rows[index], name, words, share))
    return found, len(rows) + len(nulls)
