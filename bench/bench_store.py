#!/usr/bin/env python3
"""How fast and how small is a store on disk?

usage: bench/bench_store.py ORIGO ASK_STORE DATA WORK [--quick]

DATA has mail.jsonl.zst and rfc.jsonl.zst; WORK is a folder on the disk that is
meant. All in one run, each the best of three:

  add      durable 'origo add' on two threads, from the first byte read to the
           end of the process, with and without texts; beside it zstd -3 and
           GNU wc -w on the same text. MB are 10^6 bytes of text.
  memory   the largest resident set of 'origo add', for several tables and for
           an input four times as long
  ask      a trace in a store of 100,000 messages and a table of 1 GiB
  open     that store, and one whose writer was killed (kill -9): how fast is
           its journal replayed?

--quick takes the first part of the data, to see that all of it works."""

import json
import os
import pathlib
import shutil
import signal
import string
import struct
import subprocess
import sys
import time

BEST_OF = 5
MIB = 1 << 20
MARGIN = 100 * MIB


def run(command):
    """(seconds, bytes of the largest resident set); ends when it fails. What
    it prints goes nowhere."""
    done = subprocess.run([ASK, "run", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: status %d: %s" % (" ".join(map(str, command)),
                                        done.returncode, done.stderr))
    seconds, n_bytes = done.stderr.split()[-2:]
    return float(seconds), int(n_bytes)


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def machine(work):
    model = "unknown processor"
    for line in open("/proc/cpuinfo", encoding="ascii"):
        if line.startswith("model name"):
            model = line.split(":")[1].strip()
            break
    disk = output(["stat", "-f", "-c", "%T", work]).strip()
    zstd = output(["zstd", "--version"]).strip().strip("* ")
    return "%s, %d processors, Linux %s, %s, %s" % (
        model, os.cpu_count(), os.uname().release, disk, zstd)


def verdict(good):
    return "reached" if good else "MISSED"


# ---- the data ----

class Stream:
    """One stream, unpacked, packed, and its text alone."""

    def __init__(self, name, lines, work):
        self.name = name
        self.lines = lines
        self.jsonl = work / (name + ".jsonl")
        self.packed = work / (name + ".jsonl.zst")
        self.text = work / (name + ".txt")
        self.jsonl.write_bytes(b"".join(lines))
        run(["zstd", "-q", "-f", "-3", self.jsonl, "-o", self.packed])
        with open(self.text, "wb") as out:
            for line in lines:
                out.write(json.loads(line)["text"].encode() + b"\n")
        self.text_len = self.text.stat().st_size - len(lines)


