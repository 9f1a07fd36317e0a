#!/usr/bin/env python3
"""Does `quote --method qsign --recall R` find the share R of what there is?

usage: bench/quality_recall.py ORIGO STREAM.jsonl[.zst] [--documents N]
           [--questions N] [--bits 16,32,64,128] [--recalls 0.5,0.7,...]

Puts the first N documents of STREAM into a store with signatures of so many
bits, and asks the sentences of the documents that follow: once by the exact
method, then by qSign for each recall. Prints, for each: the share of the matches
of the exact method that qSign names, the same with every question weighing
alike, and the processor's seconds beside those of the exact method.

The distance is chosen from what the first questions find, at most 64 forms of
each; the questions that follow are others, so the share is not met exactly."""

import argparse
import itertools
import json
import pathlib
import resource
import subprocess
import tempfile


def cut_stream(path, n_documents, n_questions, folder):
    reader = subprocess.Popen(["zstd", "-dcf", "--long=27", path],
                              stdout=subprocess.PIPE)
    for name, n in [("store.jsonl", n_documents), ("asked.jsonl", n_questions)]:
        with open(folder / name, "wb") as out:
            out.writelines(itertools.islice(reader.stdout, n))
    reader.kill()
    reader.wait()


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ask(origo, folder, options):
    """{(document, place): {(origin, place), ...}}, and the seconds"""
    began = cpu_seconds()
    done = subprocess.run(
        [origo, "quote", "-q", "-s", folder / "store", "--format", "json",
         "--max-matches", "1000000", "--max-compared", "0", *options,
         folder / "asked.jsonl"], check=True, capture_output=True)
    took = cpu_seconds() - began
    found = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        for s in answer["sentences"]:
            if s["matches"]:
                found[answer["id"], s["begin"]] = {
                    (m["id"], m["begin"]) for m in s["matches"]}
    return found, took


def compare(exact, found):
    """(share of all matches, mean share of a question's matches)"""
    n = sum(map(len, exact.values()))
    shares = [len(exact[k] & found.get(k, set())) / len(exact[k])
              for k in exact]
    named = sum(len(exact[k] & found.get(k, set())) for k in exact)
    return named / n, sum(shares) / len(shares)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("origo")
    parser.add_argument("stream")
    parser.add_argument("--documents", type=int, default=6000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--bits", default="16,32,64,128")
    parser.add_argument("--recalls", default="0.5,0.7,0.8,0.9,0.95,0.99")
    arguments = parser.parse_args()
    print("bits\trecall\tof_matches\tof_a_question\tseconds\texact_seconds")
    for bits in arguments.bits.split(","):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            cut_stream(arguments.stream, arguments.documents,
                       arguments.questions, folder)
            subprocess.run([arguments.origo, "quote", "-q", "-s",
                            folder / "store", "--add", "--bits", bits,
                            folder / "store.jsonl"], check=True,
                           stdout=subprocess.DEVNULL)
            exact, exact_took = ask(arguments.origo, folder, [])
            for recall in arguments.recalls.split(","):
                found, took = ask(arguments.origo, folder,
                                  ["--method", "qsign", "--recall", recall])
                print("%s\t%s\t%.4f\t%.4f\t%.2f\t%.2f" % (
                    bits, recall, *compare(exact, found), took, exact_took),
                    flush=True)


if __name__ == "__main__":
    main()
