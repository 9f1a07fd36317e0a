"""Tables of answers: an Arrow stream that is read once, by whoever wants it."""


class Table:
    """Rows of the C library. `to_arrow()` returns a pyarrow.Table. Libraries
    that accept `__arrow_c_stream__` (polars, DuckDB, pandas 2.2) can use the
    object directly."""

    def __init__(self, capsule):
        self._capsule = capsule
        self._table = None

    def __arrow_c_stream__(self, requested_schema=None):
        if self._table is not None:
            return self._table.__arrow_c_stream__(requested_schema)
        if self._capsule is None:
            raise ValueError("the rows were read already: keep what they "
                             "were read into")
        capsule, self._capsule = self._capsule, None
        return capsule

    def to_arrow(self):
        if self._table is None:
            from .sources import import_pyarrow
            pyarrow = import_pyarrow()
            self._table = pyarrow.RecordBatchReader.from_stream(
                self).read_all()
        return self._table

    def to_pandas(self):
        return self.to_arrow().to_pandas()

    def __repr__(self):
        if self._table is not None:
            return "<origo.Table of %d rows>" % self._table.num_rows
        return "<origo.Table>"
