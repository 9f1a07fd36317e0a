"""Files of tables: Parquet in, Parquet out, wherever fsspec opens them."""

import contextlib
import csv
import glob
import gzip
import io
import json
import os
import tempfile

from .sources import Tables, import_pyarrow

PARQUET = (".parquet", ".pq")


def is_remote(path):
    return "://" in path


def is_parquet(path):
    return path.lower().endswith(PARQUET)


def filesystem(path):
    """(fsspec filesystem, path inside of it)"""
    try:
        import fsspec
    except ImportError:
        raise ImportError("'%s' needs fsspec: pip install fsspec" %
                          path) from None
    return fsspec.core.url_to_fs(path)


def expand(patterns):
    """Files of paths, folders and globs, in the order of their names."""
    found = []
    for pattern in patterns:
        pattern = os.fspath(pattern)
        names = (expand_remote if is_remote(pattern) else expand_local)(
            pattern)
        if not names:
            raise FileNotFoundError("'%s': no such file" % pattern)
        found.extend(names)
    return found


def expand_local(pattern):
    if os.path.isdir(pattern):
        return sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(pattern) for name in names
            if not name.startswith((".", "_")))
    if os.path.exists(pattern):
        return [pattern]
    return sorted(glob.glob(pattern, recursive=True))


def expand_remote(pattern):
    system, path = filesystem(pattern)
    protocol = pattern.split("://")[0] + "://"
    if system.isdir(path):
        names = system.find(path)
    elif glob.has_magic(path):
        names = system.glob(path)
    else:
        names = [path] if system.exists(path) else []
    return [protocol + name.lstrip("/") if not protocol.startswith("file")
            else protocol + name for name in sorted(names)]


def open_file(path, mode="rb"):
    if not is_remote(path):
        return open(path, mode)
    system, inner = filesystem(path)
    return system.open(inner, mode)


class ParquetFiles:
    """Parquet files as one table that is never in memory as a whole."""

    def __init__(self, paths, fields):
        self.paths = paths
        self.fields = {"id": "id", "time": "time", "title": "title",
                       "url": "url", "text": "text", **(fields or {})}

    @contextlib.contextmanager
    def open(self, path):
        """A pyarrow.parquet.ParquetFile, which is closed behind the block."""
        import pyarrow.parquet as parquet
        pyarrow = import_pyarrow()
        with open_file(path) if is_remote(path) else (
                contextlib.nullcontext(path)) as source:
            try:
                file = parquet.ParquetFile(source)
            except pyarrow.ArrowInvalid as error:
                raise ValueError("'%s' is no whole Parquet file: %s" %
                                 (path, error)) from None
            with file:
                yield file

    def n_rows(self, path):
        with self.open(path) as file:
            return file.metadata.num_rows

    def columns(self, schema, path):
        text = self.fields["text"]
        if text not in schema.names:
            raise ValueError(
                "'%s' has no column '%s'; the columns are %s" % (
                    path, text, ", ".join(
                        "%s (%s)" % (one.name, one.type) for one in schema)))
        return [name for name in self.fields.values()
                if name is not None and name in schema.names]

    def schema(self):
        with self.open(self.paths[0]) as first:
            schema = first.schema_arrow
        names = self.columns(schema, self.paths[0])
        pyarrow = import_pyarrow()
        return pyarrow.schema([schema.field(name) for name in names])

    def batches(self, schema):
        pyarrow = import_pyarrow()
        for path in self.paths:
            with self.open(path) as file:
                names = self.columns(file.schema_arrow, path)
                missing = [name for name in schema.names if name not in names]
                if missing:
                    raise ValueError("'%s' lacks the column '%s' of '%s'" % (
                        path, missing[0], self.paths[0]))
                try:
                    for batch in file.iter_batches(batch_size=512,
                                                   columns=schema.names):
                        yield batch.select(schema.names).cast(schema)
                except (pyarrow.ArrowException, OSError) as error:
                    raise ValueError("'%s' cannot be read: %s" %
                                     (path, error)) from None

    def reader(self):
        pyarrow = import_pyarrow()
        schema = self.schema()
        return pyarrow.RecordBatchReader.from_batches(schema,
                                                      self.batches(schema))

    def tables(self):
        return Tables(self.reader)


