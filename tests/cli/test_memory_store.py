#!/usr/bin/env python3
"""A store in memory: tests/cli/test_memory_store.py ORIGO

- It answers as a store on disk does, to the byte.
- Planted copies of 50 tokens and more are found exact to the byte, on both
  sides.
- When its texts do not fit, answers come from fingerprints, and that is said.
- Versions of a document whose older text is gone are kept all the same."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

SAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "sample"
failed = 0


def check(ok, text):
    global failed
    failed += not ok
    print(("ok " if ok else "FAILED ") + text)


def trace(origo, store, path, *options):
    done = subprocess.run(
        [origo, "trace", "--add", "-s", store, "--key", "default", "--format",
         "json", *options,
         path], capture_output=True, timeout=300)
    if done.returncode != 0:
        sys.exit(done.stderr.decode("utf-8", "replace"))
    return done.stdout, done.stderr.decode()


def words_of(rng, n):
    return [rng.choice("bcdfghklmnprst") + rng.choice("aeiou") +
            rng.choice("bcdfghklmnprst") + str(rng.randrange(2000))
            for _ in range(n)]


def planted(rng, n):
    """Documents, and where each copy begins and ends on both sides."""
    documents, copies = [], []
    for i in range(n):
        origin = words_of(rng, rng.randrange(150, 400))
        documents.append({"id": f"o{i}", "text": " ".join(origin)})
        length = rng.randrange(50, 120)
        begin = rng.randrange(0, len(origin) - length)
        before = words_of(rng, rng.randrange(0, 60))
        after = words_of(rng, rng.randrange(0, 60))
        copied = " ".join(origin[begin:begin + length])
        head = " ".join(before) + (" " if before else "")
        origin_begin = len(" ".join(origin[:begin])) + (begin > 0)
        documents.append({"id": f"c{i}", "text":
                          " ".join(before + [copied] + after)})
        copies.append((f"c{i}", f"o{i}", len(head), len(head) + len(copied),
                       origin_begin, origin_begin + len(copied)))
    return documents, copies


def write(path, documents):
    path.write_text("".join(json.dumps(d) + "\n" for d in documents))
    return str(path)


def exact(answers, copies):
    found = {a["id"]: a["spans"] for a in answers}
    return sum(any((s["begin"], s["end"], s["origin"]["id"],
                    s["origin"]["begin"], s["origin"]["end"]) ==
                   (begin, end, origin, origin_begin, origin_end)
                   for s in found[copy])
               for copy, origin, begin, end, origin_begin, origin_end
               in copies)


def main():
    origo, rng = sys.argv[1], random.Random(4)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sample = str(SAMPLE / "documents.jsonl")
        for options in ([], ["--reworded"], ["--threads", "1"]):
            memory = trace(origo, ":memory:", sample, *options)[0]
            disk = trace(origo, str(folder / ("s" + "".join(options))), sample,
                         *options)[0]
            check(memory == disk, "as-on-disk " + " ".join(options))

        documents, copies = planted(rng, 300)
        path = write(folder / "planted.jsonl", documents)
        out, talk = trace(origo, ":memory:", path)
        answers = [json.loads(line) for line in out.splitlines()]
        n = exact(answers, copies)
        check(n == len(copies), f"planted: {n} of {len(copies)} exact")
        check(out == trace(origo, str(folder / "planted"), path)[0],
              "planted-as-on-disk")
        check("did not fit" not in talk, "planted-fits")

        # Every origin once more at the end: the texts of the first are gone.
        again = documents + [{"id": "again" + d["id"], "text": d["text"]}
                             for d in documents]
        path = write(folder / "again.jsonl", again)
        out, talk = trace(origo, ":memory:", path, "--memory", "1M")
        answers = [json.loads(line) for line in out.splitlines()]
        hows = {s["how"] for a in answers for s in a["spans"]}
        check("did not fit" in talk, "too-small-is-said")
        check("verified" in hows and len(hows) > 1, "too-small-falls-back")
        late = [a for a in answers if a["id"].startswith("againo")]
        check(sum(a["copied"] > 0.9 for a in late) > 0.9 * len(late),
              "too-small-still-finds")
        one = trace(origo, ":memory:", path, "--memory", "1M", "--threads",
                    "1")[0]
        check(one == out, "too-small-threads")

        versions = [{"id": f"v{i % 100}", "text":
                     " ".join(words_of(rng, 300))} for i in range(1500)]
        path = write(folder / "versions.jsonl", versions)
        out = trace(origo, ":memory:", path, "--memory", "1M")[0]
        check(len(out.splitlines()) == len(versions), "versions-of-gone")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
