"""Which sketches are worth comparing."""

from . import _origo


def probabilities(threshold, n_bands, n_rows, steps=200):
    """How much is found that should not be, and how much is missed."""
    def band(similarity):
        return 1 - (1 - similarity ** n_rows) ** n_bands
    width = 1 / steps
    points = [(i + 0.5) * width for i in range(steps)]
    wrong = sum(band(s) for s in points if s < threshold) * width
    missed = sum(1 - band(s) for s in points if s >= threshold) * width
    return wrong, missed


def best_bands(threshold, num_perm, weights):
    """Bands and rows with the least weighted error."""
    best = None
    for n_bands in range(1, num_perm + 1):
        for n_rows in range(1, num_perm // n_bands + 1):
            wrong, missed = probabilities(threshold, n_bands, n_rows, 100)
            error = weights[0] * wrong + weights[1] * missed
            if best is None or error < best[0]:
                best = (error, n_bands, n_rows)
    return best[1], best[2]


_plans = {}


class MinHashLSH(_origo.Bands):
    """An in-memory index that finds sketches above a similarity threshold,
    like datasketch.MinHashLSH.

    >>> from origo import MinHash
    >>> lsh = MinHashLSH(threshold=0.5, num_perm=128)
    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch(list("abcdefgh")); b.update_batch(list("abcdefgi"))
    >>> lsh.insert("a", a)
    >>> lsh.query(b)
    ['a']
    """

    # What is called often is in C.

    def __init__(self, threshold=0.9, num_perm=128, weights=(0.5, 0.5),
                 params=None, storage_config=None, prepickle=None,
                 hashfunc=None):
        if not 0 <= threshold <= 1:
            raise ValueError("threshold must be from 0 to 1")
        if num_perm < 2:
            raise ValueError("num_perm must be at least 2")
        if storage_config is not None and (
                storage_config.get("type") != "dict"):
            raise ValueError("storage_config: this index is in memory only; "
                             "a Store with the index 'near' is on disk")
        if params is not None:
            self.b, self.r = params
        else:
            if any(not 0 <= w <= 1 for w in weights) or sum(weights) != 1:
                raise ValueError("weights must be two from 0 to 1 with sum 1")
            plan = (threshold, num_perm, tuple(weights))
            if plan not in _plans:
                _plans[plan] = best_bands(*plan)
            self.b, self.r = _plans[plan]
        self.threshold = threshold
        self.h = num_perm
        self._buffer = []
        super().__init__(self.b, self.r, num_perm)

    def insertion_session(self, buffer_size=50000):
        """For compatibility with datasketch. Nothing is buffered."""
        return _Session(self)

    def deletion_session(self, buffer_size=50000):
        """Likewise."""
        return _Session(self)

    def add_to_query_buffer(self, minhash):
        """Adds a query for `collect_query_buffer`."""
        self._buffer.append(set(self.query(minhash)))

    def collect_query_buffer(self):
        """Returns the keys that all queries in the buffer have found."""
        found, self._buffer = self._buffer, []
        return list(set.intersection(*found)) if found else []

    def merge(self, other, check_overlap=False):
        """Adds all keys of another index with the same bands."""
        if not isinstance(other, MinHashLSH) or (
                self.b, self.r, self.h) != (other.b, other.r, other.h):
            raise ValueError("an index with the same bands is needed")
        entries = other._entries()
        if check_overlap and any(key in self for key, _ in entries):
            raise ValueError("a key is in both")
        for key, bands in entries:
            self._add_entry(key, bands)

    def __getstate__(self):
        return (self.threshold, self.h, self.b, self.r, self._entries())

    def __setstate__(self, state):
        threshold, num_perm, b, r, entries = state
        MinHashLSH.__init__(self, threshold, num_perm, params=(b, r))
        for key, bands in entries:
            self._add_entry(key, bands)

    def __repr__(self):
        return "<MinHashLSH: %d keys, %d bands of %d rows>" % (
            len(self), self.b, self.r)


class _Session:
    def __init__(self, lsh):
        self.lsh = lsh
        self.insert = lsh.insert
        self.remove = lsh.remove

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        pass


class WeightedMinHashLSH(MinHashLSH):
    """The same index, for weighted sketches."""
