"""Made-up jobs and traces."""

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from evaluator.traces.account import ImportReport, RowAccount
from evaluator.traces.model import Trace, TraceJob, TraceNode, TraceOutage


def job(number: int = 0, submit: int = 0, run: int | None = 10, chips: int = 1) -> TraceJob:
    return TraceJob(id=f"job-{number}", submit_ns=submit, run_ns=run, chips=chips)


def trace(
    jobs: Sequence[TraceJob], outages: Sequence[TraceOutage] = (), nodes: Sequence[TraceNode] = ()
) -> Trace:
    def counted(report: ImportReport) -> Iterator[TraceJob]:
        for item in jobs:
            report.section("jobs").settle(RowAccount())
            yield item

    return Trace("test", "test", jobs=counted, outages=lambda _: iter(outages), nodes=lambda _: iter(nodes))


def read(made: Trace) -> tuple[list[TraceJob], ImportReport]:
    report = ImportReport()
    jobs = list(made.jobs(report))
    report.check()
    assert report.section("jobs").kept == len(jobs)
    return jobs, report


jobs_in_order = st.lists(
    st.builds(job, submit=st.integers(0, 1000), run=st.integers(1, 100), chips=st.integers(0, 40)),
    max_size=30,
).map(lambda jobs: sorted(jobs, key=lambda item: item.submit_ns))
