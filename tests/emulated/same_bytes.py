#!/usr/bin/env python3
"""Files that one machine writes and another one must write alike:
tests/emulated/same_bytes.py ORIGO FIXED_RANDOM.so OTHER FIXED_RANDOM.so

Both programs do the same in folders of their own; every file and every answer is
compared, byte by byte. Stores get the same uuid (fixed_random.c). Left out are
the lock, which names a process, and the catalogue, which LMDB keeps in the byte
order of its machine; what the catalogue knows is compared through `origo
export`. Prints 'ok NAME' or 'FAILED NAME' for each."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "sample" / "documents.jsonl"

# Each writes below the folder it runs in; what it prints is compared as well.
STEPS = [
    ("simhash", ["sketch simhash -q {sample}"]),
    ("simhash of 128 bits", ["sketch simhash -q --bits 128 {sample}"]),
    ("minhash", ["sketch minhash -q {sample}"]),
    ("minhash, weighted", ["sketch minhash -q --method ioffe {sample}"]),
    ("trace", ["trace -q -s :memory: --format json {sample}"]),
    ("quote", ["quote -q -s :memory: --format json {sample}"]),
    ("near", ["near -q -a -s :memory: {sample}"]),
    ("dedup", ["dedup -q -o kept.jsonl {sample}"]),
    ("chunks", ["files chunks {sample}"]),
    ("delta", ["files delta -o forward.delta {sample} {other}",
               "files patch -o again {sample} forward.delta"]),
    ("store", ["add -q -s store {sample}", "trace -q -s store {sample}",
               "export -s store"]),
    ("store with indexes", ["add -q -s store --index passages,near,sentences "
                            "{sample}",
                            "quote -q -s store --format json {sample}",
                            "near -q -s store {sample}",
                            "compact -q -s store", "export -s store"]),
    ("codes", ["sketch simhash -q {sample} > codes.tsv",
               "hamming build -q -d 3 index codes.tsv",
               "hamming ask index codes.tsv"]),
    ("codes in tables", ["sketch simhash -q {sample} > codes.tsv",
                         "hamming build -q -d 3 --tables 4 index codes.tsv",
                         "hamming ask index codes.tsv"]),
    # So little memory that the index goes to disk.
    ("sentences on disk",
     ["quote -q -s store --add --memory 1k --bits 16 {many}",
      "quote -q -s store --method qsign --format json {sample}",
      "verify -q -s store"]),
]
WORDS = ("the keeper of the lamp said that winter would be long and cold this "
         "year because all the stones at the pier were wet").split()
LEFT_OUT = ("lock", "catalogue.sum", "catalogue/data.mdb",
            "catalogue/lock.mdb")


def write_many(path):
    """3,000 documents of 8 sentences, always the same."""
    state, lines = 1, []

    def draw(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (state >> 33) % n

    for i in range(3000):
        sentences = [" ".join(WORDS[draw(len(WORDS))] + str(draw(400))
                              for _ in range(9)) for _ in range(8)]
        lines.append(json.dumps({"id": f"d{i}", "text":
                                 "".join(f"A {s}. " for s in sentences)}))
    path.write_text("\n".join(lines) + "\n")


def run(origo, library, arguments, folder):
    """`library` is loaded before the C library, also by qemu."""
    environment = dict(os.environ, QEMU_SET_ENV="LD_PRELOAD=" + library) \
        if "qemu" in pathlib.Path(origo).read_bytes()[:200].decode("latin-1") \
        else dict(os.environ, LD_PRELOAD=library)
    done = subprocess.run([origo, *arguments], cwd=folder, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def files_of(folder):
    """The bytes of every file, by its name."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and
            not str(path.relative_to(folder)).endswith(LEFT_OUT)}


def what_differs(here, there):
    for name in sorted(set(here) | set(there)):
        a, b = here.get(name), there.get(name)
        if a is None or b is None:
            yield f"{name}: written by one of them only"
        elif a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                      min(len(a), len(b)))
            yield (f"{name}: {len(a)} and {len(b)} bytes, apart from byte "
                   f"{at}: {a[at:at + 16].hex()} and {b[at:at + 16].hex()}")


def compare_step(programs, commands, many):
    seen = []
    for origo, library in programs:
        with tempfile.TemporaryDirectory(prefix="origo-same-") as folder:
            printed = {}
            for command in commands:
                words = [w.format(sample=SAMPLE, other=ROOT / "LICENSE",
                                  many=many)
                         for w in command.split(" > ")[0].split()]
                status, out = run(origo, library, words, folder)
                if status not in (0, 1):
                    return [f"{command}: " + out.decode("utf-8", "replace")]
                printed["printed by " + command] = out
                if " > " in command:
                    pathlib.Path(folder, command.split(" > ")[1]) \
                        .write_bytes(out)
            seen.append({**printed, **files_of(pathlib.Path(folder))})
    return list(what_differs(*seen))


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    paths = [os.path.abspath(path) for path in sys.argv[1:]]
    programs = [(paths[0], paths[1]), (paths[2], paths[3])]
    failed = False
    with tempfile.TemporaryDirectory(prefix="origo-many-") as folder:
        many = pathlib.Path(folder, "many.jsonl")
        write_many(many)
        for name, commands in STEPS:
            wrong = compare_step(programs, commands, many)
            failed |= bool(wrong)
            print(("FAILED " if wrong else "ok ") + name, flush=True)
            for line in wrong:
                print("  " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
