"""The store, and questions that need none."""

import json
import os
import threading
from collections.abc import Mapping

from . import _origo
from .answers import Answer, Match, Matches, Phrases, Quote, Quotes
from .sources import make_input, progress_of
from .tables import Table

ACCESS = {"r": 0, "w": 1, "a": 2}

TRACE_OPTIONS = frozenset((
    "boilerplate_documents", "boilerplate_share", "min_span", "ignored", "compare_same",
    "no_verify", "reworded"))


def check_options(options, known):
    for name in options:
        if name not in known:
            raise TypeError("there is no option %r; there are %s" %
                            (name, ", ".join(sorted(known))))
    return options or None


def text_of(document):
    if isinstance(document, Mapping):
        document = document.get("text")
    elif isinstance(document, tuple) and len(document) == 2:
        document = document[1]
    if isinstance(document, bytes):
        return document.decode("utf-8", "replace")
    return document


def make_document(document, **fields):
    given = {name: value for name, value in fields.items()
             if value is not None}
    if not given:
        return document
    if isinstance(document, Mapping):
        return {**document, **given}
    return {"text": document, **given}


class Store:
    """A collection of documents, with indexes that answer questions about
    them.

    `path` is a folder, or ":memory:". `mode` is "a" (create the store if it is
    missing, and write), "w" (write) or "r" (read only; any number of processes
    at a time). `indexes` of a new store are "passages" (trace), "near" and
    "sentences" (quote), separated by commas. The other parameters are the
    options of `origo add`.
    """

    def __init__(self, path, mode="a", *, indexes=None, memory=None,
                 preset=None, shingle=None, tokens=None, select=None,
                 fold=None, same=None, key=None, keep_texts=True):
        if mode not in ACCESS:
            raise ValueError("mode %r: must be 'a', 'w' or 'r'" % (mode,))
        self.path = os.fspath(path)
        self.mode = mode
        self._lock = threading.RLock()
        self._store = None
        self._store = _origo.Store(os.fsencode(path), ACCESS[mode], {
            "indexes": indexes, "memory": memory, "preset": preset,
            "shingle": shingle, "tokens": tokens, "select": select,
            "fold": fold, "same": same, "key": key,
            "no_texts": not keep_texts,
        })

    # Closing

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Closes the store. All added documents are then on disk."""
        if self._store is not None:
            with self._lock:
                self._store.close()

    def commit(self):
        """Waits until all added documents are safe on disk."""
        with self._lock:
            self._store.commit()

    # Adding

    def add(self, document, *, id=None, time=None, title=None, url=None):
        """Adds a document: a str, bytes (UTF-8), a dict or (id, text). It is
        safe on disk after `commit` or `close`."""
        with self._lock:
            self._store.add(make_document(document, id=id, time=time,
                                          title=title, url=url))

    def add_many(self, source, *, fields=None, kind=None, threads=None,
                 progress=None):
        """Adds all documents of a source: a list or iterator of what `add`
        accepts, an Arrow, pandas or polars table, a Hugging Face dataset, or
        pathlib.Path for files. Returns counts. All documents are then on
        disk."""
        return self._run(source, {}, True, None, False, fields, kind, threads,
                         progress)[0]

    # Questions

    def trace(self, document, *, id=None, time=None, title=None, url=None,
              add=False, **options):
        """Finds the origins of a document. With `add` the document is then
        added."""
        document = make_document(document, id=id, time=time, title=title,
                                 url=url)
        checked = check_options(options, TRACE_OPTIONS)
        if add:
            with self._lock:
                answer = self._store.trace(document, checked, True)
        else:
            answer = self._store.trace(document, checked, False)
        return Answer(answer[0], text_of(document), answer[1])

    def trace_many(self, source, *, add=False, fields=None, kind=None,
                   threads=None, progress=None, on_answer=None, **options):
        """Traces all documents of a source, on all cores. Answers are passed
        to `on_answer`, in order (return False to stop). Without `on_answer`,
        returns a Table with a row for each copied passage; its offsets are in
        bytes."""
        def give(pair, text, number):
            return on_answer(Answer(pair[0], text, pair[1]))
        counts, capsule = self._run(
            source, check_options(options, TRACE_OPTIONS), add,
            give if on_answer else None, on_answer is None, fields, kind,
            threads, progress)
        return counts if on_answer else Table(capsule)

    def _run(self, source, options, add, on_answer, as_table, fields, kind,
             threads, progress):
        show, close = progress_of(progress, "trace" if not add else "add")
        source = make_input(source, fields=fields, kind=kind, threads=threads,
                            on_progress=show)
        try:
            with self._lock:
                return self._store.run(source, options, add, on_answer,
                                       as_table)
        finally:
            close()

    def near(self, document, *, threshold=0.8, max_distance=3, id=None):
        """Finds near-duplicates, most similar first. Needs the index
        "near"."""
        with self._lock:
            found = self._store.near(make_document(document, id=id),
                                     threshold, max_distance)
        return Matches(Match(*one) for one in found)

    def near_many(self, source, *, threshold=0.8, max_distance=3, add=False,
                  fields=None, kind=None, threads=None, progress=None):
        """Returns a Table with a row for each pair of near-duplicates."""
        show, close = progress_of(progress, "near")
        source = make_input(source, fields=fields, kind=kind, threads=threads,
                            on_progress=show)
        try:
            with self._lock:
                _, capsule = self._store.near_run(source, threshold,
                                                  max_distance, add)
        finally:
            close()
        return Table(capsule)

    def quote(self, document, *, id=None, time=None, threshold=None,
              min_words=None, limit=None, later=None, method=None):
        """Finds sentences that also occur in earlier documents. Needs the
        index "sentences"."""
        with self._lock:
            found = self._store.quote(
                make_document(document, id=id, time=time),
                {"threshold": threshold, "min_words": min_words,
                 "limit": limit, "later": later, "method": method})
        return Quotes(Quote(one) for one in json.loads(found)["sentences"])

    def phrases(self, *, limit=None, min_documents=None, min_tokens=None,
                memory=None, since=None, until=None, period=None, source=None,
                threads=None, progress=None):
        """Finds passages that many documents repeat: how many contain each
        one, who had it first, how it spread. `since` and `until` are times,
        `period` is "day", "month" or "year", `source` what identifies a
        source: "host" (of the url), "id", or the name of a field."""
        show, close = progress_of(progress, "phrases")
        try:
            with self._lock:
                found = self._store.phrases(
                    make_input([], threads=threads, on_progress=show),
                    {"limit": limit, "min_documents": min_documents,
                     "min_tokens": min_tokens, "memory": memory,
                     "since": since, "until": until, "period": period,
                     "source": source})
        finally:
            close()
        return Phrases(json.loads(found))

    # Maintenance

    def remove(self, id):
        """Removes all versions of a document and returns their number."""
        with self._lock:
            return self._store.remove(str(id) if isinstance(id, int) else id)

    def __iter__(self):
        """Yields all documents with their texts, as dicts, in order of
        arrival. They are read one at a time, so a store need not fit into
        memory. Documents added in the meantime are left out."""
        with self._lock:
            cursor = self._store.cursor()
        return self._documents(cursor)

    def _documents(self, cursor):
        while True:
            with self._lock:
                one = next(cursor, None)
            if one is None:
                return
            id, time, title, url, text = one
            yield {"id": id, "time": time, "title": title or None,
                   "url": url or None, "text": text}

    def __len__(self):
        return self.info()["n_documents"]

    def info(self):
        """Returns counts and parameters, as a dict."""
        with self._lock:
            return self._store.info()

    def add_index(self, indexes):
        """Builds indexes from the texts: "near", "sentences"."""
        with self._lock:
            self._store.index_add(indexes)

    def drop_index(self, indexes):
        with self._lock:
            self._store.index_drop(indexes)

    def verify(self):
        """Reads every byte of a store on disk and verifies the checksums.
        StoreError names the file and the position of damage."""
        if self.path == ":memory:":
            return {"n_documents": len(self)}
        if self.mode != "r":
            self.commit()
        return verify(self.path)

    def __repr__(self):
        try:
            info = self.info()
        except (ValueError, RuntimeError):
            return "<Store %r, closed>" % self.path
        return "<Store %r: %d documents, %s>" % (
            self.path, info["n_documents"], info["indexes"])


def verify(path):
    """Reads every byte of the store in a folder and verifies its checksums.
    May run while the store is in use."""
    return _origo.verify(os.fsencode(path))


def compare(document, origin, *, min_copy=None, reworded=None):
    """Finds the parts of `document` that come from `origin`. Returns an
    Answer.

    >>> answer = compare(
    ...     "He said that the lamp of the old lighthouse will be lit again in "
    ...     "spring, and left.",
    ...     "The lamp of the old lighthouse will be lit again in spring, they "
    ...     "hope.", min_copy=8)
    >>> answer.spans[0].text
    'the lamp of the old lighthouse will be lit again in spring'
    """
    found = _origo.compare(document, origin,
                           {"min_copy": min_copy, "reworded": reworded})
    return Answer(found, text_of(document))


def read(paths, *, kind=None, threads=None, fields=None, on_document=None):
    """Returns the documents of files as dicts: the main text of web pages,
    mails, web archives, TEI, JSONL, CSV and so on. With `on_document`, each
    document is passed to it as it is read (return False to stop), and counts
    are returned."""
    if isinstance(paths, (str, bytes)):
        paths = [os.fsdecode(paths)]
    elif isinstance(paths, os.PathLike):
        paths = [paths]
    from pathlib import Path
    source = make_input([Path(os.fsdecode(path)) for path in paths],
                        kind=kind, threads=threads, fields=fields)
    documents = []
    take = on_document or documents.append

    def give(id, time, time_source, title, url, language, text):
        return take({
            "id": id, "time": time, "time_source": time_source or None,
            "title": title or None, "url": url or None,
            "language": language or None, "text": text})
    counts = _origo.read(source, give)
    return counts if on_document else documents