class LineFiles:
    """JSONL and CSV files, record by record, as they are written again."""

    def __init__(self, paths, fields):
        self.paths = paths
        self.text = (fields or {}).get("text") or "text"
        for path in paths:
            if not self.kind(path):
                raise ValueError(
                    "'%s': Parquet, JSONL and CSV files are read here (.gz, "
                    "too)" % path)

    @staticmethod
    def kind(path):
        name = path.lower()
        name = name[:-3] if name.endswith(".gz") else name
        for kind in ("jsonl", "ndjson", "json", "csv"):
            if name.endswith("." + kind):
                return "csv" if kind == "csv" else "jsonl"
        return None

    @contextlib.contextmanager
    def _open(self, path):
        with open_file(path) as file:
            if path.lower().endswith(".gz"):
                with gzip.open(file) as unpacked:
                    yield unpacked
            else:
                yield file

    def _lines(self, path):
        with self._open(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                except ValueError as error:
                    raise ValueError("%s:%d: not valid JSON: %s" % (
                        path, number, error)) from None
                if not isinstance(record, dict):
                    raise ValueError("%s:%d: not an object" % (path, number))
                yield line.rstrip(b"\n") + b"\n", record.get(self.text)

    def _rows(self, path):
        with self._open(path) as file, io.TextIOWrapper(
                file, "utf-8", newline="") as lines:
            reader = csv.reader(lines)
            head = next(reader, [])
            if self.text not in head:
                raise ValueError("'%s' has no column '%s'; the columns are %s"
                                 % (path, self.text, ", ".join(head)))
            at = head.index(self.text)
            for row in reader:
                yield csv_line(row), row[at] if at < len(row) else None

    def records(self, path):
        """(what is written, the text or None) of each record."""
        return self._rows(path) if self.kind(path) == "csv" else self._lines(
            path)

    def texts(self):
        for path in self.paths:
            for _, text in self.records(path):
                yield text if isinstance(text, str) else None

    def head(self, path):
        if self.kind(path) != "csv":
            return b""
        with self._open(path) as file, io.TextIOWrapper(
                file, "utf-8", newline="") as lines:
            return csv_line(next(csv.reader(lines)))

    def write(self, path, output, mask, first):
        """Without what was removed; how many records there were."""
        n = 0
        with whole_file(output) as out:
            with gzip.open(out, "wb") if output.lower().endswith(".gz") else (
                    contextlib.nullcontext(out)) as packed:
                packed.write(self.head(path))
                for line, _ in self.records(path):
                    if mask[first + n]:
                        packed.write(line)
                    n += 1
        return n


def csv_line(row):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(row)
    return out.getvalue().encode()


def compressions(file):
    metadata = file.metadata
    if metadata.num_row_groups == 0:
        return "snappy"
    group = metadata.row_group(0)
    found = {}
    for i in range(group.num_columns):
        column = group.column(i)
        codec = column.compression.lower()
        found[column.path_in_schema] = (
            "none" if codec == "uncompressed" else codec)
    return found


def cut_texts(table, column, texts, first):
    """Rows from number `first` on, with what is left of their texts."""
    rows = [i for i in range(table.num_rows) if first + i in texts]
    if not rows:
        return table
    pyarrow = import_pyarrow()
    at = table.schema.get_field_index(column)
    values = table.column(at).to_pylist()
    for i in rows:
        values[i] = texts[first + i]
    field = table.schema.field(at)
    return table.set_column(at, field, pyarrow.array(values, field.type))


class whole_file:
    """A file that appears when it is whole, or not at all."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        if is_remote(self.path):
            self.file = open_file(self.path, "wb")
            return self.file
        folder = os.path.dirname(self.path) or "."
        fd, self.name = tempfile.mkstemp(dir=folder, prefix=".origo-")
        umask = os.umask(0)
        os.umask(umask)
        os.fchmod(fd, 0o666 & ~umask)
        self.file = os.fdopen(fd, "wb")
        return self.file

    def __exit__(self, kind, *unused):
        if is_remote(self.path):
            if kind is not None and hasattr(self.file, "discard"):
                self.file.discard()
            self.file.close()
            return
        self.file.close()
        if kind is None:
            os.replace(self.name, self.path)
        else:
            os.unlink(self.name)


def bool_array(flags):
    """Of bytes, one for each row."""
    pyarrow = import_pyarrow()
    return pyarrow.Array.from_buffers(
        pyarrow.uint8(), len(flags),
        [None, pyarrow.py_buffer(flags)]).cast(pyarrow.bool_())


def write_filtered(files, path, output, mask, first, texts, on_rows=None):
    """One file without what was removed: its schema, row groups and
    compression. `on_rows` hears how many rows are done. Returns the number of
    the file's rows."""
    import pyarrow.parquet as parquet
    done = 0
    with files.open(path) as file, whole_file(output) as out:
        with parquet.ParquetWriter(out, file.schema_arrow,
                                   compression=compressions(file)) as writer:
            for i in range(file.metadata.num_row_groups):
                table = file.read_row_group(i)
                table = cut_texts(table, files.fields["text"], texts,
                                  first + done)
                flags = mask[first + done:first + done + table.num_rows]
                done += table.num_rows
                kept = table.filter(bool_array(flags))
                if kept.num_rows:
                    writer.write_table(kept, row_group_size=kept.num_rows)
                if on_rows is not None:
                    on_rows(first + done)
    return done
