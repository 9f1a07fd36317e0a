"""The results of queries."""

import json
from datetime import datetime, timezone

__all__ = ["Answer", "Match", "Matches", "Origin", "Phrase", "Phrases", "Quote",
           "QuoteMatch", "Quotes", "Span"]


def parse_time(text):
    if text is None:
        return None
    try:
        moment = datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None  # before year 1: `to_dict` has it as text
    return moment.replace(tzinfo=timezone.utc)


def shorten(text, n=40):
    text = " ".join(text.split())
    return text if len(text) <= n else text[:n - 1] + "…"


class Record:
    """A small result: what its slots hold."""

    __slots__ = ()

    def to_dict(self):
        return {name: getattr(self, name) for name in self.__slots__}


class Found:
    """A part of the JSON that the library wrote."""

    __slots__ = ("_data",)

    def __init__(self, data):
        self._data = data

    def to_dict(self):
        return self._data


class Rows(list):
    """A list of results that can be converted to a table."""

    def to_dict(self):
        return [one.to_dict() for one in self]

    def to_arrow(self):
        """Returns a pyarrow.Table with a row for each."""
        from .sources import import_pyarrow
        pyarrow = import_pyarrow()
        names = [name for name, _ in self._columns]
        return pyarrow.Table.from_pylist(
            [dict(zip(names, row)) for row in self._cells()],
            schema=pyarrow.schema([(name, pyarrow.type_for_alias(kind))
                                   for name, kind in self._columns]))

    def _repr_html_(self):
        from .html import rows_html
        return rows_html("%d found" % len(self), [
            name.replace("_", " ") for name, _ in self._columns],
            self._cells())


class Span(Found):
    """A copied passage. `begin` and `end` count characters."""

    __slots__ = ("_document", "origin_text")

    def __init__(self, data, document, origin_text=None):
        super().__init__(data)
        self._document = document
        self.origin_text = origin_text

    @property
    def begin(self):
        return self._data["begin"]

    @property
    def end(self):
        return self._data["end"]

    @property
    def text(self):
        return self._document[self.begin:self.end]

    @property
    def origin(self):
        return self._data["origin"]["id"]

    @property
    def origin_time(self):
        return parse_time(self._data["origin"].get("time"))

    @property
    def origin_begin(self):
        return self._data["origin"].get("begin")

    @property
    def origin_end(self):
        return self._data["origin"].get("end")

    @property
    def how(self):
        return self._data["how"]

    @property
    def score(self):
        return self._data.get("score")

    @property
    def n_tokens(self):
        return self._data["n_tokens"]

    def __repr__(self):
        return "Span(%d:%d from %r, %s: %r)" % (
            self.begin, self.end, self.origin, self.how, shorten(self.text))


class Origin(Found):
    """A document that passages come from."""

    __slots__ = ()

    @property
    def id(self):
        return self._data["id"]

    @property
    def title(self):
        return self._data.get("title")

    @property
    def url(self):
        return self._data.get("url")

    @property
    def time(self):
        return parse_time(self._data.get("time"))

    @property
    def copiers(self):
        return [one["id"] for one in self._data.get("copiers", [])]

    def __repr__(self):
        return "Origin(%r)" % self.id


class Answer:
    """The origins of a document. The JSON is parsed on first access; `to_dict`
    returns the object of docs/answer.schema.json."""

    __slots__ = ("_json", "_excerpts", "_data", "document")

    def __init__(self, answer_json, document, excerpts=None):
        self._json = answer_json
        self._excerpts = excerpts
        self._data = None
        self.document = document

    def to_dict(self):
        if self._data is None:
            self._data = json.loads(self._json)
        return self._data

    @property
    def id(self):
        return self.to_dict()["id"]

    @property
    def n_tokens(self):
        return self.to_dict()["n_tokens"]

    @property
    def copied(self):
        """The share of words that occur in the sources."""
        return self.to_dict()["copied"]

    @property
    def novel(self):
        """The share of words outside all copied passages."""
        return self.to_dict()["novel"]

    @property
    def spans(self):
        excerpts = self._excerpts or []
        return [
            Span(span, self.document,
                 excerpts[i] if i < len(excerpts) else None)
            for i, span in enumerate(self.to_dict()["spans"])
        ]

    @property
    def novel_texts(self):
        return [self.document[span["begin"]:span["end"]]
                for span in self.to_dict()["novel_spans"]]

    @property
    def origins(self):
        return [Origin(one) for one in self.to_dict().get("origins", [])]

    @property
    def dominant(self):
        dominant = self.to_dict()["dominant"]
        return dominant["id"] if dominant else None

    def to_arrow(self):
        from .sources import import_pyarrow
        rows = [{
            "begin": span.begin, "end": span.end, "origin": span.origin,
            "origin_time": span.origin_time, "how": span.how,
            "score": span.score, "n_tokens": span.n_tokens, "text": span.text,
        } for span in self.spans]
        pyarrow = import_pyarrow()
        schema = pyarrow.schema([
            ("begin", pyarrow.int64()), ("end", pyarrow.int64()),
            ("origin", pyarrow.string()),
            ("origin_time", pyarrow.timestamp("us", "UTC")),
            ("how", pyarrow.string()), ("score", pyarrow.float64()),
            ("n_tokens", pyarrow.int64()), ("text", pyarrow.string()),
        ])
        return pyarrow.Table.from_pylist(rows, schema=schema)

    def __repr__(self):
        n = len(self.to_dict()["spans"])
        return "<Answer: %.0f %% copied, %d passage%s from %d source%s>" % (
            100 * self.copied, n, "" if n == 1 else "s",
            len({span.origin for span in self.spans}),
            "" if len({span.origin for span in self.spans}) == 1 else "s")

    def _repr_html_(self):
        from .html import answer_html
        return answer_html(self)


