#!/usr/bin/env python3
"""The peers of simhash on the features that bench_sketch dumped, one thread.

    bench/peers_simhash.py DUMP PEER...

Lane B: features are prepared (64-bit hashes), the vote alone is timed, the
fastest of N runs. The bits that come out are compared with the definition. A
peer that is not installed, or fails, is named and left out. gaoya has a simhash
too, but no way to have it without its index.

'simhash' and 'simhash-pybind' are modules of the same name: one environment
each."""

import sys
import time


def read_lists(path):
    with open(path, encoding="ascii") as f:
        return [[int(x) for x in line.split()] for line in f]


def definition(features):
    """The paper, word for word."""
    bits = 0
    for j in range(64):
        votes = sum(1 if x >> j & 1 else -1 for x in features)
        if votes > 0:
            bits |= 1 << j
    return bits


def package_simhash():
    """Simhash(features) of the package 'simhash' (numpy), hash kept as it is."""
    from simhash import Simhash
    if not hasattr(Simhash(["a"]), "build_by_features"):
        raise ImportError("another package of that name")

    class Hashed:
        """A feature that encodes to its hash."""
        def __init__(self, value):
            self.value = value.to_bytes(8, "big")

        def encode(self, _):
            return self.value

    def prepare(lists):
        return [[(Hashed(x), 1) for x in one] for one in lists]

    def sketch(prepared):
        keep = lambda x: x
        return [Simhash(one, f=64, hashfunc=keep).value for one in prepared]
    return prepare, sketch


def package_pybind():
    """compute(hashes) of the package 'simhash-pybind' (C++)."""
    from simhash import compute
    return (lambda lists: lists), (lambda lists: [compute(x) for x in lists])


def package_numpy():
    """What a careful user writes by hand: unpackbits and a sum."""
    import numpy

    def prepare(lists):
        return [numpy.array(one, dtype="<u8") for one in lists]

    def sketch(prepared):
        out = []
        for one in prepared:
            bits = numpy.unpackbits(one.view("u1").reshape(-1, 8), axis=1,
                                    bitorder="little")
            signs = 2 * bits.sum(axis=0, dtype="u4") > len(one)
            packed = numpy.packbits(signs, bitorder="little")
            out.append(int(packed.view("<u8")[0]))
        return out
    return prepare, sketch


PEERS = {"simhash": package_simhash, "simhash-pybind": package_pybind,
         "numpy": package_numpy}
RUNS = 3


def main(argv):
    lists = [one for one in read_lists(argv[0]) if one]
    n = sum(len(one) for one in lists)
    check = min(range(len(lists)), key=lambda i: len(lists[i]))
    right = definition(lists[check])
    for name in argv[1:]:
        try:
            prepare, sketch = PEERS[name]()
            prepared = prepare(lists)
            best = None
            for _ in range(RUNS):
                began = time.perf_counter()
                found = sketch(prepared)
                took = time.perf_counter() - began
                best = took if best is None else min(best, took)
            print("%-20s %10.1f ns a feature, %s the definition"
                  % (name, best / n * 1e9,
                     "equal to" if found[check] == right else "NOT"))
        except Exception as problem:
            print("SKIPPED: %s: %s" % (name, problem))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
