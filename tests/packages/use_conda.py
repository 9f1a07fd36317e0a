#!/usr/bin/env python3
"""Does with the conda recipe what conda-build does with it, as far as this one needs:
its script in a copy of the source, into a folder of its own, with the libraries of
this machine; then its tests.

    tests/packages/use_conda.py RECIPE SOURCE WORK

WORK/prefix is made."""

import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    sys.exit("python3-yaml is not installed")


def read(path):
    """Jinja's lines and selectors out, its values in."""
    with open(path) as f:
        text = f.read()
    version = re.search(r'set version = "([^"]*)"', text).group(1)
    text = re.sub(r"{%.*?%}", "", text).replace("{{ version }}", version)
    recipe = yaml.safe_load(re.sub(r"{{.*?}}", "compiler", text))
    assert recipe["package"] == {"name": "origo", "version": version}
    assert {"source", "build", "requirements", "test", "about"} <= set(recipe)
    assert recipe["about"]["license"]
    return recipe


def run(commands, folder, env):
    for command in commands:
        subprocess.run(["bash", "-ec", command], cwd=folder, check=True,
                       env=dict(os.environ, **env))


def main():
    recipe_path, source, work = (os.path.abspath(a) for a in sys.argv[1:])
    recipe = read(recipe_path)
    prefix = os.path.join(work, "prefix")
    os.makedirs(work, exist_ok=True)
    assert os.path.exists(os.path.join(source, recipe["about"]["license_file"]))
    env = {"PREFIX": prefix, "LD_LIBRARY_PATH": prefix + "/lib",
           "PATH": prefix + "/bin:" + os.environ["PATH"],
           "MESON_ARGS": "--prefix=%s --libdir=lib --buildtype=release" % prefix}
    run(recipe["build"]["script"], source, env)
    run(recipe["test"]["commands"], work, env)
    print(recipe["package"]["version"], "built, tested")


if __name__ == "__main__":
    main()
