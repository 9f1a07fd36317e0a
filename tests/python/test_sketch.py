"""Sketches, with the habits of datasketch."""

import copy
import pickle
import random

import pytest

import origo
from origo import (HammingIndex, LeanMinHash, MinHash, MinHashLSH, SimHash,
                   WeightedMinHashGenerator)


def sketch(elements, **options):
    result = MinHash(**options)
    result.update_batch([b"%d" % one for one in elements])
    return result


def test_estimates():
    errors = []
    for seed in range(30):
        a = sketch(range(300), seed=seed)
        b = sketch(range(150, 450), seed=seed)
        errors.append(a.jaccard(b) - 1 / 3)
    # Of 128 samples each, 30 times: a deviation of 0.0076.
    assert abs(sum(errors) / len(errors)) < 0.03


def test_updates_one_by_one_are_a_batch():
    a, b = MinHash(), sketch(range(100))
    for i in range(100):
        a.update(b"%d" % i)
    assert a == b
    assert a.digest() == b.digest()
    assert len(a.digest()) == len(a) == 128


def test_order_and_repeats_do_not_matter():
    elements = list(range(200)) * 2
    random.Random(1).shuffle(elements)
    assert sketch(elements) == sketch(range(200))
    assert sketch(elements).count() == 200


def test_merging():
    a = sketch(range(100))
    a.merge(sketch(range(50, 150)))
    assert a == sketch(range(150))
    assert MinHash.union(sketch(range(10)), sketch(range(5, 20))) == sketch(
        range(20))


def test_copies():
    a = sketch(range(100))
    for other in (a.copy(), copy.copy(a), pickle.loads(pickle.dumps(a))):
        assert other == a
        other.update(b"new")
        assert other != a
    assert a == sketch(range(100))


def test_own_hash_functions():
    a = MinHash(hashfunc=lambda element: hash(element) & 0xFFFFFFFF)
    a.update_batch(["x", "y"])
    b = MinHash(hashfunc=lambda element: hash(element) & 0xFFFFFFFF)
    b.update("y")
    b.update("x")
    assert a == b


def test_empty():
    a = MinHash()
    assert a.is_empty()
    assert a.jaccard(sketch(range(3))) == 0
    a.update(b"x")
    assert not a.is_empty()
    a.clear()
    assert a.is_empty()


def test_lean():
    a = sketch(range(100))
    lean = LeanMinHash(a)
    assert lean.jaccard(LeanMinHash(sketch(range(100)))) == 1
    assert len({lean, LeanMinHash(a)}) == 1
    with pytest.raises(TypeError):
        lean.update(b"x")
    buffer = bytearray(lean.bytesize())
    lean.serialize(buffer)
    assert LeanMinHash.deserialize(buffer) == lean
    assert pickle.loads(pickle.dumps(lean)) == lean
    with pytest.raises(ValueError):
        lean.serialize(bytearray(3))


def test_sketches_of_other_kinds():
    with pytest.raises(ValueError):
        MinHash(seed=1).jaccard(MinHash(seed=2))
    with pytest.raises(ValueError):
        MinHash(64).jaccard(MinHash(128))
    with pytest.raises(ValueError):
        MinHash(0)
    with pytest.raises(TypeError):
        MinHash().update(3.5)
    with pytest.raises(ValueError):
        MinHash().update("\ud800")


def test_weighted():
    generator = WeightedMinHashGenerator(50, sample_size=512)
    rng = random.Random(5)
    v = [rng.random() for _ in range(50)]
    w = [x * (1 + (i % 2)) for i, x in enumerate(v)]
    exact = sum(map(min, v, w)) / sum(map(max, v, w))
    assert abs(generator.minhash(v).jaccard(generator.minhash(w)) -
               exact) < 0.1
    with pytest.raises(ValueError):
        generator.minhash([0] * 50)
    with pytest.raises(ValueError):
        generator.minhash([1])
    with pytest.raises(ValueError):
        generator.minhash([-1] * 50)


def test_lsh():
    lsh = MinHashLSH(threshold=0.5, num_perm=128)
    for i in range(50):
        lsh.insert(i, sketch(range(i * 1000, i * 1000 + 100)))
    assert 7 in lsh
    assert lsh.query(sketch(range(7000, 7095))) == [7]
    with pytest.raises(ValueError):
        lsh.insert(7, sketch(range(3)))
    lsh.remove(7)
    assert lsh.query(sketch(range(7000, 7095))) == []
    assert len(lsh) == 49
    with pytest.raises(KeyError):
        lsh.remove(7)
    with pytest.raises(ValueError):
        lsh.query(MinHash(64))
    with lsh.insertion_session() as session:
        session.insert("x", sketch(range(5)))
    assert lsh.query(sketch(range(5))) == ["x"]


@pytest.mark.parametrize("bits", [64, 128])
def test_simhash(text, bits):
    a, b = SimHash(text(1), bits=bits), SimHash(text(1) + " x", bits=bits)
    assert a.distance(b) < a.distance(SimHash(text(2), bits=bits))
    assert SimHash(value=int(a), bits=bits) == a
    assert hash(a) == hash(SimHash(text(1), bits=bits))


@pytest.mark.parametrize("bits", [64, 128])
def test_hamming(tmp_path, bits):
    rng = random.Random(3)
    codes = [rng.getrandbits(bits) for _ in range(300)]
    with HammingIndex(tmp_path / "index", bits=bits) as index:
        for i, code in enumerate(codes):
            index.add(str(i), code)
    with HammingIndex(tmp_path / "index", "r") as index:
        assert index.bits == bits
        near = codes[5] ^ 0b101
        assert index.query(near) == [("5", codes[5], 2)]
        assert index.query(near, 1) == []
        with pytest.raises(origo.UsageError):
            index.query(near, 9)
    with pytest.raises(ValueError):
        HammingIndex().add("a", 1 << 64)
    with pytest.raises(ValueError):
        HammingIndex().add("a", -1)
