"""Runs the functions test_* of a script and prints 'ok NAME', 'FAILED NAME' or
'SKIPPED NAME: reason'. A test gives the reason why it could not run, or None.

    tests/…/test_….py PROGRAM... [test_NAME...]"""

import inspect
import os
import sys
import traceback


def take(test, arguments):
    """As many of the programs as it takes."""
    return test(*arguments[:len(inspect.signature(test).parameters)])


def run_one(name, test, arguments):
    try:
        reason = take(test, arguments)
    except Exception:
        traceback.print_exc()
        print("FAILED", name, flush=True)
        return False
    print("SKIPPED %s: %s" % (name, reason) if reason else "ok " + name,
          flush=True)
    return True


def main(names, missing=None):
    """`missing` is what all of them lack, if anything."""
    given = [a for a in sys.argv[1:] if not a.startswith("--")]
    wanted = [a for a in given if a in names and a.startswith("test_")]
    unknown = [a for a in given if a.startswith("test_") and a not in wanted and
               not os.path.exists(a)]
    if unknown:
        sys.exit("no such test: " + ", ".join(unknown))
    programs = [os.path.abspath(a) for a in given if a not in wanted]
    n_failed = 0
    for name, test in list(names.items()):
        if not name.startswith("test_") or not inspect.isfunction(test) or \
                (wanted and name not in wanted):
            continue
        if missing:
            print("SKIPPED %s: %s" % (name, missing), flush=True)
        else:
            n_failed += not run_one(name, test, programs)
    sys.exit(1 if n_failed else 0)
