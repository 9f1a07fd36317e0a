#!/usr/bin/env python3
"""One peer, lane A: a cold process, JSONL in, kept JSONL out.

    bench/peers_dedup.py PEER IN.jsonl OUT.jsonl

Lower case, split on what is no word character, shingles of 5 words, 112
samples as 14 bands of 8, threshold 0.8. A document goes when the peer says it
is like one that was kept before it; the peer's own similarity is used where it
has one. One thread, unless the peer knows only all."""

import json
import os
import re
import sys

BANDS, ROWS, K = 14, 8, 5
WORD = re.compile(r"\w+")


def shingles(text):
    words = WORD.findall(text.lower())
    if len(words) < K:
        return {" ".join(words)}
    return {" ".join(words[i:i + K]) for i in range(len(words) - K + 1)}


def documents(path):
    with open(path, "rb") as f:
        for number, line in enumerate(f):
            yield number, line, json.loads(line)["text"]


def run_datasketch(source, out):
    from datasketch import MinHash, MinHashLSH
    lsh = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    for number, line, text in documents(source):
        m = MinHash(num_perm=BANDS * ROWS)
        m.update_batch([s.encode() for s in shingles(text)])
        if lsh.query(m):
            continue
        lsh.insert(number, m)
        out.write(line)


def run_rensa(source, out):
    """RMinHash, the full one."""
    from rensa import RMinHash, RMinHashLSH
    lsh = RMinHashLSH(0.8, BANDS * ROWS, BANDS)
    for number, line, text in documents(source):
        m = RMinHash(BANDS * ROWS, 42)
        m.update(list(shingles(text)))
        if lsh.query(m):
            continue
        lsh.insert(number, m)
        out.write(line)


def run_fastsketchlsh(source, out):
    """One after the other: its flags of a batch name all that are alike, the
    first as well. Powers of two only: 16 bands of 8, one in eight more than
    asked."""
    import numpy
    from FastSketchLSH import LSH, FastSimilaritySketch
    sketch = FastSimilaritySketch(128, 42)
    lsh = LSH(num_perm=128, num_bands=16, num_threads=1)
    for _, line, text in documents(source):
        row = numpy.asarray(sketch(list(shingles(text))), dtype="uint64")
        if lsh.query(row):
            continue
        lsh.insert(row.reshape(1, -1))
        out.write(line)


def run_text_dedup(source, out):
    """Its own command, the whole of it."""
    import subprocess
    import tempfile
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(
            [sys.executable, "-m", "text_dedup.minhash", "--path", "json",
             "--data_files", os.path.abspath(source), "--split", "train",
             "--cache_dir", work + "/cache", "--output", work + "/out",
             "--column", "text", "--ngram", str(K), "--min_length", "0",
             "--num_perm", str(BANDS * ROWS), "--b", str(BANDS), "--r",
             str(ROWS), "--threshold", "0.8", "--num_proc", "1"],
            check=True, cwd=work)
        from datasets import load_from_disk
        kept = set(load_from_disk(work + "/out")["id"])
        for _, line, _ in documents(source):
            if json.loads(line)["id"] in kept:
                out.write(line)


def run_gaoya(source, out):
    from gaoya.minhash import MinHashStringIndex
    index = MinHashStringIndex(hash_size=32, jaccard_threshold=0.8,
                               num_bands=BANDS, band_size=ROWS,
                               analyzer=lambda t: list(shingles(t)))
    for number, line, text in documents(source):
        if index.query(text):
            continue
        index.insert_document(number, text)
        out.write(line)


def run_datatrove(source, out):
    """Its own pipeline, all stages, one worker; it compares no texts."""
    import shutil
    import tempfile
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (MinhashDedupBuckets,
                                          MinhashDedupCluster,
                                          MinhashDedupFilter,
                                          MinhashDedupSignature)
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter
    from datatrove.utils.typeshelper import Languages
    work = tempfile.mkdtemp()
    os.mkdir(work + "/in")
    os.symlink(os.path.abspath(source), work + "/in/a.jsonl")
    config = MinhashConfig(n_grams=K, num_buckets=BANDS,
                           hashes_per_bucket=ROWS)
    reader = JsonlReader(work + "/in")
    steps = [
        [reader, MinhashDedupSignature(work + "/sig", config=config,
                                       language=Languages.english)],
        [MinhashDedupBuckets(work + "/sig", work + "/buckets",
                             config=config)],
        [MinhashDedupCluster(work + "/buckets", work + "/remove",
                             config=config)],
        [reader, MinhashDedupFilter(work + "/remove"),
         JsonlWriter(work + "/out", compression=None)],
    ]
    for step, tasks in zip(steps, (1, BANDS, 1, 1)):
        LocalPipelineExecutor(pipeline=step, tasks=tasks, workers=1,
                              skip_completed=False,
                              logging_dir=work + "/log%d" % id(step)).run()
    kept = set()
    for name in sorted(os.listdir(work + "/out")):
        with open(work + "/out/" + name) as f:
            kept.update(json.loads(line)["id"] for line in f)
    for _, line, _ in documents(source):
        if json.loads(line)["id"] in kept:
            out.write(line)
    shutil.rmtree(work)


def main():
    peer, source, target = sys.argv[1:]
    with open(target, "wb") as out:
        globals()["run_" + peer.replace("-", "_")](source, out)


if __name__ == "__main__":
    main()
