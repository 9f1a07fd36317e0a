import json
import os
import random
import subprocess

import pytest


def make_text(seed, n):
    rng = random.Random(seed)
    return " ".join("word%d" % rng.randrange(2000) for _ in range(n))


@pytest.fixture(scope="session")
def documents():
    """Families of documents that are alike, copies of passages, a crowd that
    is one text, two documents without a text."""
    rng = random.Random(11)
    texts = []
    for family in range(60):
        words = make_text(family, 120).split()
        for _ in range(rng.randrange(1, 5)):
            mine = list(words)
            for _ in range(rng.randrange(0, 5)):
                mine[rng.randrange(len(mine))] = "changed%d" % rng.random()
            texts.append(" ".join(mine))
    for i in range(20):
        texts.append(make_text(500 + i, 60) + " " + texts[i][:400])
    texts += [make_text(999, 80)] * 200 + [None, None]
    rng.shuffle(texts)
    return [{"id": "d%04d" % i, "time": "2024-01-%02dT%02d:00:00Z" % (
        i // 24 % 28 + 1, i % 24), "text": one}
            for i, one in enumerate(texts)]


@pytest.fixture
def command(tmp_path):
    """Runs the command over documents; `output` and its report as rows."""
    def run(documents, name, *arguments):
        source = tmp_path / "documents.jsonl"
        source.write_text("".join(json.dumps(one) + "\n" for one in documents
                                  if one["text"] is not None))
        output = tmp_path / "output.jsonl"
        subprocess.run([os.environ["ORIGO"], name, "-q", str(source), "-o",
                        str(output), *arguments], check=True, cwd=tmp_path)
        return [json.loads(line) for line in output.read_text().splitlines()]
    return run
