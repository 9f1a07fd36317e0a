#!/usr/bin/env python3
"""Trains the trees that know the main text of a page, and tests them.

usage: bench/train_html.py DUMP_BLOCKS ARTICLES PAGES [OUTPUT.c]

ARTICLES holds ground-truth.json and html/ID.html.gz (whole texts), PAGES holds
truth.json and pages/ (strings that must be in the text, and must not). A block
of PAGES is an example when it holds such a string, a block of ARTICLES when
most of its words are in the text, or few. Cross-validated: pages are cut into
five folds by a hash of their names, and each fold is judged by trees that were
trained on the other four. With OUTPUT.c, trees trained on everything are
written there. Needs scikit-learn; results are the same for every run."""

import gzip
import os
import subprocess
import sys
import tempfile

# Two threads that wait for each other are slower than one on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier

import quality_html as quality

N_FOLDS = quality.N_FOLDS
N_TREES, RATE, LEAST_EXAMPLES, PENALTY = 200, 0.1, 10, 5
# Examples of ARTICLES are many and alike; together they weigh about as much as
# those of PAGES. Two of three blocks that are not text are left out.
ARTICLE_WEIGHT, KEPT_NEGATIVES = 0.2, 3


def blocks_of(dump, paths):
    """For each page its blocks: ([bits], text, whether it is prose)."""
    out = subprocess.run([dump] + paths, stdout=subprocess.PIPE, check=True)
    pages, page, n_bits = [], [], 0
    for line in out.stdout.decode("utf-8", "replace").split("\n"):
        if line == "END":
            pages.append(page)
            page = []
        elif line:
            numbers, text = line.split("\t", 1)
            numbers = [int(x) for x in numbers.split()]
            n_bits = numbers[0]
            page.append((numbers[2:], quality.fold(text), numbers[1] == 1))
    return pages, n_bits


def examples_of_page(truth, page):
    for bits, text, _ in page:
        wanted = any(quality.fold(s) in text for s in truth["with"])
        others = [s for s in truth["without"] if quality.fold(s) in text]
        # A short word in a long paragraph says nothing of the paragraph.
        if others and len(text) > 400 and max(map(len, others)) < 15:
            continue
        if wanted != bool(others):
            yield bits, wanted, 1.0


def examples_of_article(truth, page):
    words = quality.WORD.findall(truth["articleBody"])
    whole = " %s " % " ".join(words)
    runs = set(quality.runs(truth["articleBody"]))
    for number, (bits, text, _) in enumerate(page):
        own = quality.WORD.findall(text)
        if not own:
            continue
        if len(own) < quality.RUN:
            share = float(" %s " % " ".join(own) in whole)
        else:
            mine = list(quality.runs(text))
            share = sum(run in runs for run in mine) / len(mine)
        if 0.2 < share < 0.8:
            continue
        if share < 0.5 and number % KEPT_NEGATIVES != 0:
            continue
        yield (bits, share > 0.5,
               ARTICLE_WEIGHT * (1 if share > 0.5 else KEPT_NEGATIVES))


def matrix(rows, n_bits):
    result = numpy.zeros((len(rows), n_bits), numpy.float32)
    for i, bits in enumerate(rows):
        result[i, bits] = 1
    return result


def train(examples, n_bits):
    model = HistGradientBoostingClassifier(
        max_iter=N_TREES, max_leaf_nodes=4, learning_rate=RATE, max_bins=2,
        min_samples_leaf=LEAST_EXAMPLES, l2_regularization=PENALTY,
        early_stopping=False, random_state=1)
    model.fit(matrix([e[0] for e in examples], n_bits),
              numpy.array([e[1] for e in examples]),
              sample_weight=numpy.array([e[2] for e in examples]))
    return model


def judge(model, page, n_bits):
    """The text of a page, as og_page_judge() finds it."""
    if not page:
        return ""
    scores = model.decision_function(matrix([b[0] for b in page], n_bits))
    best = max([s for s, b in zip(scores, page) if b[2]] or list(scores))
    threshold = 0 if best > 0 else best - 0.7
    return "\n".join(b[1] for s, b in zip(scores, page) if s > threshold)