class Match:
    """A near-duplicate."""

    __slots__ = ("distance", "id", "is_exact", "similarity", "_time")

    def __init__(self, id, time, similarity, is_exact, distance):
        self.id = id
        self._time = time
        self.similarity = similarity
        self.is_exact = is_exact
        self.distance = distance

    @property
    def time(self):
        return parse_time(self._time)

    def to_dict(self):
        return {"id": self.id, "time": self._time,
                "similarity": self.similarity, "is_exact": self.is_exact,
                "distance": self.distance}

    def __repr__(self):
        if self.similarity is None:
            return "Match(%r, %d bits)" % (self.id, self.distance)
        return "Match(%r, %s%.3f)" % (
            self.id, "" if self.is_exact else "about ", self.similarity)


class Matches(Rows):
    """Near-duplicates, most similar first."""

    _columns = (("id", "string"), ("time", "string"),
                ("similarity", "double"), ("is_exact", "bool"),
                ("distance", "int64"))

    def _cells(self):
        return (tuple(one.to_dict().values()) for one in self)


class Phrase(Found):
    """A passage that many documents contain."""

    __slots__ = ()

    @property
    def text(self):
        """The text, as in the first document."""
        return self._data["text"]

    @property
    def n_documents(self):
        """The number of documents that contain all of it, word by word."""
        return self._data["n_documents"]

    @property
    def n_tokens(self):
        return self._data["n_tokens"]

    @property
    def first(self):
        """The id of the earliest document that contains it."""
        return self._data["first"]["id"]

    @property
    def first_time(self):
        return parse_time(self._data["first"].get("time"))

    @property
    def growth(self):
        """The number of its documents in each period."""
        return self._data["growth"]

    def __repr__(self):
        return "Phrase(%r, in %d documents)" % (
            shorten(self.text), self.n_documents)


class Phrases(Rows):
    """Passages that many documents repeat, the most frequent first. `to_dict`
    returns the object of docs/phrases.schema.json, with the periods, the
    documents that consist of such passages and the sources that copy most."""

    _columns = (("text", "string"), ("n_documents", "int64"),
                ("n_tokens", "int64"), ("first", "string"),
                ("first_time", "string"))

    def __init__(self, data):
        super().__init__(Phrase(one) for one in data["phrases"])
        self._data = data

    def to_dict(self):
        return self._data

    def _cells(self):
        return ((one.text, one.n_documents, one.n_tokens, one.first,
                 one.to_dict()["first"].get("time")) for one in self)


class QuoteMatch(Found):
    """A sentence of another document."""

    __slots__ = ()

    @property
    def id(self):
        return self._data["id"]

    @property
    def time(self):
        return parse_time(self._data.get("time"))

    @property
    def text(self):
        return self._data["text"]

    @property
    def similarity(self):
        return self._data["similarity"]

    def __repr__(self):
        return "QuoteMatch(%r, %.2f: %r)" % (
            self.id, self.similarity, shorten(self.text))


class Quote(Found):
    """A sentence that appeared before."""

    __slots__ = ()

    @property
    def text(self):
        return self._data["text"]

    @property
    def matches(self):
        return [QuoteMatch(one) for one in self._data["matches"]]

    def __repr__(self):
        n = len(self._data["matches"])
        return "Quote(%r, %d match%s)" % (
            shorten(self.text), n, "" if n == 1 else "es")


class Quotes(Rows):
    """Sentences that appeared before. As a table, one row for each match."""

    _columns = (("text", "string"), ("id", "string"), ("time", "string"),
                ("similarity", "double"), ("match", "string"))

    def _cells(self):
        return ((quote.text, one.id, one.to_dict().get("time"),
                 one.similarity, one.text)
                for quote in self for one in quote.matches)
