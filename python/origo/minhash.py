"""Min-hash with the names and habits of datasketch."""

import struct

from . import _origo


class MinHash(_origo.Sketch):
    """Samples of a set. The share of equal samples of two sketches estimates
    the Jaccard similarity of their sets.

        MinHash(num_perm=128, seed=1, hashfunc=None, hashvalues=None)

    The other parameters of datasketch (`gpu_mode`, `permutations`, `scheme`)
    are accepted and ignored.

    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch([b"%d" % i for i in range(1000)])
    >>> b.update_batch([b"%d" % i for i in range(500, 1500)])
    >>> abs(a.jaccard(b) - 1 / 3) < 0.15
    True
    """

    # What is called often is in C.
    __slots__ = ()

    @classmethod
    def union(cls, *mhs):
        """Returns a new sketch of the union of the sets."""
        if len(mhs) < 2:
            raise ValueError("a union is of two sketches or more")
        result = mhs[0].copy()
        for one in mhs[1:]:
            result.merge(one)
        return result

    def copy(self):
        """Returns an independent sketch with the same elements."""
        other = type(self).__new__(type(self))
        other._set_state(*self._state())
        return other

    __copy__ = copy

    def __getstate__(self):
        return self._state()

    def __setstate__(self, state):
        self._set_state(*state)

    def __eq__(self, other):
        return (isinstance(other, MinHash) and self.seed == other.seed and
                self.num_perm == other.num_perm and
                self._digest_bytes() == other._digest_bytes())

    __hash__ = None

    @classmethod
    def generator(cls, b, **kwargs):
        """Yields a sketch for each set of `b`."""
        for one in b:
            sketch = cls(**kwargs)
            sketch.update_batch(one)
            yield sketch

    @classmethod
    def bulk(cls, b, **kwargs):
        """Returns a list of sketches, one for each set of `b`."""
        return list(cls.generator(b, **kwargs))

    def __repr__(self):
        return "<%s of %d samples>" % (type(self).__name__, len(self))


class LeanMinHash(MinHash):
    """The samples alone: small, and meant to be stored and compared. No
    elements can be added."""

    __slots__ = ()

    def __init__(self, minhash=None, seed=None, hashvalues=None, scheme=None):
        if minhash is not None:
            seed, hashvalues = minhash.seed, minhash.digest()
        if hashvalues is None or seed is None:
            raise ValueError("a sketch, or seed and hashvalues, are needed")
        super().__init__(seed=seed, hashvalues=hashvalues)

    def __hash__(self):
        return hash((self.seed, self._digest_bytes()))

    def bytesize(self, byteorder="@"):
        return struct.calcsize(byteorder + "qi%dI" % self.num_perm)

    def serialize(self, buf, byteorder="@"):
        """Writes the seed, the number of samples and the samples, as
        datasketch does."""
        if len(buf) < self.bytesize(byteorder):
            raise ValueError("the buffer has %d bytes; %d are needed" %
                             (len(buf), self.bytesize(byteorder)))
        struct.pack_into(byteorder + "qi%dI" % self.num_perm, buf, 0,
                         self.seed, self.num_perm, *self.digest())

    @classmethod
    def deserialize(cls, buf, byteorder="@"):
        seed, n = struct.unpack_from(byteorder + "qi", buf, 0)
        values = struct.unpack_from(byteorder + "%dI" % n, buf,
                                    struct.calcsize(byteorder + "qi"))
        return cls(seed=seed, hashvalues=values)


class WeightedMinHash(_origo.Sketch):
    """Samples of a vector; see WeightedMinHashGenerator. `jaccard` estimates
    the generalized similarity: the sum of the smaller weights divided by the
    sum of the larger ones."""

    __slots__ = ()

    def __init__(self, seed, sample_size, pairs):
        self._set_weights(sample_size, seed, pairs)

    @property
    def sample_size(self):
        """The number of samples."""
        return len(self)

    def copy(self):
        """Returns an independent sketch with the same samples."""
        other = type(self).__new__(type(self))
        other._set_state(*self._state())
        return other

    __copy__ = copy

    def __getstate__(self):
        return self._state()

    def __setstate__(self, state):
        self._set_state(*state)

    def __eq__(self, other):
        return (isinstance(other, WeightedMinHash) and
                self.seed == other.seed and
                self._digest_bytes() == other._digest_bytes())

    __hash__ = None

    def __repr__(self):
        return "<WeightedMinHash of %d samples>" % len(self)


class WeightedMinHashGenerator:
    """Sketches vectors of `dim` weights, none of them negative.

    >>> generator = WeightedMinHashGenerator(3, sample_size=256)
    >>> a, b = generator.minhash([1, 2, 3]), generator.minhash([1, 2, 6])
    >>> abs(a.jaccard(b) - 6 / 9) < 0.15
    True
    """

    def __init__(self, dim, sample_size=128, seed=1):
        self.dim = dim
        self.sample_size = sample_size
        self.seed = seed

    def _sketch(self, pairs):
        return WeightedMinHash(self.seed, self.sample_size, pairs)

    def minhash(self, v):
        """Returns the sketch of a vector, a sequence of weights."""
        if len(v) != self.dim:
            raise ValueError("a vector of %d weights, where %d are expected" %
                             (len(v), self.dim))
        pairs = [(i, float(weight)) for i, weight in enumerate(v)
                 if weight != 0]
        if not pairs:
            raise ValueError("a vector of zeros has no samples")
        return self._sketch(pairs)

    def minhash_many(self, X):
        """Returns a list with the sketch of each row of a matrix, which may be
        a sparse scipy matrix; None for a row of zeros."""
        if X.shape[1] != self.dim:
            raise ValueError("rows of %d weights, where %d are expected" %
                             (X.shape[1], self.dim))
        if hasattr(X, "tocsr"):
            X = X.tocsr()
            rows = ([(int(i), float(weight)) for i, weight in zip(
                X.indices[begin:end], X.data[begin:end]) if weight != 0]
                for begin, end in zip(X.indptr, X.indptr[1:]))
        else:
            rows = ([(i, float(weight)) for i, weight in enumerate(row)
                     if weight != 0] for row in X)
        return [self._sketch(row) if row else None for row in rows]
