"""Sketches, with the habits of datasketch."""

import copy
import pickle
import random
import subprocess
import sys

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


class Plain:
    """Bands as their definition has them."""

    def __init__(self, b, r):
        self.b, self.r, self.tables = b, r, [{} for _ in range(b)]

    def bands(self, sketch):
        digest = list(sketch.digest())
        return [tuple(digest[i * self.r:(i + 1) * self.r])
                for i in range(self.b)]

    def insert(self, key, sketch):
        for table, band in zip(self.tables, self.bands(sketch)):
            table.setdefault(band, []).append(key)

    def remove(self, key):
        for table in self.tables:
            for keys in table.values():
                while key in keys:
                    keys.remove(key)

    def query(self, sketch):
        return {key for table, band in zip(self.tables, self.bands(sketch))
                for key in table.get(band, ())}


def test_lsh_is_what_bands_are():
    rng = random.Random(8)
    lsh = MinHashLSH(num_perm=32, params=(8, 2))
    plain = Plain(8, 2)
    keys = {}
    for step in range(3000):
        # Few different elements: chains are long, tables become small again.
        elements = [rng.randrange(40) for _ in range(rng.randrange(1, 12))]
        if keys and rng.random() < (0.6 if step % 1000 > 500 else 0.1):
            key = rng.choice(sorted(keys))
            del keys[key]
            lsh.remove(key)
            plain.remove(key)
        else:
            keys[step] = sketch(elements, num_perm=32)
            lsh.insert(step, keys[step])
            plain.insert(step, keys[step])
        found = lsh.query(sketch(elements, num_perm=32))
        assert len(found) == len(set(found))
        assert set(found) == plain.query(sketch(elements, num_perm=32))
    assert len(lsh) == len(keys)
    counts = [sorted(one.values()) for one in lsh.get_counts()]
    assert counts == [sorted(len(one) for one in table.values() if one)
                      for table in plain.tables]
    for key in list(keys):
        lsh.remove(key)
    assert lsh.is_empty()
    assert lsh.query(sketch([1], num_perm=32)) == []


def test_lsh_copies_and_merges():
    a, b = MinHashLSH(0.5), MinHashLSH(0.5)
    for i in range(20):
        (a if i % 2 else b).insert(("key", i), sketch(range(i * 100,
                                                            i * 100 + 50)))
    other = pickle.loads(pickle.dumps(a))
    assert len(other) == 10
    assert other.query(sketch(range(300, 350))) == [("key", 3)]
    other.merge(b, check_overlap=True)
    assert len(other) == 20
    assert other.query(sketch(range(400, 450))) == [("key", 4)]
    with pytest.raises(ValueError, match="both"):
        other.merge(a, check_overlap=True)
    with pytest.raises(ValueError, match="same bands"):
        other.merge(MinHashLSH(0.9))
    assert sum(other.get_subset_counts(("key", 3))[0].values()) == 1
    with pytest.raises(KeyError):
        other.get_subset_counts("nobody")


def test_lsh_sessions_and_buffers():
    lsh = MinHashLSH(0.5)
    with lsh.insertion_session() as session:
        for i in range(5):
            session.insert(i, sketch(range(30)))
        session.insert("other", sketch(range(500, 550)))
    lsh.add_to_query_buffer(sketch(range(30)))
    lsh.add_to_query_buffer(sketch(range(30)))
    assert sorted(lsh.collect_query_buffer()) == [0, 1, 2, 3, 4]
    lsh.add_to_query_buffer(sketch(range(30)))
    lsh.add_to_query_buffer(sketch(range(500, 550)))
    assert lsh.collect_query_buffer() == []
    assert lsh.collect_query_buffer() == []
    with lsh.deletion_session() as session:
        session.remove(3)
    assert 3 not in lsh


def test_lsh_of_a_key_twice():
    lsh = MinHashLSH(0.5)
    lsh.insert("a", sketch(range(50)))
    lsh.insert("a", sketch(range(100, 150)), check_duplication=False)
    assert len(lsh) == 1
    assert lsh.query(sketch(range(50))) == ["a"]
    assert lsh.query(sketch(range(100, 150))) == ["a"]
    lsh.remove("a")
    assert lsh.query(sketch(range(50))) == []
    assert lsh.query(sketch(range(100, 150))) == []


