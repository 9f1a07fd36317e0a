"""Which sketches are worth comparing."""


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


class MinHashLSH:
    """An index of sketches that finds those above a threshold, as
    datasketch.MinHashLSH does, in memory.

    >>> from origo import MinHash
    >>> lsh = MinHashLSH(threshold=0.5, num_perm=128)
    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch(list("abcdefgh")); b.update_batch(list("abcdefgi"))
    >>> lsh.insert("a", a)
    >>> lsh.query(b)
    ['a']
    """

    def __init__(self, threshold=0.9, num_perm=128, weights=(0.5, 0.5),
                 params=None):
        if not 0 <= threshold <= 1:
            raise ValueError("threshold must be from 0 to 1")
        if num_perm < 2:
            raise ValueError("num_perm must be at least 2")
        if params is not None:
            self.b, self.r = params
            if self.b * self.r > num_perm:
                raise ValueError("%d bands of %d rows are more than %d samples"
                                 % (self.b, self.r, num_perm))
        else:
            if any(not 0 <= w <= 1 for w in weights) or sum(weights) != 1:
                raise ValueError("weights must be two from 0 to 1 with sum 1")
            plan = (threshold, num_perm, tuple(weights))
            if plan not in _plans:
                _plans[plan] = best_bands(*plan)
            self.b, self.r = _plans[plan]
        self.threshold = threshold
        self.h = num_perm
        width = 4 * self.r
        self._slices = [slice(i * width, (i + 1) * width)
                        for i in range(self.b)]
        self._tables = [{} for _ in range(self.b)]
        self._keys = {}

    def _digest(self, minhash):
        if len(minhash) != self.h:
            raise ValueError("a sketch of %d samples, where %d are expected" %
                             (len(minhash), self.h))
        return minhash._sketch.digest_bytes()

    def insert(self, key, minhash, check_duplication=True):
        if check_duplication and key in self._keys:
            raise ValueError("the key %r is there already" % (key,))
        digest = self._digest(minhash)
        self._keys[key] = digest
        for table, part in zip(self._tables, self._slices):
            table.setdefault(digest[part], []).append(key)

    def query(self, minhash):
        """Keys with a band in common, in no order that means anything."""
        digest = self._digest(minhash)
        found = set()
        for table, part in zip(self._tables, self._slices):
            keys = table.get(digest[part])
            if keys is not None:
                found.update(keys)
        return list(found)

    def remove(self, key):
        digest = self._keys.pop(key)
        for table, part in zip(self._tables, self._slices):
            keys = table[digest[part]]
            keys.remove(key)
            if not keys:
                del table[digest[part]]

    def insertion_session(self, buffer_size=50000):
        """For programs that were written for a database: there is nothing to
        be buffered."""
        return _Session(self)

    def get_counts(self):
        """For each band, how many keys are under each of its values."""
        return [{value: len(keys) for value, keys in table.items()}
                for table in self._tables]

    def is_empty(self):
        return not self._keys

    def __contains__(self, key):
        return key in self._keys

    def __len__(self):
        return len(self._keys)

    def __repr__(self):
        return "<MinHashLSH: %d keys, %d bands of %d rows>" % (
            len(self._keys), self.b, self.r)


class _Session:
    def __init__(self, lsh):
        self.lsh = lsh

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        pass

    def insert(self, key, minhash, check_duplication=True):
        self.lsh.insert(key, minhash, check_duplication)
