"""What documents may come from, as the one input that the library reads."""

import array
import logging
import os
from collections.abc import Mapping

from . import _origo

logger = logging.getLogger("origo")

# Longer texts are left out: what the library takes, unless it is a number.
MAX_TEXT = None

FIELDS = ("id", "time", "title", "url", "text")


def is_path(value):
    return isinstance(value, os.PathLike)


def arrow_stream(value):
    """The Arrow stream of a table, or None for something else."""
    if hasattr(value, "__arrow_c_stream__"):
        return value.__arrow_c_stream__()
    if hasattr(value, "__arrow_c_array__"):
        raise TypeError(
            "one Arrow array is not a table: wrap it in a record batch reader")
    table = to_arrow(value)
    return table.__arrow_c_stream__() if table is not None else None


def to_arrow(value):
    """Tables that do not speak the interface themselves, through pyarrow."""
    kind = type(value)
    module = kind.__module__.split(".")[0]
    if module == "pandas" and kind.__name__ == "DataFrame":
        return import_pyarrow().Table.from_pandas(value, preserve_index=False)
    if module == "datasets" and hasattr(value, "data"):
        # With a selection in force its table holds more rows than it shows.
        if getattr(value, "_indices", None) is not None:
            value = value.flatten_indices()
        return value.data.table
    if module == "polars" and hasattr(value, "to_arrow"):
        return value.to_arrow()
    return None


def import_pyarrow():
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "this needs pyarrow: pip install 'origo[parquet]'") from None
    return pyarrow


def is_table(value):
    if hasattr(value, "__arrow_c_stream__"):
        return True
    module = type(value).__module__.split(".")[0]
    return module in ("pandas", "datasets", "polars") and hasattr(
        value, "columns" if module != "datasets" else "data")


def field_names(fields):
    """{"text": "content"} and so on; None leaves a field out."""
    if fields is None:
        return {}
    if not isinstance(fields, Mapping):
        raise TypeError("fields must be a dict such as {'text': 'content'}")
    for name, value in fields.items():
        if name not in FIELDS:
            raise ValueError("there is no field %r: the fields are %s" %
                             (name, ", ".join(FIELDS)))
        if value is not None and not isinstance(value, str):
            raise TypeError("the field %r must be named by a str" % name)
    return dict(fields)


def progress_of(progress, what):
    """A function that shows how far a run is, or None."""
    if progress is None or progress is False:
        return None, lambda: None
    if callable(progress) and progress is not True:
        return progress, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        def log(step, documents, text_bytes):
            logger.info("%s: %d %s", what, documents, step)
        return log, lambda: None
    bar = tqdm(desc=what, unit="doc")

    def show(step, documents, text_bytes):
        bar.n = documents
        bar.set_postfix_str("%.1f MB" % (text_bytes / 1e6), refresh=False)
        bar.refresh()
    return show, bar.close


def on_problem(file, line, offset, skipped, message):
    place = "%s:%d" % (file, line) if line else "%s, byte %d" % (file, offset)
    level = logging.WARNING if skipped else logging.INFO
    logger.log(level, "%s: %s%s", place, message,
               " (skipped)" if skipped else "")


def encode_paths(paths):
    if isinstance(paths, (str, bytes)) or is_path(paths):
        paths = [paths]
    return [os.fsencode(path) for path in paths]


def describe(source):
    """("paths" | "arrow" | "items", what it is of)"""
    if isinstance(source, (str, bytes)):
        raise TypeError(
            "a str is one text, not a source of documents: give a list of "
            "texts, or pathlib.Path(...) for a file")
    if is_path(source):
        return "paths", [source]
    if is_table(source):
        return "arrow", source
    if isinstance(source, (list, tuple)):
        if source and all(is_path(one) for one in source):
            return "paths", source
        return "items", source
    if isinstance(source, Mapping):
        raise TypeError("a dict is one document, not a source of documents: "
                        "give a list of them")
    if hasattr(source, "__iter__"):
        return "items", source
    raise TypeError("documents cannot be read from %r" % type(source))


class Tables:
    """Batches that can be read again: `open` gives a reader of them."""

    def __init__(self, open):
        self.open = open

    def __arrow_c_stream__(self, requested_schema=None):
        return self.open().__arrow_c_stream__()


def can_be_read_again(source):
    """A table can; a reader of batches is at its end after one pass."""
    return isinstance(source, Tables) or not hasattr(source,
                                                     "read_next_batch")


def make_input(source, *, fields=None, kind=None, threads=None,
               on_progress=None):
    names = field_names(fields)
    options = {
        "fields": names,
        "required": {name: column for name, column in names.items()
                     if name != "text" and column is not None},
        "kind": kind,
        "threads": threads,
        "max_text": MAX_TEXT,
        "on_progress": on_progress,
        "on_problem": on_problem,
    }
    what, value = describe(source)
    if what == "paths":
        options["paths"] = encode_paths(value)
    elif what == "arrow":
        options["arrow"] = arrow_stream(value)
        if can_be_read_again(value):
            options["reopen"] = lambda: arrow_stream(value)
    else:
        options["items"] = value
    return _origo.Input(options)


def null_rows(given):
    """The rows of an input that was read that had no text, or one that is too
    long."""
    nulls = array.array("Q", given.nulls())
    too_long = array.array("Q", given.too_long())
    if not too_long:
        return nulls
    # Numbers among the rows that have a text become numbers of rows.
    missing, found, row, n = set(nulls), [], 0, 0
    for number in too_long:
        while True:
            if row not in missing:
                if n == number:
                    break
                n += 1
            row += 1
        found.append(row)
    return array.array("Q", sorted([*nulls, *found]))