def test_lsh_of_bad_keys():
    lsh = MinHashLSH(0.5)
    with pytest.raises(TypeError, match="unhashable"):
        lsh.insert([], sketch(range(3)))
    with pytest.raises(TypeError, match="a sketch is needed"):
        lsh.insert("a", "text")
    with pytest.raises(TypeError, match="a sketch is needed"):
        lsh.query(None)
    with pytest.raises(ValueError, match="over|more"):
        MinHashLSH(num_perm=10, params=(5, 5))
    with pytest.raises(ValueError, match="memory only"):
        MinHashLSH(storage_config={"type": "redis"})
    assert len(lsh) == 0 and lsh.query(sketch(range(3))) == []

    class Angry:
        is_angry = False

        def __hash__(self):
            return 7

        def __eq__(self, other):
            if Angry.is_angry:
                lsh.insert("more", sketch(range(9)), check_duplication=False)
                raise ArithmeticError
            return self is other
    first = Angry()
    lsh.insert(first, sketch(range(3)))
    Angry.is_angry = True
    with pytest.raises(ArithmeticError):
        lsh.insert(Angry(), sketch(range(3)))
    with pytest.raises(ArithmeticError):
        lsh.remove(Angry())
    Angry.is_angry = False
    assert set(lsh.query(sketch(range(3)))) == {first}
    assert lsh.query(sketch(range(9))) == ["more"]


def test_keys_that_hold_the_index_are_collected():
    import gc
    import weakref

    class Key:
        pass
    lsh, key = MinHashLSH(0.5), Key()
    key.lsh = lsh
    lsh.insert(key, sketch(range(3)))
    is_there = weakref.ref(key)
    del lsh, key
    gc.collect()
    assert is_there() is None


def test_sketches_that_were_not_made():
    empty = MinHash.__new__(MinHash)
    for ask in (len, MinHash.digest, MinHash.copy, MinHash.is_empty,
                MinHash.count, lambda m: m.update(b"x"),
                lambda m: m.update_batch([b"x"]), lambda m: m.jaccard(m),
                lambda m: m.merge(m), lambda m: m.seed):
        with pytest.raises(TypeError, match="not made"):
            ask(empty)
    lsh = MinHashLSH.__new__(MinHashLSH)
    for ask in (len, lambda one: one.query(MinHash()), lambda one: 3 in one,
                lambda one: one.insert(1, MinHash()),
                lambda one: one.remove(1), lambda one: one.get_counts()):
        with pytest.raises(TypeError, match="not made"):
            ask(lsh)
    with pytest.raises(TypeError, match="once"):
        MinHash().__init__()


def test_a_batch_is_taken_whole_or_not_at_all():
    a = sketch(range(10))
    with pytest.raises(TypeError):
        a.update_batch([b"1000", 3.5])
    with pytest.raises(ValueError, match="surrogate"):
        a.update_batch(["x", "\ud800"])
    assert a == sketch(range(10))
    b = MinHash(hashfunc=len)
    b.update_batch([b"x"])
    with pytest.raises(TypeError):
        b.update_batch([b"xx", 3])
    assert b.count() == 1


def test_names_of_datasketch():
    a = MinHash(128, seed=2, gpu_mode="disable", permutations=None)
    a.update_batch(b"%d" % i for i in range(10))
    b = MinHash(num_perm=128, seed=2, hashvalues=a.hashvalues)
    assert a.jaccard(b) == 1
    assert (a.num_perm, a.seed, a.hashfunc) == (128, 2, None)
    with pytest.raises(ValueError):
        MinHash(hashvalues=[1 << 32])
    with pytest.raises(TypeError):
        MinHash(hashobj=len)
    with pytest.raises(TypeError):
        MinHash(seed="1")
    assert MinHash(seed=-1).seed == -1
    assert MinHash(seed=1 << 70).seed == 1 << 70


def test_weighted_sketches_in_bands():
    numpy = pytest.importorskip("numpy")
    generator = WeightedMinHashGenerator(20, sample_size=64)
    rows = numpy.array([[1.0] * 20, [0.0] * 20, [1.0] * 19 + [1.1]])
    a, none, b = generator.minhash_many(rows)
    assert none is None
    assert a == generator.minhash([1.0] * 20)
    assert a.jaccard(b) > 0.9
    lsh = origo.WeightedMinHashLSH(0.5, 64)
    lsh.insert("a", a)
    assert lsh.query(b) == ["a"]
    assert pickle.loads(pickle.dumps(a)) == a.copy() == a
    with pytest.raises(ValueError):
        a.jaccard(MinHash(64))


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


def test_closing_an_index_of_codes_commits(tmp_path):
    for i in range(3):  # the folder is made once
        index = HammingIndex(tmp_path / "index")
        assert len(index) == i
        index.add("a", i)
        index.close()
        with pytest.raises(ValueError):
            index.query(1)
        index.close()
    with pytest.raises(origo.NoStoreError):
        HammingIndex(tmp_path / "none", "w")


def test_a_fork_leaves_an_index_of_codes_alone(tmp_path):
    code = """
import os, sys, origo
with origo.HammingIndex(sys.argv[1]) as index:
    index.add("a", 1)
    if os.fork() == 0:
        del index
        sys.exit(0)
    assert os.wait()[1] == 0
    print(len(origo.HammingIndex(sys.argv[1], "r")))
print(len(origo.HammingIndex(sys.argv[1], "r")))
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "index"],
                          capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"0\n1\n"), done.stderr
