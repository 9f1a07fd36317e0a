"""The quick start of docs/python.md, as it is pasted."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def test_quick_start():
    with open(os.path.join(ROOT, "docs", "python.md")) as page:
        blocks = re.findall(r"```python\n(.*?)```", page.read(), re.S)
    assert blocks
    for block in blocks:
        exec(block, {})
