"""Files of tables: Parquet in, Parquet out, wherever fsspec opens them."""

import glob
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

    def open(self, path):
        import pyarrow.parquet as parquet
        pyarrow = import_pyarrow()
        try:
            if is_remote(path):
                return parquet.ParquetFile(open_file(path))
            return parquet.ParquetFile(path)
        except pyarrow.ArrowInvalid as error:
            raise ValueError("'%s' is no whole Parquet file: %s" %
                             (path, error)) from None

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
        first = self.open(self.paths[0])
        schema = first.schema_arrow
        names = self.columns(schema, self.paths[0])
        pyarrow = import_pyarrow()
        return pyarrow.schema([schema.field(name) for name in names])

    def batches(self, schema):
        for path in self.paths:
            file = self.open(path)
            names = self.columns(file.schema_arrow, path)
            missing = [name for name in schema.names if name not in names]
            if missing:
                raise ValueError("'%s' lacks the column '%s' of '%s'" % (
                    path, missing[0], self.paths[0]))
            for batch in file.iter_batches(batch_size=512,
                                           columns=schema.names):
                yield batch.select(schema.names).cast(schema)

    def reader(self):
        pyarrow = import_pyarrow()
        schema = self.schema()
        return pyarrow.RecordBatchReader.from_batches(schema,
                                                      self.batches(schema))

    def tables(self):
        return Tables(self.reader)


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
        self.file.close()
        if is_remote(self.path):
            return
        if kind is None:
            os.replace(self.name, self.path)
        else:
            os.unlink(self.name)


def write_filtered(files, path, output, mask, first, texts):
    """One file without what was removed: its schema, row groups and
    compression. Returns the number of its rows."""
    import pyarrow.parquet as parquet
    pyarrow = import_pyarrow()
    file = files.open(path)
    schema = file.schema_arrow
    done = 0
    with whole_file(output) as out:
        with parquet.ParquetWriter(out, schema,
                                   compression=compressions(file)) as writer:
            for i in range(file.metadata.num_row_groups):
                table = file.read_row_group(i)
                table = cut_texts(table, files.fields["text"], texts,
                                  first + done)
                flags = mask[first + done:first + done + table.num_rows]
                done += table.num_rows
                kept = table.filter(
                    pyarrow.array([bool(one) for one in flags],
                                  pyarrow.bool_()))
                if kept.num_rows:
                    writer.write_table(kept, row_group_size=kept.num_rows)
    return done
