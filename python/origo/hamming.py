"""Simhash, and codes within a few bits of each other."""

import os

from . import _origo

LOW = (1 << 64) - 1


class SimHash:
    """A 64- or 128-bit code. The codes of similar texts differ in few bits.

    >>> a = SimHash("the lamp will be lit again in the spring of next year")
    >>> b = SimHash("The lamp will be lit again in the spring of next year!")
    >>> a.distance(b)
    0
    """

    __slots__ = ("bits", "value")

    def __init__(self, text=None, *, bits=64, phrase=3, value=None):
        if bits not in (64, 128):
            raise ValueError("bits must be 64 or 128")
        if value is None:
            if text is None:
                raise TypeError("a text or a value is needed")
            low, high = _origo.simhash(text, bits, phrase)
            value = high << 64 | low
        elif not 0 <= value < 1 << bits:
            raise ValueError("the value has more than %d bits" % bits)
        self.bits = bits
        self.value = value

    def distance(self, other):
        if self.bits != other.bits:
            raise ValueError("codes of %d and %d bits" %
                             (self.bits, other.bits))
        return bin(self.value ^ other.value).count("1")

    def __int__(self):
        return self.value

    __index__ = __int__

    def __eq__(self, other):
        return isinstance(other, SimHash) and (
            self.bits, self.value) == (other.bits, other.value)

    def __hash__(self):
        return hash((self.bits, self.value))

    def __repr__(self):
        return "SimHash(value=0x%0*x, bits=%d)" % (
            self.bits // 4, self.value, self.bits)


class HammingIndex:
    """Finds all codes within `max_distance` bits, exactly.

    Without a `path` the index is in memory, otherwise in a folder. `mode` is
    as for Store.

    >>> index = HammingIndex(max_distance=3)
    >>> index.add("a", 0b1011)
    >>> index.query(0b1001)
    [('a', 11, 1)]
    """

    def __init__(self, path=None, mode="a", *, bits=64, max_distance=3):
        if mode not in ("a", "w", "r"):
            raise ValueError("mode %r: must be 'a', 'w' or 'r'" % (mode,))
        folder = None if path is None else os.fsdecode(path)
        self._index = _origo.Hamming(folder, bits, max_distance, mode)
        info = self._index.info()
        self.bits, self.max_distance = info["bits"], info["max_distance"]

    def _split(self, code):
        code = int(code)
        if not 0 <= code < 1 << self.bits:
            raise ValueError("the code has more than %d bits" % self.bits)
        return code & LOW, code >> 64

    def add(self, id, code):
        self._index.change(*self._split(code), id, True)

    def remove(self, id, code):
        self._index.change(*self._split(code), id, False)

    def query(self, code, max_distance=None):
        """[(id, code, distance), ...], by code, then by id."""
        if max_distance is None:
            max_distance = self.max_distance
        found = self._index.ask(*self._split(code), max_distance)
        return [(id, high << 64 | low, distance)
                for id, low, high, distance in found]

    def commit(self):
        self._index.commit()

    def close(self):
        """Commits and closes the index."""
        self._index.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __len__(self):
        return self._index.info()["n_entries"]

    def __repr__(self):
        return "<HammingIndex of %d codes, %d bits, up to %d apart>" % (
            len(self), self.bits, self.max_distance)
