"""Store: adding, asking, removing, and what Python makes of the answers."""

import datetime
import os
import pathlib
import subprocess
import sys
import threading

import pytest

import origo


def test_a_copy_is_found(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="old", time="2020-01-01", title="The old one")
        answer = store.trace("Before it. " + text(1) + " And behind.")
        assert len(answer.spans) == 1
        span = answer.spans[0]
        assert span.origin == "old"
        assert span.text == text(1)
        assert span.origin_text == text(1)
        assert span.origin_time == datetime.datetime(
            2020, 1, 1, tzinfo=datetime.timezone.utc)
        assert answer.copied > 0.9
        assert answer.origins[0].title == "The old one"
        assert "copied" in repr(answer)
        assert "old" in repr(span)
        assert answer.to_dict()["spans"][0]["origin"]["id"] == "old"


def test_offsets_count_characters(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="old")
        before = "Überraschung für Ärzte 東京 🙂: "
        answer = store.trace(before + text(1))
        assert answer.spans[0].begin == len(before)
        assert answer.spans[0].text == text(1)


def test_what_is_new(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="old")
        answer = store.trace(text(2) + " " + text(1))
        assert answer.novel_texts[0].strip() == text(2)
        assert 0.4 < answer.novel < 0.6


def test_html_is_escaped(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="<script>alert(1)</script>")
        html = store.trace(text(1) + " <b>x</b>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<b>x" not in html
    assert "http" not in html


def test_many_kinds_of_documents(text):
    with origo.Store(":memory:") as store:
        store.add({"id": "a", "text": text(1)})
        store.add(("b", text(2)))
        store.add(text(3).encode(), id=17)
        counts = store.add_many(
            [{"id": "d", "text": text(4), "time": datetime.date(2001, 2, 3)},
             {"id": "e", "text": text(5), "time": 1e9},
             {"id": "f", "text": None}])
        assert counts["n_added"] == 2
        assert counts["n_nulls"] == 1
        assert len(store) == 5
        assert store.trace(text(3)).spans[0].origin == "17"
        assert store.trace(text(4)).spans[0].origin_time.year == 2001


def test_adding_again_changes_nothing(text, store_path):
    with origo.Store(store_path) as store:
        for _ in range(3):
            store.add(text(1), id="a", time="2020")
        assert len(store) == 1


def test_trace_and_add(text):
    with origo.Store(":memory:") as store:
        assert store.trace(text(1), id="a", add=True).spans == []
        assert store.trace(text(1), id="b", add=True).spans[0].origin == "a"


def test_a_store_lasts(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="a", time="1999-05-06", url="http://x/")
    with origo.Store(store_path, "r") as store:
        assert list(store) == [{"id": "a", "time": "1999-05-06T00:00:00Z",
                                "title": None, "url": "http://x/",
                                "text": text(1)}]
        assert store.trace(text(1)).spans[0].origin == "a"
        assert store.verify()["n_documents"] == 1
    assert origo.verify(store_path)["n_documents"] == 1


def test_removing(text, store_path):
    with origo.Store(store_path, indexes="passages,near,sentences") as store:
        store.add(text(1), id="a")
        store.add(text(2), id="b")
        assert store.remove("a") == 1
        assert store.remove("a") == 0
        assert store.trace(text(1)).spans == []
        assert store.near(text(1)) == []
        assert [one["id"] for one in store] == ["b"]


def test_documents_come_one_by_one(text, store_path):
    with origo.Store(store_path) as store:
        store.add_many([{"id": str(i), "text": text(i)} for i in range(30)])
        first, second = iter(store), iter(store)
        assert next(first)["id"] == "0"
        store.add(text(99), id="late")
        store.remove("2")
        assert [one["id"] for one in first] == [
            "1"] + [str(i) for i in range(3, 30)]
        assert next(first, None) is None
        assert next(second)["text"] == text(0)
        assert len(list(store)) == 30
    # The store is closed, whoever still asks.
    with pytest.raises(ValueError, match="closed"):
        next(second)


def test_a_store_that_does_not_fit_is_read(tmp_path):
    with origo.Store(tmp_path / "s") as store:
        for i in range(12):
            store.add("word%d " % i * 400000, id=str(i))
    code = """
import resource, sys, origo
with origo.Store(sys.argv[1], "r") as store:
    documents = iter(store)
    size = len(next(documents)["text"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for one in documents:
        size += len(one["text"])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert size > 25e6, size
assert grown < 12e3, grown
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")],
                          capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_near_and_quote(text, store_path):
    sentence = ("The keeper of the lighthouse said on Monday that the lamp "
                "will be lit again in spring.")
    with origo.Store(store_path, indexes="passages,near,sentences") as store:
        store.add(text(1) + " last", id="a", time="2001")
        store.add("He wrote a letter. " + sentence, id="q", time="2002")
        matches = store.near(text(1) + " other")
        assert matches[0].id == "a"
        assert matches[0].similarity > 0.8
        assert "a" in repr(matches[0])
        quotes = store.quote("And then it came. " + sentence, time="2003")
        assert quotes[0].matches[0].id == "q"
        assert quotes[0].matches[0].similarity == 1
        assert "letter" not in quotes[0].text


def test_all_indexes_in_memory(text):
    with origo.Store(":memory:",
                     indexes="passages,near,sentences") as store:
        store.add_many([{"id": "a", "text": text(1) + ". The end of it all."},
                        {"id": "b", "text": text(2)}])
        assert store.trace(text(1)).spans[0].origin == "a"
        assert store.near(text(2))[0].id == "b"
        assert store.quote(text(1) + ".")[0].matches[0].id == "a"


def test_phrases(text, store_path):
    with origo.Store(store_path) as store:
        store.add_many([
            {"id": "d%d" % i, "time": "200%d" % (i % 5),
             "text": text(i) + (" " + text(99, 20) if i % 2 else "")}
            for i in range(20)])
        phrases = store.phrases(min_documents=5, period="year")
        assert len(phrases) == 1
        one = phrases[0]
        assert (one.text, one.n_documents, one.n_tokens) == (
            text(99, 20), 10, 20)
        assert (one.first, one.first_time.year) == ("d5", 2000)
        assert one.growth == [2, 2, 2, 2, 2]
        assert "in 10 documents" in repr(one)
        assert len(phrases.to_dict()["periods"]) == 5
        assert phrases.to_dict()["documents"][0]["n_covered"] == 20
        assert store.phrases(since="2004", min_documents=2)[0].n_documents == 2
        for bad in ({"since": "someday"}, {"period": "week"}, {"limit": -1},
                    {"limit": 10 ** 6}):
            with pytest.raises(ValueError):
                store.phrases(**bad)
    with origo.Store(store_path.parent / "b", keep_texts=False) as store:
        with pytest.raises(origo.UsageError):
            store.phrases()


def test_an_index_that_is_off(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="a")
        with pytest.raises(origo.UsageError):
            store.near(text(1))
        store.add_index("near")
        assert store.near(text(1))[0].id == "a"
        store.drop_index("near")
        with pytest.raises(origo.UsageError):
            store.near(text(1))


def test_answers_in_order(text):
    seen = []
    with origo.Store(":memory:") as store:
        store.add_many([{"id": str(i), "text": text(i)} for i in range(50)])
        store.trace_many([{"id": "x%d" % i, "text": text(i)}
                          for i in range(50)], threads=4,
                         on_answer=lambda a: seen.append(
                             (a.id, a.spans[0].origin)))
    assert seen == [("x%d" % i, str(i)) for i in range(50)]


def test_a_callback_that_stops(text):
    seen = []

    def take(answer):
        seen.append(answer)
        return len(seen) < 3
    with origo.Store(":memory:") as store:
        with pytest.raises(origo.StoppedError):
            store.trace_many([text(i) for i in range(50)], on_answer=take)
    assert len(seen) == 3


def test_threads_ask_at_the_same_time(text):
    wrong = []
    with origo.Store(":memory:") as store:
        store.add_many([{"id": str(i), "text": text(i)} for i in range(20)])

        def ask():
            for i in range(20):
                spans = store.trace(text(i)).spans
                if not spans or spans[0].origin != str(i):
                    wrong.append(i)
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert wrong == []


def test_files(text, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id":"a","text":"%s","when":"1999"}\n' % text(1))
    with origo.Store(":memory:") as store:
        counts = store.add_many(path, fields={"time": "when"})
        assert counts["n_added"] == 1
        assert store.trace(text(1)).spans[0].origin_time.year == 1999


def test_reading(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<html lang=en><head><title>A title</title></head><body>"
                    "<nav>menu</nav><article><p>%s</p></article></body></html>"
                    % ("The lamp will be lit again in spring, they say. " * 9))
    documents = origo.read(path)
    assert len(documents) == 1
    assert documents[0]["title"] == "A title"
    assert "menu" not in documents[0]["text"]


def test_closed(text, store_path):
    store = origo.Store(store_path)
    store.close()
    store.close()
    with pytest.raises(ValueError, match="closed"):
        store.add(text(1), id="a")
    assert "closed" in repr(store)


def test_no_store(tmp_path):
    with pytest.raises(origo.NoStoreError):
        origo.Store(tmp_path / "none", "r")
    with pytest.raises(origo.NoStoreError):
        origo.verify(tmp_path / "none")


def test_opened_twice(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="a")
        with pytest.raises(origo.BusyError):
            origo.Store(store_path)
        store.commit()


def test_after_a_fork(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="a")
        pid = os.fork()
        if pid == 0:
            try:
                store.trace(text(1))
            except RuntimeError as error:
                os._exit(0 if "fork" in str(error) else 1)
            except BaseException:
                os._exit(2)
            os._exit(3)
        assert os.waitpid(pid, 0)[1] == 0
        store.add(text(2), id="b")
    assert origo.verify(store_path)["n_documents"] == 2


def test_a_fork_that_ends_leaves_the_store_alone(text, store_path):
    """The child's interpreter goes through its whole end."""
    code = """
import os, sys, origo
with origo.Store(sys.argv[1], indexes="passages,near,sentences") as store:
    store.add("before the fork " * 9, id="a")
    one = iter(store)
    next(one)
    if os.fork() == 0:
        sys.exit(0)
    assert os.wait()[1] == 0
    store.add("behind the fork " * 9, id="b")
print(origo.verify(sys.argv[1])["n_documents"])
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code,
                           str(store_path)], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"2\n"), done.stderr


def test_damage_is_named(text, store_path):
    with origo.Store(store_path) as store:
        store.add(text(1), id="a")
    for path in pathlib.Path(store_path, "texts").iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    with pytest.raises(origo.StoreError, match="texts"):
        origo.verify(store_path)


LONG = {
    "trace_many": "store.trace_many(texts, on_answer=lambda one: at_work())",
    "trace_many, as a table": "at_work(); store.trace_many(texts)",
    "trace": "at_work(); store.trace(texts[0])",
    "near_many": "at_work(); store.near_many(texts)",
    "dedup": "at_work(); origo.dedup(texts)",
    "add_many": "store.add_many(at_work() or one for one in documents())",
    "decontaminate": "at_work(); origo.decontaminate(texts, texts[:9])",
    "phrases": "at_work(); store.phrases()",
    "iteration": "[at_work() for one in store]",
    "sketches": "at_work(); origo.MinHash().update_batch(texts)",
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_an_interpreter_that_ends_while_threads_work(call):
    code = """
import itertools, threading, origo
store = origo.Store(":memory:", indexes="passages,near")
texts = ["word%%d " %% i * 50 for i in range(500)]
numbers = itertools.count()
def documents():
    for i in numbers:
        yield {"id": str(i), "text": "name%%d " %% i * 50}
store.add_many(itertools.islice(documents(), 50))
started = threading.Semaphore(0)
def at_work():
    started.release()
def work():
    while True:
        %s
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
for _ in range(5):
    started.acquire()
""" % call
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code],
                          timeout=120, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_ctrl_c(tmp_path):
    code = """
import itertools, os, signal, origo
store = origo.Store(":memory:")
def documents():
    for i in itertools.count():
        if i == 1000:
            os.kill(os.getpid(), signal.SIGINT)
        yield {"id": str(i), "text": "word%d " % i * 50}
try:
    store.add_many(documents())
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code],
                          timeout=60, capture_output=True)
    assert done.stdout == b"interrupted\n", done.stderr


def test_ctrl_c_where_no_python_runs(text):
    """The library's own loop looks for it."""
    code = """
import os, signal, threading, pyarrow, origo
table = pyarrow.table({"text": ["word%d " % i * 300 for i in range(20000)]})
store = origo.Store(":memory:")
def interrupt(*unused):
    os.kill(os.getpid(), signal.SIGINT)
try:
    for _ in range(1000):
        store.trace_many(table, progress=interrupt)
except KeyboardInterrupt:
    print("interrupted")
"""
    pytest.importorskip("pyarrow")
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code],
                          timeout=120, capture_output=True)
    assert done.stdout == b"interrupted\n", done.stderr
