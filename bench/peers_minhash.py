#!/usr/bin/env python3
"""The peers of min-hash on the sets that bench_minhash dumped, one thread.

    bench/peers_minhash.py DUMP [--samples 128] [--runs 5]

Lane B: tokens are prepared (64-bit numbers), the kernel alone is timed, the
fastest of N runs. Error as in bench_minhash: the mean squared error over
J (1 - J) / samples on copies of which every tenth feature is another. A peer
that is not installed, or fails, is named and left out."""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("RAYON_NUM_THREADS", "1")

MASK = (1 << 64) - 1
ERROR_DOCS = 1500  # the first of the documents; Python is slow
ERROR_SEEDS = 16
PIECE_FEATURES = 20000


def mix64(x):
    x &= MASK
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def read_sets(path):
    with open(path, encoding="ascii") as f:
        return [[int(x) for x in line.split()] for line in f]


def altered(features):
    return [mix64(x + 1) if i % 10 == 0 else x
            for i, x in enumerate(features)]


class Datasketch:
    """MinHash.update_batch with the bare number for a hash."""

    def __init__(self, samples):
        import datasketch
        import numpy
        self.make, self.numpy, self.samples = \
            datasketch.MinHash, numpy, samples

    def prepare(self, sets):
        return [[x & 0xffffffff for x in s] for s in sets]

    def sketch(self, sets, seed):
        first = self.make(self.samples, seed=seed, hashfunc=lambda x: x)
        out = []
        for s in sets:
            one = first.copy()
            one.update_batch(s)
            out.append(one)
        return out

    def rows(self, sketches):
        return [s.hashvalues for s in sketches]


class Rensa:
    """RMinHash.digest_matrix_from_flat_token_hashes, not the rho path."""

    def __init__(self, samples):
        import numpy
        import rensa
        self.kind, self.numpy, self.samples = rensa.RMinHash, numpy, samples

    def prepare(self, sets):
        flat = self.numpy.array([x for s in sets for x in s], dtype="uint64")
        ends = self.numpy.cumsum([0] + [len(s) for s in sets])
        return flat, ends.astype("uint64")

    def sketch(self, prepared, seed):
        return self.kind.digest_matrix_from_flat_token_hashes(
            prepared[0], prepared[1], self.samples, seed)

    def rows(self, matrix):
        return matrix.to_rows()


class RensaC(Rensa):
    """CMinHash.digests64_from_token_hash_sets."""

    def __init__(self, samples):
        import rensa
        self.kind, self.samples = rensa.CMinHash, samples

    def prepare(self, sets):
        return sets

    def sketch(self, sets, seed):
        return self.kind.digests64_from_token_hash_sets(
            sets, self.samples, seed)

    def rows(self, digests):
        return digests


class FastSketch:
    """FastSimilaritySketch.batch_csr, prehashed."""

    def __init__(self, samples):
        import FastSketchLSH
        import numpy
        self.make, self.numpy, self.samples = \
            FastSketchLSH.FastSimilaritySketch, numpy, samples

    prepare = Rensa.prepare

    def sketch(self, prepared, seed):
        return self.make(self.samples, seed).batch_csr(
            prepared[0], prepared[1], True, 1)

    def rows(self, matrix):
        return list(matrix)


class Gaoya:
    """MinHashStringIndex.insert_document: its kernel cannot be called alone,
    so splitting at blanks and the insertion are in the figure."""

    def __init__(self, samples):
        import gaoya.minhash
        self.make, self.samples = gaoya.minhash.MinHashStringIndex, samples

    def prepare(self, sets):
        return [" ".join(str(x) for x in s) for s in sets]

    def sketch(self, texts, seed):
        index = self.make(hash_size=32, num_bands=self.samples // 8,
                          band_size=8, analyzer="word")
        for i, text in enumerate(texts):
            index.insert_document(i, text)

    rows = None


PEERS = [("datasketch", Datasketch), ("rensa RMinHash", Rensa),
         ("rensa CMinHash", RensaC), ("fastsketchlsh", FastSketch),
         ("gaoya (with index)", Gaoya)]


def error_of(peer, sets, samples):
    if peer.rows is None:
        return None
    sets = sets[:ERROR_DOCS]
    square = theory = 0.0
    for seed in range(1, ERROR_SEEDS + 1):
        a = peer.rows(peer.sketch(peer.prepare(sets), seed))
        b = peer.rows(peer.sketch(peer.prepare([altered(s) for s in sets]),
                                  seed))
        for s, x, y in zip(sets, a, b):
            n_other = (len(s) + 9) // 10
            j = (len(s) - n_other) / (len(s) + n_other)
            share = sum(int(p == q) for p, q in zip(x, y)) / samples
            square += (share - j) ** 2
            theory += j * (1 - j) / samples
    return square / theory


def pieces_of(sets):
    """As bench_minhash cuts them: most pass between two interruptions."""
    piece, n = [], 0
    for s in sets:
        piece.append(s)
        n += len(s)
        if n >= PIECE_FEATURES:
            yield piece
            piece, n = [], 0
    if piece:
        yield piece


def fastest(peer, piece, runs):
    prepared = peer.prepare(piece)
    best = float("inf")
    for run in range(runs + 1):
        begin = time.perf_counter()
        peer.sketch(prepared, 1)
        if run > 0:
            best = min(best, time.perf_counter() - begin)
    return best


def measure(name, make, sets, samples, runs):
    try:
        peer = make(samples)
        best = sum(fastest(peer, piece, runs) for piece in pieces_of(sets))
        error = error_of(peer, sets, samples)
    except Exception as why:  # a peer's failure is its own
        print("%-21s SKIPPED: %s: %s" % (name, type(why).__name__, why))
        return None
    ns = 1e9 * best / sum(len(s) for s in sets)
    shown = "     -" if error is None else "%6.3f" % error
    print("%-21s %9.2f ns a feature %7.3f ns a sample   error %s"
          % (name, ns, ns / samples, shown), flush=True)
    return ns


def main(argv):
    dump, samples, runs = argv[0], 128, 5
    for option, value in zip(argv[1::2], argv[2::2]):
        if option == "--samples":
            samples = int(value)
        elif option == "--runs":
            runs = int(value)
        else:
            sys.exit(__doc__)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sets = [s for s in read_sets(dump) if s]
    timed = [measure(name, make, sets, samples, runs) for name, make in PEERS]
    timed = [t for t in timed if t is not None]
    if timed:
        print("\nfastest peer: %.2f ns a feature" % min(timed))


if __name__ == "__main__":
    main(sys.argv[1:])
