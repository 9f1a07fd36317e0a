import json
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "python"))
from families import make_documents  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "thorough: not a part of make test")


@pytest.fixture(scope="session")
def documents():
    found = make_documents(n_families=60, n_copies=20, n_crowd=200, n_nulls=2)
    return [{**one, "time": "2024-01-%02dT%02d:00:00Z" % (
        i // 24 % 28 + 1, i % 24)} for i, one in enumerate(found)]


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
