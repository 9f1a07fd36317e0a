"""Min-hash with the names and habits of datasketch."""

import array
import struct

from ._origo import Sketch

NO_SAMPLE = 0xFFFFFFFF


class MinHash:
    """Samples of a set: the share that two of them agree in estimates the
    Jaccard similarity of the sets.

    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch([b"%d" % i for i in range(1000)])
    >>> b.update_batch([b"%d" % i for i in range(500, 1500)])
    >>> abs(a.jaccard(b) - 1 / 3) < 0.15
    True
    """

    __slots__ = ("_sketch", "hashfunc", "num_perm", "seed")

    def __init__(self, num_perm=128, seed=1, hashfunc=None, hashvalues=None):
        if hashvalues is not None:
            num_perm = len(hashvalues)
        if num_perm < 1:
            raise ValueError("num_perm must be at least 1")
        self.num_perm = num_perm
        self.seed = seed
        self.hashfunc = hashfunc
        self._sketch = Sketch(num_perm, seed & 0xFFFFFFFFFFFFFFFF)
        if hashvalues is not None:
            self._sketch.set_state(array.array("I", hashvalues).tobytes(),
                                   None)

    def update(self, b):
        """Adds an element: bytes, or a str, which counts as its UTF-8."""
        self._sketch.update(b if self.hashfunc is None else self.hashfunc(b))

    def update_batch(self, b):
        """Adds many elements at once."""
        if self.hashfunc is not None:
            b = [self.hashfunc(one) for one in b]
        self._sketch.update_batch(b)

    def jaccard(self, other):
        return self._sketch.similarity(other._sketch)

    def count(self):
        """The number of different elements; exact, since they are kept."""
        return self._sketch.count_distinct()

    def merge(self, other):
        """Makes this the sketch of the union."""
        self._sketch.merge(other._sketch)

    @classmethod
    def union(cls, *mhs):
        if len(mhs) < 2:
            raise ValueError("a union is of two sketches or more")
        result = mhs[0].copy()
        for one in mhs[1:]:
            result.merge(one)
        return result

    def digest(self):
        """The samples, an array of unsigned integers of 32 bits."""
        return array.array("I", self._sketch.digest_bytes())

    @property
    def hashvalues(self):
        return self.digest()

    def is_empty(self):
        return self._sketch.is_empty()

    def clear(self):
        self._sketch.clear()

    def copy(self):
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    __copy__ = copy

    def __getstate__(self):
        return (self.num_perm, self.seed, self.hashfunc,
                self._sketch.state())

    def __setstate__(self, state):
        self.num_perm, self.seed, self.hashfunc, sketch = state
        self._sketch = Sketch(self.num_perm, self.seed & 0xFFFFFFFFFFFFFFFF)
        self._sketch.set_state(*sketch)

    def __len__(self):
        return self.num_perm

    def __eq__(self, other):
        return (isinstance(other, MinHash) and self.seed == other.seed and
                self.num_perm == other.num_perm and
                self._sketch.digest_bytes() == other._sketch.digest_bytes())

    __hash__ = None

    @classmethod
    def generator(cls, b, **kwargs):
        """A sketch for each set of `b`, as they are asked for."""
        for one in b:
            sketch = cls(**kwargs)
            sketch.update_batch(one)
            yield sketch

    @classmethod
    def bulk(cls, b, **kwargs):
        return list(cls.generator(b, **kwargs))

    def __repr__(self):
        return "<%s of %d samples>" % (type(self).__name__, self.num_perm)


class LeanMinHash(MinHash):
    """The samples alone: small, to be stored and compared, not added to."""

    __slots__ = ()

    def __init__(self, minhash=None, seed=None, hashvalues=None):
        if minhash is not None:
            seed, hashvalues = minhash.seed, minhash.digest()
        if hashvalues is None or seed is None:
            raise ValueError("a sketch, or seed and hashvalues, are needed")
        super().__init__(seed=seed, hashvalues=hashvalues)

    def __hash__(self):
        return hash((self.seed, self._sketch.digest_bytes()))

    def bytesize(self, byteorder="@"):
        return struct.calcsize(byteorder + "qi%dI" % self.num_perm)

    def serialize(self, buf, byteorder="@"):
        """Writes seed, number and samples, as datasketch does."""
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


class WeightedMinHash:
    """Samples of a vector; see WeightedMinHashGenerator."""

    __slots__ = ("_sketch", "sample_size", "seed")

    def __init__(self, seed, sample_size, pairs):
        self.seed = seed
        self.sample_size = sample_size
        self._sketch = Sketch(sample_size, seed & 0xFFFFFFFFFFFFFFFF, True)
        self._sketch.set_weights(pairs)

    def jaccard(self, other):
        """The generalized similarity: the sum of the smaller weights over the
        sum of the larger ones."""
        return self._sketch.similarity(other._sketch)

    def digest(self):
        return array.array("I", self._sketch.digest_bytes())

    @property
    def hashvalues(self):
        return self.digest()

    def __len__(self):
        return self.sample_size

    def __eq__(self, other):
        return (isinstance(other, WeightedMinHash) and
                self.seed == other.seed and self.digest() == other.digest())

    __hash__ = None

    def __repr__(self):
        return "<WeightedMinHash of %d samples>" % self.sample_size


class WeightedMinHashGenerator:
    """Makes sketches of vectors of `dim` weights, none of them negative.

    >>> generator = WeightedMinHashGenerator(3, sample_size=256)
    >>> a, b = generator.minhash([1, 2, 3]), generator.minhash([1, 2, 6])
    >>> abs(a.jaccard(b) - 6 / 9) < 0.15
    True
    """

    def __init__(self, dim, sample_size=128, seed=1):
        self.dim = dim
        self.sample_size = sample_size
        self.seed = seed

    def minhash(self, v):
        if len(v) != self.dim:
            raise ValueError("a vector of %d weights, where %d are expected" %
                             (len(v), self.dim))
        pairs = [(i, float(weight)) for i, weight in enumerate(v)
                 if weight != 0]
        if not pairs:
            raise ValueError("a vector of zeros has no samples")
        return WeightedMinHash(self.seed, self.sample_size, pairs)


