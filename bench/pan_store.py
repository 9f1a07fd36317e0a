#!/usr/bin/env python3
"""What a store finds in a PAN corpus: bench/pan_store.py ORIGO CORPUS OUT
[OPTION of add]... [-- OPTION of trace...]

All sources go into one store, and every suspicious document is traced in it:
nobody says which source belongs to which document, as the pairs of the corpus
do. Writes PAN's XML to OUT, one file a pair, for `origo eval pan --detections
OUT`, and prints the milliseconds of a document."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time


def write_stream(folder, path):
    n = 0
    with open(path, "w", encoding="utf-8") as out:
        for file in sorted(folder.glob("*.txt")):
            text = file.read_bytes().decode("utf-8")
            out.write(json.dumps({"id": file.name, "text": text},
                                 ensure_ascii=False) + "\n")
            n += 1
    return n


def spans_by_pair(answers):
    """(document, source) -> spans that have a place in the source"""
    pairs = {}
    for line in answers.splitlines():
        answer = json.loads(line)
        for span in answer["spans"]:
            if span["origin"]["begin"] is not None:
                pairs.setdefault((answer["id"], span["origin"]["id"]),
                                 []).append(span)
    return pairs


def write_xml(path, document, source, spans):
    with open(path, "w", encoding="utf-8") as out:
        out.write('<document reference="%s">\n' % document)
        for span in spans:
            origin = span["origin"]
            out.write('<feature name="detected-plagiarism" this_offset="%d" '
                      'this_length="%d" source_reference="%s" '
                      'source_offset="%d" source_length="%d" />\n' %
                      (span["begin"], span["end"] - span["begin"], source,
                       origin["begin"], origin["end"] - origin["begin"]))
        out.write("</document>\n")


def main():
    origo, corpus, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:4])
    options = sys.argv[4:]
    cut = options.index("--") if "--" in options else len(options)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        write_stream(corpus / "src", work / "src.jsonl")
        n = write_stream(corpus / "susp", work / "susp.jsonl")
        subprocess.run([origo, "add", "-q", "-s", work / "store",
                        *options[:cut], work / "src.jsonl"], check=True)
        began = time.perf_counter()
        done = subprocess.run(
            [origo, "trace", "-q", "-s", work / "store", "--format", "json",
             "--offsets", "char", *options[cut + 1:], work / "susp.jsonl"],
            check=True, stdout=subprocess.PIPE)
        took = time.perf_counter() - began
    pairs = spans_by_pair(done.stdout.decode("utf-8"))
    for subset in sorted(corpus.glob("0*")):
        for line in (subset / "pairs").read_text("utf-8").splitlines():
            document, source = line.split()
            name = "%s-%s.xml" % (document[:-4], source[:-4])
            write_xml(out / name, document, source,
                      pairs.get((document, source), []))
    print("%.1f" % (1000 * took / n))


if __name__ == "__main__":
    main()
