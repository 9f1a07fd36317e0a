"""python -m origo: deduplicate, decontaminate and trace tables in files."""

import argparse
import json
import os
import sys
import tempfile

from . import __version__, _origo
from .dedup import dedup, find_items
from .files import (LineFiles, ParquetFiles, expand, is_parquet, is_remote,
                    open_file, whole_file, write_filtered)
from .sources import import_pyarrow, progress_of
from .store import Store, read

EXIT_USAGE, EXIT_INPUT = 2, 3


def add_common(parser):
    parser.add_argument("input", nargs="+", help=(
        "Parquet, JSONL, CSV and other files, folders or globs; with fsspec "
        "also URLs"))
    for name in ("text", "id", "time"):
        parser.add_argument("--%s-field" % name, metavar="NAME",
                            help="the column of the %s" % name)
    parser.add_argument("-j", "--threads", type=int, metavar="N")
    parser.add_argument("-q", "--quiet", action="store_true",
                        help="no progress and no summary")


def make_parser():
    parser = argparse.ArgumentParser(
        prog="origo-py", description="Tells where text came from, in tables.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True,
                                     metavar="COMMAND")
    one = commands.add_parser("dedup", help="remove near-duplicates")
    add_common(one)
    one.add_argument("-o", "--output", required=True, help=(
        "a file for one input, a folder for several: a shard for each"))
    one.add_argument("--against", action="append", metavar="PATH",
                     help="compare with these documents, too; their columns "
                     "have the names of the input's")
    one.add_argument("--threshold", type=float, default=0.8)
    one.add_argument("--keep", default="first",
                     choices=["first", "last", "longest"])
    one.add_argument("--level", default="document",
                     choices=["document", "passage", "sentence", "line"])
    one.add_argument("--report", metavar="FILE", help=(
        "what was removed of what; .parquet, .jsonl or .tsv"))
    one.add_argument("--resume", action="store_true", help=(
        "leave shards alone that an earlier run of the same command wrote"))
    one = commands.add_parser(
        "decontaminate", help="remove documents that hold benchmark items")
    add_common(one)
    one.add_argument("-o", "--output", required=True)
    one.add_argument("--against", action="append", metavar="PATH",
                     required=True, help="the benchmark items")
    one.add_argument("--item-text-field", metavar="NAME", default="text",
                     help="the column of their text")
    one.add_argument("--item-id-field", metavar="NAME", default="id")
    one.add_argument("--min-share", type=float, default=0.5)
    one.add_argument("--min-words", type=int, default=13)
    one.add_argument("--report", metavar="FILE")
    one = commands.add_parser("trace", help="find copied passages")
    add_common(one)
    one.add_argument("-s", "--store", required=True)
    one.add_argument("--add", action="store_true",
                     help="add each document after tracing it")
    one.add_argument("-o", "--output", required=True, help=(
        "a row for each copied passage; .parquet or .jsonl"))
    return parser


def fields_of(args):
    given = {"text": args.text_field, "id": args.id_field,
             "time": args.time_field}
    return {name: value for name, value in given.items() if value} or None


def local_copies(paths, folder):
    """Files that the library opens itself."""
    from pathlib import Path
    copies = []
    for number, path in enumerate(paths):
        if not is_remote(path):
            copies.append(Path(path))
            continue
        name = os.path.join(folder, "%06d-%s" % (
            number, os.path.basename(path)))
        with open_file(path) as source, open(name, "wb") as copy:
            while True:
                block = source.read(1 << 20)
                if not block:
                    break
                copy.write(block)
        copies.append(Path(name))
    return copies


def one_kind(paths):
    n = sum(is_parquet(path) for path in paths)
    if n not in (0, len(paths)):
        raise ValueError("Parquet files and others cannot be read together")
    return n > 0


def output_names(paths, output):
    """A file of its own for each input, or one for one."""
    is_folder = output.endswith("/") or len(paths) > 1 or (
        not is_remote(output) and os.path.isdir(output))
    if not is_folder:
        return [output]
    names = [os.path.basename(path) for path in paths]
    if len(set(names)) < len(names):
        names = ["part-%05d.parquet" % i for i in range(len(paths))]
    if not is_remote(output):
        os.makedirs(output, exist_ok=True)
    return [output.rstrip("/") + "/" + name for name in names]


def is_input(output, paths):
    return any(not is_remote(path) and os.path.exists(output) and
               os.path.samefile(output, path) for path in paths)


