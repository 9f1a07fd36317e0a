#!/usr/bin/env python3
"""The tree keeps the rules of docs/architecture.md."""

import sys

import checks

checks.expect_success("layers", [sys.executable, "tools/check_layers.py"])
checks.finish()
