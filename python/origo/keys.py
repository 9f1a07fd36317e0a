"""Keys of documents: those that may share text have one in common."""

from . import _origo
from .sources import make_input, null_rows

__all__ = ["Keys", "band_keys", "fingerprint_keys"]


class Keys:
    """The keys of all rows of a source, and the number of keys of each row.

    `values` and `tokens` are buffers of uint64 and uint32 (`memoryview`),
    `counts` a list with a number for each row; a row without a text has none.
    `tokens` has the first token of each key and is empty for bands.
    """

    __slots__ = ("counts", "n_tokens", "tokens", "values")

    def __init__(self, values, tokens, counts, n_tokens):
        self.values = values
        self.tokens = tokens
        self.counts = counts
        self.n_tokens = n_tokens

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
    _, values, tokens, counts, n_tokens = function(given, options)
    nulls = null_rows(given)
    return Keys(memoryview(values).cast("Q"), memoryview(tokens).cast("I"),
                insert_zeros(memoryview(counts).cast("q"), nulls),
                insert_zeros(memoryview(n_tokens).cast("q"), nulls))


def band_keys(source, *, fields=None, threads=None, **options):
    """Returns the bands of each document: `dedup` compares two documents only
    if they share one. The options are those of `dedup`.

    >>> keys = band_keys(["one text", "another text", "one text"])
    >>> bands = [set(keys.values[i * 14:i * 14 + 14]) for i in range(3)]
    >>> bands[0] == bands[2], bands[0] & bands[1]
    (True, set())
    """
    return make_keys(_origo.band_keys, source, options, fields, threads)


def fingerprint_keys(source, *, fields=None, threads=None, **options):
    """Returns the fingerprints of each document that a Store would look up.
    The options are those of a new Store."""
    return make_keys(_origo.fingerprint_keys, source, options, fields, threads)