def manifest(args, paths):
    """What an output folder was made of, to go on only with the same."""
    def facts(path):
        if is_remote(path):
            return [path]
        status = os.stat(path)
        return [path, status.st_size, status.st_mtime_ns]
    options = {name: value for name, value in vars(args).items()
               if name not in ("quiet", "threads", "resume", "report")}
    return json.dumps({"origo": __version__, "options": options,
                       "files": [facts(path) for path in paths]},
                      sort_keys=True)


def begin_manifest(args, paths, output):
    """Whether shards that are there are those of this command."""
    if is_remote(output) or not os.path.isdir(output):
        return False
    name = os.path.join(output, "_origo.json")
    text = manifest(args, paths)
    if args.resume and os.path.exists(name):
        with open(name) as file:
            if file.read() == text:
                return True
        raise ValueError("'%s' is of another run: remove '%s' to begin anew" %
                         (output, name))
    with whole_file(name) as file:
        file.write(text.encode())
    return False


def write_report(rows, columns, path):
    """`rows` are dicts, `columns` the types by name."""
    if is_parquet(path):
        pyarrow = import_pyarrow()
        import pyarrow.parquet as parquet
        table = pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(
            [(name, pyarrow.type_for_alias(kind))
             for name, kind in columns.items()]))
        with whole_file(path) as out:
            parquet.write_table(table, out)
        return
    with whole_file(path) as out:
        if path.endswith(".tsv"):
            out.write(("\t".join(columns) + "\n").encode())
        for row in rows:
            if path.endswith(".tsv"):
                line = "\t".join("" if row[name] is None else str(row[name])
                                 for name in columns)
            else:
                line = json.dumps(row, ensure_ascii=False)
            out.write((line + "\n").encode())


def ids_of(files):
    """The ids of all rows, if there is such a column."""
    name = files.fields["id"]
    ids = []
    for path in files.paths:
        with files.open(path) as file:
            if name is None or name not in file.schema_arrow.names:
                return None
            for batch in file.iter_batches(columns=[name]):
                ids.extend(batch.column(0).to_pylist())
    return ids


def dedup_report(result, files, path):
    ids = ids_of(files)
    rows = [{
        "row": one.index,
        "id": None if ids is None else str(ids[one.index]),
        "duplicate_of_row": one.duplicate_of,
        "duplicate_of": (
            one.original if one.duplicate_of is None else
            None if ids is None else str(ids[one.duplicate_of])),
        "similarity": one.similarity,
    } for one in result.removed]
    write_report(rows, {
        "row": "int64", "id": "string", "duplicate_of_row": "int64",
        "duplicate_of": "string", "similarity": "double"}, path)


def shard_names(args, paths):
    outputs = output_names(paths, args.output)
    for output in outputs:
        if not is_remote(output) and is_input(output, paths):
            raise ValueError("the output '%s' is one of the inputs" % output)
    return outputs


def write_shards(args, files, mask, texts):
    outputs = shard_names(args, files.paths)
    goes_on = args.command == "dedup" and begin_manifest(
        args, files.paths, args.output)
    show, close = progress_of(shows_progress(args), "write")
    first = 0
    try:
        for path, output in zip(files.paths, outputs):
            if goes_on and os.path.exists(output):
                first += files.n_rows(path)
                continue
            first += write_filtered(
                files, path, output, mask, first, texts,
                show and (lambda rows: show("rows", rows, 0)))
    finally:
        close()


def write_lines(args, files, mask):
    first = 0
    for path, output in zip(files.paths, shard_names(args, files.paths)):
        first += files.write(path, output, mask, first)


def shows_progress(args):
    return None if args.quiet else sys.stderr.isatty()


def against_paths(patterns, folder, fields):
    """Files that the library reads: Parquet is turned into JSONL."""
    paths = []
    for path in expand(patterns or []):
        if not is_parquet(path):
            paths.extend(local_copies([path], folder))
            continue
        files = ParquetFiles([path], fields)
        copy = os.path.join(folder, "against-%d.jsonl" % len(paths))
        with open(copy, "w") as out:
            for batch in files.reader():
                for row in batch.to_pylist():
                    document = {name: str(value) for name, value
                                in row.items() if value is not None}
                    out.write(json.dumps(document) + "\n")
        from pathlib import Path
        paths.append(Path(copy))
    return paths


