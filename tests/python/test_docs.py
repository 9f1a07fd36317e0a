"""The quick start of docs/python.md, as it is pasted."""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def test_quick_start():
    with open(os.path.join(ROOT, "docs", "python.md")) as page:
        blocks = re.findall(r"```python\n(.*?)```", page.read(), re.S)
    assert blocks
    for block in blocks:
        exec(block, {})


def test_reference(tmp_path):
    """docs/python-api.md is what tools/python_reference writes today."""
    page = tmp_path / "page.md"
    subprocess.run([sys.executable, os.path.join(
        ROOT, "tools", "python_reference"), str(page)], check=True)
    with open(os.path.join(ROOT, "docs", "python-api.md")) as kept:
        assert page.read_text() == kept.read()
