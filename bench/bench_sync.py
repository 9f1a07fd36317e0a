#!/usr/bin/env python3
"""What does it cost to make an old tree of files equal to a new one?

usage: bench/bench_sync.py ORIGO BENCH_SIMILAR PEP_HISTORY.jsonl[.zst]

Bytes in both directions and seconds of processor time of both sides, beside
rsync as it comes (its own block size, with and without compression) and at our
chunk size, zstd --patch-from, casync and borg. The trees:

  pep       the revisions of PEP_HISTORY: for each title with 7 or more, the
            tree of the r-th revisions becomes that of the (r+1)-th, r = 1..5
  packages  two versions of Debian packages as the archive has them (named in
            the output), unpacked; when there is only one, an upgrade is
            simulated: one file in twenty gets 1 to 5 changed lines

Each is sent with the same names, with every file renamed, and merged into one
file. After each run the trees are compared. Peers that are not installed are
left out and named. Then the share of similar files that are found, over
10,000 revisions."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

PACKAGES = ["perl-modules-5.36", "libpython3.11-stdlib", "git-man",
            "bind9-doc"]
CHUNK = 2048
STEPS = 5


def run(command, cwd=None, check=True):
    """Runs it; returns (stdout and stderr, processor seconds, seconds)."""
    before, start = os.times(), time.monotonic()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True,
                          errors="replace")
    after = os.times()
    if check and done.returncode != 0:
        sys.exit("%s failed:\n%s" % (command, done.stderr))
    cpu = (after.children_user + after.children_system
           - before.children_user - before.children_system)
    return done.stdout + done.stderr, cpu, time.monotonic() - start


def have(tool):
    return shutil.which(tool) is not None


def size_of(path):
    if path.is_file():
        return path.stat().st_size
    return sum(p.stat().st_size for p in path.rglob("*")
               if p.is_file() and not p.is_symlink())


def same(a, b, way):
    done = subprocess.run(["diff", "-rq", "--no-dereference", a, b],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: the trees differ:\n%s" % (way, done.stdout[:500]))


# ---- the ways ----

def with_origo(*options):
    def way(old, new, place):
        target = place / "target"
        shutil.copytree(old, target, symlinks=True)
        text, cpu, _ = run([ORIGO, "send", *options, "--chunk", str(CHUNK),
                            str(new), "--to",
                            "%s receive --delete %s" % (ORIGO, target)])
        same(new, target, "origo")
        found = re.search(r"(\d+) bytes to the receiver, (\d+) back", text)
        return int(found.group(1)) + int(found.group(2)), cpu
    return way


def with_rsync(*options, block=()):
    def way(old, new, place):
        target = place / "target"
        shutil.copytree(old, target, symlinks=True)
        text, cpu, _ = run(["rsync", "-a", "--delete", "--no-whole-file",
                            "--stats", *block, *options,
                            "%s/" % new, "%s/" % target])
        same(new, target, "rsync")
        sent = re.findall(r"Total bytes (?:sent|received): ([\d,]+)", text)
        return sum(int(s.replace(",", "")) for s in sent), cpu
    return way


def with_casync(old, new, place):
    store = "--store=%s" % (place / "store.castr")
    size = "--chunk-size=%d" % CHUNK
    run(["casync", "make", store, size, str(place / "a.caidx"), str(old)])
    before = size_of(place)
    text, cpu, _ = run(["casync", "make", store, size,
                        str(place / "b.caidx"), str(new)])
    return size_of(place) - before, cpu


def with_borg(old, new, place):
    os.environ.update(BORG_BASE_DIR=str(place / "base"),
                      BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK="yes")
    repo = str(place / "repo")
    run(["borg", "init", "-e", "none", repo])
    options = ["--chunker-params", "buzhash,9,16,11,63", "-C", "zstd,3"]
    run(["borg", "create", *options, repo + "::a", "."], cwd=old)
    before = size_of(place / "repo")
    _, cpu, _ = run(["borg", "create", *options, repo + "::b", "."], cwd=new)
    return size_of(place / "repo") - before, cpu


WAYS = [
    ("origo", with_origo(), None),
    ("origo --no-compress", with_origo("--no-compress"), None),
    ("origo --no-compress --pieces 0",
     with_origo("--no-compress", "--pieces", "0"), None),
    ("rsync", with_rsync(), "rsync"),
    ("rsync -z", with_rsync("-z", "--compress-choice=zlib"), "rsync"),
    ("rsync -z, zstd", with_rsync("-z", "--compress-choice=zstd"), "rsync"),
    ("rsync -z, zstd, blocks of %d" % CHUNK,
     with_rsync("-z", "--compress-choice=zstd", block=("-B", str(CHUNK))),
     "rsync"),
    ("casync (chunks and index)", with_casync, "casync"),
    ("borg (repository grows by)", with_borg, "borg"),
]


def compare_trees(title, pairs, slow_peers=True):
    """Sums over the pairs (old, new) of folders."""
    total = sum(size_of(new) for _, new in pairs)
    print("\n%s: %d exchanges, %d bytes of new trees" %
          (title, len(pairs), total))
    print("  %-34s %12s %8s %9s" % ("", "bytes", "of rsync", "CPU s"))
    rows, rsync = [], 0
    for name, way, tool in WAYS:
        if tool and not have(tool):
            print("  %-34s not installed" % name)
            continue
        if tool in ("casync", "borg") and not slow_peers:
            continue
        n_bytes, seconds = 0, 0.0
        for old, new in pairs:
            with tempfile.TemporaryDirectory(dir=WORK) as place:
                n, cpu = way(old, new, pathlib.Path(place))
            n_bytes += n
            seconds += cpu
        rows.append((name, n_bytes, seconds))
        if name == "rsync":
            rsync = n_bytes
    for name, n_bytes, seconds in rows:
        print("  %-34s %12d %7.1f%% %9.2f" %
              (name, n_bytes, 100 * n_bytes / rsync if rsync else 0, seconds))
    sys.stdout.flush()


def compare_deltas(title, pairs):
    """Sums over pairs of files, the old one known."""
    print("\n%s: deltas of %d pairs of files, %d bytes of new files" %
          (title, len(pairs), sum(size_of(new) for _, new in pairs)))
    print("  %-34s %12s %9s" % ("", "bytes", "CPU s"))
    delta = WORK / "delta"
    zstd = ["zstd", "-q", "-f", "--long=27", "--single-thread"]
    ways = [("origo delta",
             lambda o, n: [ORIGO, "delta", "-q", o, n, "-o", delta]),
            ("origo delta --level 19",
             lambda o, n: [ORIGO, "delta", "-q", "--level", "19", o, n, "-o",
                           delta]),
            ("zstd -3 --patch-from",
             lambda o, n: zstd + ["-3", "--patch-from=%s" % o, n, "-o", delta]),
            ("zstd -19 --patch-from",
             lambda o, n: zstd + ["-19", "--patch-from=%s" % o, n, "-o",
                                  delta])]
    for name, command in ways:
        n_bytes, seconds = 0, 0.0
        for old, new in pairs:
            _, cpu, _ = run([str(c) for c in command(old, new)])
            n_bytes += delta.stat().st_size
            seconds += cpu
            if name == "origo delta":
                run([ORIGO, "patch", str(old), str(delta), "-o",
                     str(WORK / "patched")])
                if (WORK / "patched").read_bytes() != new.read_bytes():
                    sys.exit("a patched file differs")
        print("  %-34s %12d %9.2f" % (name, n_bytes, seconds))
    sys.stdout.flush()


# ---- the trees ----

def read_revisions(path):
    """title -> texts in order."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dc", "--long=27", path], check=True,
                              capture_output=True).stdout
    else:
        data = pathlib.Path(path).read_bytes()
    revisions = {}
    for line in data.splitlines():
        record = json.loads(line)
        revisions.setdefault(record["title"], []).append(
            record["text"].encode())
    return revisions