def own_report(path, folder):
    """Where the library writes its report, and how."""
    if path is None:
        return None, None
    if is_parquet(path):
        return os.path.join(folder, "report.jsonl"), "jsonl"
    return path, "jsonl" if path.endswith(".jsonl") else None


def to_parquet(source, path):
    """A report of the library, as a table: what is not text is a number."""
    pyarrow = import_pyarrow()
    import pyarrow.parquet as parquet
    with open(source, "rb") as lines:
        rows = [json.loads(line) for line in lines]
    table = pyarrow.Table.from_pylist(rows) if rows else pyarrow.table({
        "id": pyarrow.array([], pyarrow.string())})
    with whole_file(path) as out:
        parquet.write_table(table, out)


def run_dedup(args):
    paths = expand(args.input)
    fields = fields_of(args)
    options = {"threshold": args.threshold, "keep": args.keep,
               "level": args.level, "threads": args.threads,
               "fields": fields,
               "progress": shows_progress(args)}
    with tempfile.TemporaryDirectory() as folder:
        if args.against:
            options["against"] = against_paths(args.against, folder, fields)
        if not one_kind(paths):
            report, kind = own_report(args.report, folder)
            result = dedup(local_copies(paths, folder), output=args.output,
                           report=report, format=kind, resume=args.resume,
                           **options)
            if report != args.report:
                to_parquet(report, args.report)
        else:
            files = ParquetFiles(paths, fields)
            result = dedup(files.tables(), **options)
            write_shards(args, files, result.mask, result.texts)
            if args.report:
                dedup_report(result, files, args.report)
    counts = result.counts
    return "%d documents, %d kept, %d removed" % (
        counts["n_kept"] + counts["n_removed"], counts["n_kept"],
        counts["n_removed"])


def run_decontaminate(args):
    paths = expand(args.input)
    fields = fields_of(args)
    is_table = one_kind(paths)
    files = (ParquetFiles if is_table else LineFiles)(paths, fields)
    shard_names(args, paths)
    with tempfile.TemporaryDirectory() as folder:
        items = []
        names = {"text": args.item_text_field, "id": args.item_id_field}
        for path in against_paths(args.against, folder, names):
            items.extend(read(path, fields=names))
    found, n = find_items(
        files.tables() if is_table else files.texts(), items, args.min_share,
        args.min_words, fields=fields if is_table else None,
        threads=args.threads, progress=shows_progress(args))
    gone = {one.index for one in found}
    mask = bytes(i not in gone for i in range(n))
    if is_table:
        write_shards(args, files, mask, {})
    else:
        write_lines(args, files, mask)
    if args.report:
        write_report([{**one.to_dict(), "item": str(one.item)}
                      for one in found], {
            "index": "int64", "item": "string", "matching": "int64",
            "share": "double"}, args.report)
    return "%d documents, %d hold items" % (n, len(gone))


def run_trace(args):
    paths = expand(args.input)
    fields = fields_of(args)
    with tempfile.TemporaryDirectory() as folder:
        if one_kind(paths):
            source = ParquetFiles(paths, fields).tables()
        else:
            source = local_copies(paths, folder)
        with Store(args.store, "a" if args.add else "r") as store:
            table = store.trace_many(source, add=args.add, fields=fields,
                                     threads=args.threads).to_arrow()
    if is_parquet(args.output):
        import pyarrow.parquet as parquet
        with whole_file(args.output) as out:
            parquet.write_table(table, out)
    else:
        with whole_file(args.output) as out:
            for row in table.to_pylist():
                out.write((json.dumps(row, default=str,
                                      ensure_ascii=False) + "\n").encode())
    return "%d copied passages" % table.num_rows


COMMANDS = {"dedup": run_dedup, "decontaminate": run_decontaminate,
            "trace": run_trace}


def run(arguments):
    args = make_parser().parse_args(arguments)
    try:
        summary = COMMANDS[args.command](args)
    except (_origo.UsageError, ImportError) as error:
        print("origo-py: %s" % error, file=sys.stderr)
        return EXIT_USAGE
    except (_origo.Error, OSError, ValueError) as error:
        print("origo-py: %s" % error, file=sys.stderr)
        return EXIT_INPUT
    except KeyboardInterrupt:
        print("origo-py: stopped; nothing is written half", file=sys.stderr)
        return 130
    if not args.quiet:
        print("origo-py: %s" % summary, file=sys.stderr)
    return 0
