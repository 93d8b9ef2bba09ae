"""A run's jobs as a Parquet table, for pandas, DuckDB and their like; what was run stands in its metadata."""

import io
from collections.abc import Iterator

from evaluator.errors import UsageError
from evaluator.export.jobrows import COLUMNS, job_rows
from evaluator.metrics.ledger import Ledger
from evaluator.results import RunResult

METADATA_KEY = b"scheduler-evaluator"
"""Key of the table's metadata under which the run's ``result.json`` is kept."""


def write_jobs(ledger: Ledger, result: RunResult) -> Iterator[bytes]:
    """The bytes of the file.

    :raises UsageError: the library that writes it is not installed.
    """
    try:
        import pyarrow  # an extra: a large library that nothing else needs
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(
            "Parquet files are written by pyarrow, which is not installed",
            next_step="Install it: pip install 'scheduler-evaluator[parquet]'.",
        ) from error
    types = {"string": pyarrow.string(), "double": pyarrow.float64(), "int64": pyarrow.int64()}
    types["bool"] = pyarrow.bool_()
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    schema = schema.with_metadata({METADATA_KEY: result.model_dump_json()})
    table = pyarrow.Table.from_pylist(job_rows(ledger), schema=schema)
    file = io.BytesIO()
    parquet.write_table(table, file, compression="zstd")
    yield file.getvalue()