def write_tree(folder, files, time_of_all=10**9):
    """Times differ from tree to tree: rsync passes over files of the same
    length and time."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (time_of_all, time_of_all))
    return folder


def pep_trees(revisions):
    many = {t: r for t, r in revisions.items() if len(r) >= STEPS + 2}
    return [write_tree(WORK / ("pep-%02d" % r),
                       {t.replace("/", "_"): texts[r]
                        for t, texts in many.items()}, 10**9 + 1000 * r)
            for r in range(STEPS + 1)]


def renamed(tree, place):
    for path in sorted(tree.rglob("*")):
        if path.is_file() and not path.is_symlink():
            target = place / "renamed" / (
                str(path.relative_to(tree)).replace("/", "+") + ".new")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return place


def merged(tree, place):
    place.mkdir()
    with open(place / "everything", "wb") as out:
        for path in sorted(tree.rglob("*")):
            if path.is_file() and not path.is_symlink():
                out.write(path.read_bytes())
    return place


def package_versions(name):
    text, _, _ = run(["apt-cache", "madison", name], check=False)
    versions = []
    for line in text.splitlines():
        fields = [f.strip() for f in line.split("|")]
        if len(fields) > 2 and "Packages" in fields[2] \
                and fields[1] not in versions:
            versions.append(fields[1])
    return versions[:2][::-1]


def unpack_package(name, version, folder):
    place = pathlib.Path(tempfile.mkdtemp(dir=WORK))
    os.chmod(place, 0o777)
    _, _, _ = run(["apt-get", "-q", "download", "%s=%s" % (name, version)],
                  cwd=place, check=False)
    for deb in place.glob("*.deb"):
        run(["dpkg-deb", "-x", str(deb), str(folder)])
        return True
    return False


def simulate_upgrade(source, old, new):
    """A copy of installed files, and one with edits from a fixed seed."""
    generator = random.Random(8)
    for path in sorted(source.rglob("*.py")):
        data = path.read_bytes()
        name = path.relative_to(source)
        write_tree(old, {name: data})
        lines = data.splitlines(keepends=True)
        if lines and generator.random() < 0.05:
            for _ in range(generator.randint(1, 5)):
                at = generator.randrange(len(lines))
                lines[at] = b"# upgraded %d\n" % generator.randrange(10**6)
        write_tree(new, {name: b"".join(lines)}, 10**9 + 1000)


def package_trees():
    old, new = WORK / "packages-old", WORK / "packages-new"
    told = []
    for name in PACKAGES:
        versions = package_versions(name) if have("apt-cache") else []
        if len(versions) == 2 and unpack_package(name, versions[0], old) \
                and unpack_package(name, versions[1], new):
            told.append("%s %s -> %s" % (name, *versions))
    if not told:
        simulate_upgrade(pathlib.Path("/usr/lib/python3"), old, new)
        told.append("simulated: the .py files of /usr/lib/python3")
    return old, new, told


def large_pair(path):
    """Much that is new: what does it take to pack it?"""
    old, new = WORK / "large-old", WORK / "large-new"
    with open(new, "wb") as out:
        reader = ["zstd", "-dc", "--long=27"] if path.endswith(".zst") \
            else ["cat"]
        subprocess.run(reader + [path], check=True, stdout=out)
    with open(new, "rb") as whole:
        old.write_bytes(whole.read(100_000_000))
    return old, new


def tar_of(tree, path):
    run(["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner",
         "-C", str(tree), "-cf", str(path), "."])
    return path


# ---- similar files ----

def measure_recall(revisions):
    texts = [t for r in revisions.values() for t in r]
    generator = random.Random(8)
    chosen = generator.sample(texts, min(10000, len(texts)))
    folder = write_tree(WORK / "similar",
                        {"%05d" % i: t for i, t in enumerate(chosen)})
    print("\nsimilar files: share of true best matches (exact Jaccard of "
          "chunks over 1/3)")
    for chunk in ("1024", "2048"):
        print(run([SIMILAR, str(folder), chunk])[0], end="")
    sys.stdout.flush()


def main():
    text, _, _ = run(["sh", "-c", "grep -m1 'model name' /proc/cpuinfo; nproc;"
                      "rsync --version | head -1; zstd --version;"
                      "casync --version | head -1; borg --version"],
                     check=False)
    print(" | ".join(l.strip() for l in text.splitlines() if l.strip()))
    print("What does it cost to make an old tree equal to a new one? Chunks "
          "of %d bytes." % CHUNK)
    revisions = read_revisions(sys.argv[3])
    trees = pep_trees(revisions)
    pairs = list(zip(trees, trees[1:]))
    compare_trees("pep, same names", pairs, slow_peers=False)
    one = pairs[:1]
    compare_trees("pep, one step", one)
    compare_trees("pep, one step, all files renamed",
                  [(one[0][0], renamed(one[0][1], WORK / "pep-renamed"))])
    compare_trees("pep, one step, all files merged into one",
                  [(one[0][0], merged(one[0][1], WORK / "pep-merged"))])
    compare_deltas("pep, one step",
                   [(trees[0] / p.name, p)
                    for p in sorted(trees[1].iterdir())])
    compare_deltas("all of pep-history against its first 100 MB",
                   [large_pair(sys.argv[3])])
    old, new, told = package_trees()
    print("\npackages: " + "; ".join(told))
    compare_trees("packages, same names", [(old, new)])
    compare_trees("packages, all files renamed",
                  [(old, renamed(new, WORK / "packages-renamed"))])
    compare_trees("packages, all files merged into one",
                  [(old, merged(new, WORK / "packages-merged"))])
    compare_deltas("packages as tar", [(tar_of(old, WORK / "old.tar"),
                                        tar_of(new, WORK / "new.tar"))])
    measure_recall(revisions)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    ORIGO, SIMILAR = (os.path.abspath(p) for p in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="origo-bench-") as folder:
        WORK = pathlib.Path(folder)
        main()
