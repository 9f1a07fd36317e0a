#!/usr/bin/env python3
"""What sim_text finds in a PAN corpus: bench/sim_text_pan.py CORPUS OUT

sim_text (Debian's similarity-tester) tells lines, so each text is given to it
with one word a line: its lines then are words, and its ends are exact. Writes
PAN's XML to OUT, one file a pair, for `origo eval pan --detections OUT`, and
prints the milliseconds that sim_text took for a pair, start of the process
included."""

import os
import re
import subprocess
import sys
import tempfile
import time

WORD = re.compile(r"\w+")
RUN = re.compile(r": line (\d+)-(\d+)\|.*: line (\d+)-(\d+)\[\d+\]$")
MIN_RUN = "12"  # words, as many as origo asks for


class Words:
    """The words of the texts of one folder, each text read once."""

    def __init__(self, folder, work):
        self.folder, self.work, self.known = folder, work, {}

    def get(self, name):
        if name not in self.known:
            path = os.path.join(self.folder, name)
            with open(path, encoding="utf-8", newline="") as f:
                text = f.read()
            places = [(m.start(), m.end()) for m in WORD.finditer(text)]
            copy = os.path.join(self.work, name)
            with open(copy, "w", encoding="utf-8") as f:
                f.writelines(text[b:e] + "\n" for b, e in places)
            self.known[name] = (copy, places)
        return self.known[name]


def runs_of(new, old):
    began = time.perf_counter()
    out = subprocess.run(["sim_text", "-n", "-s", "-r", MIN_RUN, new, "/", old],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    took = time.perf_counter() - began
    lines = out.stdout.decode("utf-8", "replace").splitlines()
    found = (RUN.search(line) for line in lines)
    return [[int(n) for n in m.groups()] for m in found if m], took


def span(places, first, last):
    last = min(last, len(places))
    begin = places[first - 1][0]
    return begin, places[last - 1][1] - begin


def write(path, document, source, here, there, runs):
    with open(path, "w", encoding="utf-8") as f:
        f.write('<document reference="%s">\n' % document)
        for a, b, c, d in runs:
            f.write('<feature name="detected-plagiarism" this_offset="%d" '
                    'this_length="%d" ' % span(here, a, b) +
                    'source_reference="%s" ' % source +
                    'source_offset="%d" source_length="%d" />\n' %
                    span(there, c, d))
        f.write("</document>\n")


def main(corpus, out):
    seconds = n_pairs = 0
    with tempfile.TemporaryDirectory(prefix="origo-sim-") as work:
        os.mkdir(os.path.join(work, "a"))
        os.mkdir(os.path.join(work, "b"))
        documents = Words(os.path.join(corpus, "susp"), os.path.join(work, "a"))
        sources = Words(os.path.join(corpus, "src"), os.path.join(work, "b"))
        for subset in sorted(os.listdir(corpus)):
            if not re.match(r"\d\d-", subset):
                continue
            with open(os.path.join(corpus, subset, "pairs")) as f:
                pairs = [line.split() for line in f if line.strip()]
            for document, source in pairs:
                new, here = documents.get(document)
                old, there = sources.get(source)
                runs, took = runs_of(new, old)
                seconds += took
                n_pairs += 1
                name = "%s-%s.xml" % (document.split(".")[0],
                                      source.split(".")[0])
                write(os.path.join(out, name), document, source, here, there,
                      runs)
    print("%.2f" % (1e3 * seconds / max(n_pairs, 1)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
