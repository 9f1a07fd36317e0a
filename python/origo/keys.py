"""Keys of documents: those that may share text have one in common."""

import array

from . import _origo
from .sources import make_input, null_rows

__all__ = ["Keys", "band_keys", "compare_pairs", "fingerprint_keys",
           "least_equal"]


class Keys:
    """The keys of all rows of a source, and the number of keys of each row.

    `values` and `tokens` are buffers of uint64 and uint32 (`memoryview`),
    `counts` a list with a number for each row; a row without a text has none.
    `tokens` has the first token of each key and is empty for bands; `samples`
    has, for bands, the sketch of each document: bytes, as many for each.
    """

    __slots__ = ("counts", "n_tokens", "samples", "tokens", "values")

    def __init__(self, values, tokens, counts, n_tokens, samples=b""):
        self.values = values
        self.tokens = tokens
        self.counts = counts
        self.n_tokens = n_tokens
        self.samples = samples

    def __len__(self):
        return len(self.counts)

    def __repr__(self):
        return "<Keys: %d of %d documents>" % (len(self.values), len(self))


def insert_zeros(values, rows):
    """The list with a 0 for each of these rows."""
    values = list(values)
    for row in rows:
        values.insert(row, 0)
    return values


def make_keys(function, source, options, fields, threads):
    given = make_input(source, fields={"id": None, **(fields or {})},
                       threads=threads)
    _, values, tokens, counts, n_tokens, samples = function(given, options)
    nulls = null_rows(given)
    return Keys(memoryview(values).cast("Q"), memoryview(tokens).cast("I"),
                insert_zeros(memoryview(counts).cast("q"), nulls),
                insert_zeros(memoryview(n_tokens).cast("q"), nulls),
                memoryview(samples))


def band_keys(source, *, fields=None, threads=None, **options):
    """Returns the bands of each document: `dedup` compares two documents only
    if they share one. The options are those of `dedup`.

    >>> keys = band_keys(["one text", "another text", "one text"])
    >>> bands = [set(keys.values[i * 14:i * 14 + 14]) for i in range(3)]
    >>> bands[0] == bands[2], bands[0] & bands[1]
    (True, set())
    """
    return make_keys(_origo.band_keys, source, options, fields, threads)


def compare_pairs(source, pairs, *, fields=None, threads=None, **options):
    """Returns the similarity of each pair of rows as `dedup` finds it, 0 where
    it is below the threshold. `pairs`: row numbers, two for each pair, in a
    list of pairs or a buffer of int64. All rows must have a text. The options
    are those of `dedup`.

    >>> texts = ["a lamp will be lit in spring", "A lamp will be lit in spring",
    ...          "another text"]
    >>> list(compare_pairs(texts, [(0, 1), (0, 2)]))
    [1.0, 0.0]
    """
    if isinstance(pairs, (list, tuple)):
        pairs = array.array("q", [row for pair in pairs for row in pair])
    given = make_input(source, fields={"id": None, **(fields or {})},
                       threads=threads)
    return memoryview(_origo.compare_pairs(given, options, bytes(
        memoryview(pairs).cast("B")))).cast("d")


def least_equal(**options):
    """Returns how many samples of their sketches two documents must have in
    common for `dedup` to compare them. The options are those of `dedup`.

    >>> least_equal(), least_equal(threshold=0.5)
    (72, 34)
    """
    return _origo.least_equal(options)


def fingerprint_keys(source, *, fields=None, threads=None, **options):
    """Returns the fingerprints of each document that a Store would look up.
    The options are those of a new Store."""
    return make_keys(_origo.fingerprint_keys, source, options, fields, threads)
