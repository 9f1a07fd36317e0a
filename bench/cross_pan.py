#!/usr/bin/env python3
"""Chooses the thresholds of reworded passages by cross-validation.

usage: bench/cross_pan.py ORIGO CORPUS [-j N] [--shipped-only]

The pairs of a PAN corpus are parted by a hash of the suspicious document, so
that all pairs of a document are in the same part: one fifth is the test part,
the rest (the training part) is five folds. A search goes over GRID, one threshold
after the other, from the second value of each; it keeps what gives the most on the
pairs that it may see:

    mean(plagdet of all, mean plagdet of the four subsets) - 0.002 for each alarm
    in a thousand clean pairs

Last it raises min_weight until none of the clean pairs that it may see alarms.
For every fold the search sees the other four, and what it chose is scored on the
fold: those figures are what to expect of pairs that nobody has seen, as far as the
thresholds go. Then one search sees all five folds; what it chose is scored on the
test part, once, beside the thresholds that origo has.

What cross-validation cannot say: the steps themselves were thought out by people
who had seen this corpus."""

import argparse
import concurrent.futures
import csv
import hashlib
import math
import pathlib
import subprocess
import sys
import tempfile

N_FOLDS = 5
TEST = "test"
ALARM = 0.002
CLEAN = "01-no-plagiarism"
GRID = {
    "min_cosine": [0.25, 0.3, 0.35, 0.4],
    "min_dice": [0.2, 0.25, 0.3, 0.35],
    "max_gap": [2, 3, 4, 6],
    "min_weight": [20, 30, 40, 50],
    "mostly": [0.7, 0.8, 0.9],
    "max_rest": [10, 20, 30],
    "above_rest": [0.1, 0.15, 0.2, 0.25],
    "long_share": [0.45, 0.5, 0.55],
    "long_slope": [0.05, 0.1, 0.15],
    "min_score": [25, 35, 45],
    "max_explained": [0.7, 0.8, 0.9],
    "min_resembling": [0.3, 0.4, 0.5],
    "min_spread": [0.3, 0.4, 0.5],
    "drawn_on": [3, 4, 6],
    "join_gap": [30, 60, 90],
    "join_ratio": [1.5, 2, 3],
}


def part_of(document):
    number = int(hashlib.sha256(document.encode()).hexdigest(), 16)
    return TEST if number % 5 == 0 else number // 5 % N_FOLDS


class Sums:
    """What plagdet is made of, for one set of pairs of one subset."""

    FIELDS = ["cases", "found", "recall", "precision", "hit", "met"]

    def __init__(self):
        self.values = [0.0] * len(self.FIELDS)

    def add(self, values):
        self.values = [a + b for a, b in zip(self.values, values)]

    def plagdet(self):
        cases, found, recall, precision, hit, met = self.values
        recall = recall / cases if cases else 0
        precision = precision / found if found else 0
        if precision + recall == 0:
            return 0
        f1 = 2 * precision * recall / (precision + recall)
        return f1 / math.log2(1 + (met / hit if hit else 1))


class Outcome:
    """The sums of one setting by part and subset."""

    def __init__(self, path):
        self.sums = {}
        self.n_clean = {}
        with open(path, encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file, delimiter="\t"):
                key = part_of(line["document"]), line["subset"]
                self.sums.setdefault(key, Sums()).add(
                    [float(line[f]) for f in Sums.FIELDS])
                if key[1] == CLEAN:
                    self.n_clean[key[0]] = self.n_clean.get(key[0], 0) + 1

    def score(self, parts):
        """{subset: plagdet}, "all" and "alarms" among them."""
        subsets = sorted({subset for _, subset in self.sums})
        by_subset, whole = {}, Sums()
        for subset in subsets:
            sums = Sums()
            for part in parts:
                if (part, subset) in self.sums:
                    sums.add(self.sums[part, subset].values)
            whole.add(sums.values)
            if subset == CLEAN:
                by_subset["alarms"] = sums.values[1]
            else:
                by_subset[subset] = sums.plagdet()
        by_subset["all"] = whole.plagdet()
        return by_subset

    def worth(self, parts):
        score = self.score(parts)
        alarms = score.pop("alarms", 0)
        n_clean = sum(self.n_clean.get(part, 0) for part in parts)
        whole = score.pop("all")
        mean = sum(score.values()) / len(score)
        return (whole + mean) / 2 - (
            ALARM * 1000 * alarms / n_clean if n_clean else 0)