def tree_in_c(nodes):
    """{bits}, {where to go}, {leaves}: see page_judge.h."""
    inner = [i for i in range(len(nodes)) if not nodes[i]["is_leaf"]]
    leaves = [i for i in range(len(nodes)) if nodes[i]["is_leaf"]]
    bits = [int(nodes[i]["feature_idx"]) for i in inner] + [0, 0, 0]
    values = [round(1000 * float(nodes[i]["value"])) for i in leaves]
    place = {i: n for n, i in enumerate(inner)}
    place.update({i: -1 - n for n, i in enumerate(leaves)})
    steps = [(place[int(nodes[i]["left"])], place[int(nodes[i]["right"])])
             for i in inner] + [(-1, -1)] * 3
    return "    {{%s}, {%s}, {%s}},\n" % (
        ", ".join(map(str, bits[:3])),
        ", ".join("{%d, %d}" % step for step in steps[:3]),
        ", ".join(map(str, (values + [0] * 4)[:4])))


def write_trees(model, n_bits, path):
    trees = [predictors[0].nodes for predictors in model._predictors]
    bias = round(1000 * float(numpy.ravel(model._baseline_prediction)[0]))
    with open(path, "w", encoding="ascii") as f:
        f.write("/* Written by bench/train_html.py: make train-html. */\n\n"
                '#include "lib/source/web/page_judge.h"\n\n'
                "/* clang-format off */\n"
                "const struct og_page_tree og_page_trees[] = {\n")
        for nodes in trees:
            f.write(tree_in_c(nodes))
        f.write("};\n/* clang-format on */\n\n"
                "const size_t og_page_n_trees = sizeof(og_page_trees) / "
                "sizeof(og_page_trees[0]);\n"
                "const int og_page_trees_bias = %d;\n"
                "const int og_page_trees_n_bits = %d;\n" % (bias, n_bits))


def unpacked(folder, names, into):
    paths = []
    for name in names:
        path = os.path.join(into, name + ".html")
        with gzip.open(os.path.join(folder, "html", name + ".html.gz")) as f:
            data = f.read()
        with open(path, "wb") as f:
            f.write(data)
        paths.append(path)
    return paths


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    dump, article_folder, page_folder = sys.argv[1:4]
    articles = quality.articles_of(article_folder)
    pages = quality.pages_of(page_folder)
    with tempfile.TemporaryDirectory() as folder:
        article_blocks, n_bits = blocks_of(
            dump, unpacked(article_folder, sorted(articles), folder))
    page_blocks, _ = blocks_of(
        dump, [os.path.join(page_folder, "pages", f) for f in sorted(pages)])
    examples, blocks = {}, {}
    for name, page in zip(sorted(articles), article_blocks):
        examples[name] = list(examples_of_article(articles[name], page))
        blocks[name] = page
    for name, page in zip(sorted(pages), page_blocks):
        examples[name] = list(examples_of_page(pages[name], page))
        blocks[name] = page
    print("trees\tbits\texamples\tof them text")
    print("%d\t%d\t%d\t%d" % (
        N_TREES, n_bits, sum(map(len, examples.values())),
        sum(e[1] for x in examples.values() for e in x)))
    texts = {}
    for fold in range(N_FOLDS):
        model = train([e for name in sorted(examples)
                       if quality.fold_of(name) != fold
                       for e in examples[name]], n_bits)
        for name in blocks:
            if quality.fold_of(name) == fold:
                texts[name] = judge(model, blocks[name], n_bits)
    quality.print_text_header()
    quality.print_articles("cross-validated", articles, texts, None)
    quality.print_pages("cross-validated", pages, texts, None)
    if len(sys.argv) == 5:
        model = train([e for name in sorted(examples)
                       for e in examples[name]], n_bits)
        write_trees(model, n_bits, sys.argv[4])


if __name__ == "__main__":
    main()