def read_lines(path, quick):
    data = subprocess.run(["zstd", "-dc", "--long=27", path], check=True,
                          stdout=subprocess.PIPE).stdout
    lines = data.splitlines(keepends=True)
    return lines[:len(lines) // 12] if quick else lines


def four_times(stream, work):
    """Copies in which every letter is another one: no text comes twice."""
    path = work / (stream.name + "-4.jsonl")
    letters = string.ascii_lowercase
    with open(path, "w", encoding="utf-8") as out:
        for turn in range(4):
            table = str.maketrans(letters, letters[turn:] + letters[:turn])
            for line in stream.lines:
                record = json.loads(line)
                record["id"] += "/%d" % turn
                record["text"] = record["text"].translate(table)
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


# ---- adding ----

class Adding:
    def __init__(self, origo, work):
        self.origo, self.store = origo, work / "bench.store"

    def once(self, path, *options):
        shutil.rmtree(self.store, ignore_errors=True)
        os.sync()
        return run([self.origo, "add", "-q", "--threads", "2", "-s",
                    self.store, *options, path])

    def best(self, path, *options):
        runs = [self.once(path, *options) for _ in range(BEST_OF)]
        return min(r[0] for r in runs), max(r[1] for r in runs)


def best_of(command):
    """Seconds."""
    return min(run(command)[0] for _ in range(BEST_OF))


def measure_adding(adding, streams):
    print("\nadd: MB/s of text, durable, two threads, table 512 MiB")
    print("  %-22s %9s %9s %9s" % ("", "MB/s", "aim", ""))
    for stream in streams:
        mb = stream.text_len / 1e6
        for path in (stream.packed, stream.jsonl):
            for options, aim in (((), 100), (("--no-texts",), 250)):
                taken, rss = adding.best(path, *options)
                print("  %-22s %9.1f %9d %s" %
                      (path.name + (" no texts" if options else ""),
                       mb / taken, aim, verdict(mb / taken >= aim)),
                      flush=True)
        for name, command in (
                ("zstd -3", ["zstd", "-3", "-q", "-c", stream.text]),
                ("zstd -3 -T2", ["zstd", "-3", "-T2", "-q", "-c",
                                 stream.text]),
                ("wc -w, C.UTF-8", ["env", "LC_ALL=C.UTF-8", "wc", "-w",
                                    stream.text]),
                ("wc -w, C", ["env", "LC_ALL=C", "wc", "-w", stream.text])):
            print("  %-22s %9.1f" % (stream.name + ": " + name,
                                     mb / best_of(command)), flush=True)


def measure_memory(adding, stream, longer):
    print("\nmemory: MiB of the largest resident set, %s" % stream.name)
    print("  %-34s %8s %8s" % ("", "MiB", "at most"))
    for path, times in ((stream.jsonl, ""), (longer, ", 4 times as long")):
        for memory in (64, 512):
            for options in ((), ("--no-texts",)):
                _, rss = adding.once(path, "--memory", "%dMi" % memory,
                                     *options)
                most = memory * MIB + MARGIN
                print("  %-34s %8.0f %8.0f %s" %
                      ("table %d MiB%s%s" % (memory, times,
                                             ", no texts" if options else ""),
                       rss / MIB, most / MIB, verdict(rss <= most)),
                      flush=True)


# ---- asking and opening ----

def measure_asking(origo, work, stream, n_documents):
    store, known, new = (work / name for name in
                         ("ask.store", "known.jsonl", "new.jsonl"))
    n_questions = min(2000, len(stream.lines) - n_documents)
    known.write_bytes(b"".join(stream.lines[:n_documents]))
    new.write_bytes(b"".join(
        stream.lines[n_documents:n_documents + n_questions]))
    shutil.rmtree(store, ignore_errors=True)
    run([origo, "add", "-q", "-s", store, "--memory", "1Gi", known])
    rounds = [output([ASK, "ask", store, new, str(n_questions)]).splitlines()
              for _ in range(BEST_OF)]
    info = json.loads(output([origo, "info", "--json", "-s", store]))
    print("\nask: microseconds of a trace, %d messages in the store, %d "
          "questions, table 1 GiB" % (info["documents"], n_questions))
    print("  %-22s %9s %9s %9s" % ("", "median", "99th", "longest"))
    for name, i in (("just opened", 0), ("asked once more", 1)):
        values = [[float(v) for v in r[i].split()] for r in rounds]
        median, late, longest = (min(v[k] for v in values) for k in range(3))
        print("  %-22s %9.0f %9.0f %9.0f aim 2000, 5000: %s" %
              (name, median, late, longest,
               verdict(median < 2000 and late < 5000)), flush=True)
    taken = min(float(output([ASK, "open", store]).split()[0])
                for _ in range(BEST_OF))
    print("\nopen: %.1f ms, %d documents, table 1 GiB, aim 50: %s" %
          (taken, info["documents"], verdict(taken < 50)), flush=True)
    shutil.rmtree(store)


def journal_files(store):
    return sorted((store / "journal").glob("*.jnl"))


def count_prints(store):
    """As docs/format.md draws a journal; up to where it was torn."""
    n_prints = n_documents = n_bytes = 0
    for path in journal_files(store):
        data = path.read_bytes()
        at = 64
        while at + 32 <= len(data):
            length, kind = struct.unpack_from("<II", data, at)
            end = at + 32 + (length + 7) // 8 * 8
            if kind == 0 or end > len(data):
                break
            if kind == 1:
                entry, = struct.unpack_from("<I", data, at + 32)
                additions = at + 40 + (entry + 7) // 8 * 8
                n_prints += struct.unpack_from("<I", data, additions + 4)[0]
                n_documents += 1
            at = end
        n_bytes += at
    return n_prints, n_documents, n_bytes


def kill_when_long(command, store, length):
    child = subprocess.Popen(command)
    while child.poll() is None:
        if sum(p.stat().st_size for p in journal_files(store)) >= length:
            child.send_signal(signal.SIGKILL)
            child.wait()
            return
        time.sleep(0.01)
    sys.exit("the journal never became %d bytes long" % length)


def measure_recovery(origo, work, stream):
    store = work / "killed.store"
    shutil.rmtree(store, ignore_errors=True)
    kill_when_long([origo, "add", "-q", "--threads", "2", "-s", store,
                    "--memory", "1Gi", "--no-texts", stream.jsonl], store,
                   stream.text_len // 4)
    n_prints, n_documents, n_bytes = count_prints(store)
    rounds = [output([ASK, "open", store]).split() for _ in range(BEST_OF)]
    taken = min(float(r[0]) for r in rounds) / 1e3
    if int(rounds[0][1]) < n_documents:
        sys.exit("%s documents after recovery, %d are in the journal" %
                 (rounds[0][1], n_documents))
    print("\nrecovery after kill -9: %d documents, %d prints, %.0f MB of "
          "journal in %.2f s" % (n_documents, n_prints, n_bytes / 1e6, taken))
    print("  %.2f million prints a second, aim 1: %s" %
          (n_prints / taken / 1e6, verdict(n_prints / taken >= 1e6)),
          flush=True)
    shutil.rmtree(store)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--quick"]
    quick = "--quick" in sys.argv
    if len(arguments) != 4:
        sys.exit(__doc__)
    global ASK
    origo, ASK = (os.path.abspath(a) for a in arguments[:2])
    data, work = (pathlib.Path(a) for a in arguments[2:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    print(machine(work))
    print("How fast and how small is a store on disk?%s" %
          (" (an extract: says nothing)" if quick else ""), flush=True)
    streams = [Stream(name, read_lines(data / (name + ".jsonl.zst"), quick),
                      work) for name in ("mail", "rfc")]
    adding = Adding(origo, work)
    measure_adding(adding, streams)
    measure_memory(adding, streams[0], four_times(streams[0], work))
    shutil.rmtree(adding.store)
    measure_asking(origo, work, streams[0],
                   len(streams[0].lines) - 200 if quick else 100000)
    measure_recovery(origo, work, streams[0])
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