class Runner:
    """Settings are tuples in the order of GRID; each is run once."""

    def __init__(self, origo, corpus, folder, n_threads):
        self.origo, self.corpus, self.folder = origo, corpus, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(n_threads)
        self.outcomes = {}

    def run(self, setting):
        path = pathlib.Path(self.folder) / (
            hashlib.sha256(repr(setting).encode()).hexdigest() + ".tsv")
        options = [] if setting is None else [
            "--thresholds",
            ",".join("%s=%g" % pair for pair in zip(GRID, setting))]
        subprocess.run([self.origo, "eval", "pan", "--pairs", path, *options,
                        self.corpus], check=True, stdout=subprocess.DEVNULL)
        outcome = Outcome(path)
        path.unlink()
        return outcome

    def run_all(self, settings):
        new = [s for s in dict.fromkeys(settings) if s not in self.outcomes]
        for setting, outcome in zip(new, self.pool.map(self.run, new)):
            self.outcomes[setting] = outcome


def variants(setting, place, values):
    return [setting[:place] + (v,) + setting[place + 1:] for v in values]


def search(runner, sights):
    """The setting that each search ends with; `sights` are the parts that each
    may see. They go in step so that what they have in common is run once."""
    chosen = [tuple(values[1] for values in GRID.values()) for _ in sights]
    for place, (name, values) in enumerate(GRID.items()):
        print("cross_pan: %s, %d settings so far" % (
            name, len(runner.outcomes)), file=sys.stderr)
        tried = [variants(setting, place, values) for setting in chosen]
        runner.run_all([s for settings in tried for s in settings])
        chosen = [
            max(settings, key=lambda s, p=parts:
                (runner.outcomes[s].worth(p), s == setting))
            for settings, parts, setting in zip(tried, sights, chosen)]
    return [without_alarms(runner, setting, parts)
            for setting, parts in zip(chosen, sights)]


def without_alarms(runner, setting, parts):
    place = list(GRID).index("min_weight")
    for weight in [w for w in GRID["min_weight"] if w >= setting[place]]:
        [setting] = variants(setting, place, [weight])
        runner.run_all([setting])
        if runner.outcomes[setting].score(parts).get("alarms", 0) == 0:
            break
    return setting


def print_score(label, score):
    for subset, value in score.items():
        print("%s\t%s\t%s" % (label, subset, "%d" % value if subset == "alarms"
                              else "%.5f" % value))


def print_folds(scores):
    print("# each fold by what was chosen on the other four: mean, least, most")
    for subset in scores[0]:
        values = [score[subset] for score in scores]
        print("%s\t%.5f\t%.5f\t%.5f" % (subset, sum(values) / len(values),
                                        min(values), max(values)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("origo")
    parser.add_argument("corpus")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--shipped-only", action="store_true")
    arguments = parser.parse_args()
    folds = list(range(N_FOLDS))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.origo, arguments.corpus, folder, arguments.j)
        runner.run_all([None])
        if not arguments.shipped_only:
            sights = [[f for f in folds if f != left_out]
                      for left_out in folds] + [folds]
            *by_fold, final = search(runner, sights)
            print_folds([runner.outcomes[s].score([f])
                         for f, s in zip(folds, by_fold)])
            print("# chosen: without each fold, and on the whole training part")
            for place, name in enumerate(GRID):
                print("\t".join([name] + ["%g" % s[place]
                                          for s in [*by_fold, final]]))
            print("# %d settings were run" % (len(runner.outcomes) - 1))
            for label, parts in [("training", folds), (TEST, [TEST])]:
                print_score("chosen, %s" % label,
                            runner.outcomes[final].score(parts))
        for label, parts in [("training", folds), (TEST, [TEST])]:
            print_score("as it is, %s" % label,
                        runner.outcomes[None].score(parts))


if __name__ == "__main__":
    main()
