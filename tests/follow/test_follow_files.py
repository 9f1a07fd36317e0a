#!/usr/bin/env python3
"""Files that grow, are rotated and truncated, and folders:
tests/follow/test_follow_files.py ORIGO"""

import os
import signal

import follow_support as support
from follow_support import equal, line


def test_growing(origo):
    """Half a line waits; a broken one is named; nothing comes twice."""
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a") + line("b")[:10])
        said = p.once(path)
        assert "1 document" in said, said
        equal(p.ids(), ["a"])
        p.append("f.jsonl", line("b")[10:] + "\nno json\n" + line("c"))
        said = p.once(path)
        assert "f.jsonl:4: " in said, said
        assert "1 skipped" in said and "2 documents" in said, said
        equal(p.ids(), ["a", "b", "c"])
        # A whole object needs no newline when nobody waits for more.
        p.append("f.jsonl", line("d").rstrip())
        p.once(path)
        p.append("f.jsonl", "\n" + line("e"))
        said = p.once(path)
        assert "1 document," in said, said
        equal(p.ids(), ["a", "b", "c", "d", "e"])


def test_fields(origo):
    with support.Place(origo) as p:
        path = p.write("f.jsonl", '{"key":"k","body":"some text","more":[1]}\n'
                       '{"body":"no name"}\n')
        p.once("--id-field", "key", "--text-field", "body", path)
        documents = p.documents()
        equal(documents["k"]["text"], "some text")
        equal(documents["k"]["more"], [1])
        equal(len(documents), 2)
        assert all(id == "k" or id.startswith("sha256:") for id in documents)


def test_rotated(origo):
    """The old file is read to its end, also after a restart."""
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a"))
        process = p.start("--interval", "1", path)
        p.wait_for_ids(["a"], process)
        p.append("f.jsonl", line("b"))
        os.rename(path, path + ".1")
        p.append("f.jsonl.1", line("c"))
        p.write("f.jsonl", line("d"))
        p.wait_for_ids(["a", "b", "c", "d"], process)
        support.end(process)
        p.append("f.jsonl", line("e"))
        os.rename(path, path + ".2")
        p.write("f.jsonl", line("f"))
        p.once(path)
        equal(p.ids(), ["a", "b", "c", "d", "e", "f"])


def test_truncated(origo):
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a") + line("b"))
        p.once(path)
        p.write("f.jsonl", line("c"))
        said = p.once(path)
        assert "was replaced" in said, said
        equal(p.ids(), ["a", "b", "c"])
        # As long as before, and longer: the bytes before the place differ.
        p.write("f.jsonl", line("d") + line("e"))
        p.once(path)
        equal(p.ids(), ["a", "b", "c", "d", "e"])


def test_truncated_while_it_runs(origo):
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a") + line("b"))
        process = p.start("--interval", "1", path)
        p.wait_for_ids(["a", "b"], process)
        p.write("f.jsonl", line("c"))
        p.wait_for_ids(["a", "b", "c"], process)
        assert "was truncated" in support.end(process)


def test_not_there_yet(origo):
    with support.Place(origo) as p:
        process = p.start("--interval", "1", p.path("f.jsonl"))
        p.write("f.jsonl", line("a"))
        p.wait_for_ids(["a"], process)
        support.end(process)
        p.once(p.path("none.jsonl"), status=3)


def test_long_lines(origo):
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a") + line("b", "x " * 400000)
                       + line("c") + line("d", "y " * 3000) + line("e"))
        said = p.once("--max-document", "4000", path)
        equal(p.ids(), ["a", "c", "e"])
        assert "f.jsonl:2: " in said and "2 skipped" in said, said


def test_killed(origo):
    """Many documents in small batches, killed again and again: all are there,
    each once."""
    with support.Place(origo) as p:
        ids = ["d%04d" % i for i in range(3000)]
        path = p.write("f.jsonl", "".join(line(i) for i in ids))
        for n in (1, 500, 1500):
            process = p.start("--max-batch", "4Ki", path)
            p.wait_for(lambda: len(p.ids()) >= n, process)
            support.end(process, signal.SIGKILL)
        p.once("--max-batch", "64Ki", path)
        equal(p.ids(), ids)


def test_two_files(origo):
    with support.Place(origo) as p:
        a = p.write("a.jsonl", "".join(line("a%d" % i) for i in range(3000)))
        b = p.write("b.jsonl", "".join(line("b%d" % i) for i in range(100)))
        said = p.once(a, b)
        assert "3100 documents" in said, said
        equal(len(p.ids()), 3100)
        assert "0 documents" in p.once(a, b)


def test_folder(origo):
    with support.Place(origo) as p:
        os.makedirs(p.path("in/deep"))
        p.write("in/a.txt", "A plain text.")
        p.write("in/deep/b.jsonl", line("b1") + line("b2"))
        p.write("in/.hidden", "x")
        p.write("in/half.tmp", "x")
        p.once(p.path("in"))
        first = p.ids()
        equal(len(first), 3)
        assert "0 documents" in p.once(p.path("in"))
        p.write("in/c.html", "<html><body><p>A page of some words that are its "
                "main text, as one can see.</p></body></html>")
        said = p.once(p.path("in"))
        assert "1 document," in said, said
        equal(len(p.ids()), 4)


def test_folder_while_it_runs(origo):
    with support.Place(origo) as p:
        os.makedirs(p.path("in"))
        process = p.start("--interval", "1", p.path("in"))
        p.write("in/a.jsonl", line("a"))
        p.wait_for_ids(["a"], process)
        p.write("in/b.jsonl", line("b"))
        p.wait_for_ids(["a", "b"], process)
        support.end(process)


def test_positions_survive_compaction(origo):
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a"))
        p.once(path)
        support.subprocess.run([origo, "compact", "-s", p.store], check=True,
                               capture_output=True, timeout=support.LONG)
        assert "0 documents" in p.once(path)


if __name__ == "__main__":
    support.main(globals())
