"""``evaluator explain``: the story of one job, from the timeline of a run."""

from dataclasses import asdict
from typing import Annotated, Any, Final

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluator.cli.options import RunArgument
from evaluator.cli.runs import one_timeline
from evaluator.errors import NothingMatchedError
from evaluator.scenario.units import format_rfc3339, parse_rfc3339
from evaluator.story.selecting import find_job
from evaluator.story.steps import Story
from evaluator.story.telling import stories
from evaluator.story.wording import step_text, verdict_texts
from evaluator.timeline import RunStarted, Timeline
from evaluator.words import span_text

JobArgument = Annotated[
    str,
    typer.Argument(metavar="JOB", help="Its name, with or without namespace, or a pod of it."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the story as JSON, times in nanoseconds.")]

WIDTH: Final = 80
"""Columns that everything fits in: the least that terminals have."""


def explain(run: RunArgument, job: JobArgument, as_json: Json = False) -> None:
    """Tell one job's story: why it waited, where it ran, what it lost, what would have had to differ.

    From the timeline alone; room is judged by chips, CPU, memory, chip type and readiness of the nodes.
    """
    timeline = one_timeline(run)
    found = find_job(timeline, job)
    story = stories(timeline, [found]).get(found)
    if story is None:  # a job object without any pod and without a submission of its own
        raise NothingMatchedError(f"job {found!r}: the timeline tells nothing of it")
    console = Console()
    if as_json:
        options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS  # reasons are enumerated
        typer.echo(orjson.dumps(story_document(story), option=options))
    else:
        print_story(console, story, _start_ns(timeline))


def _start_ns(timeline: Timeline) -> int:
    first = timeline[0]
    return parse_rfc3339(first.start) if isinstance(first, RunStarted) else 0


def story_document(story: Story) -> dict[str, Any]:
    """The story as plain values: each step with its kind and its words, and the verdict."""
    return {
        "job": story.job,
        "late_ns": story.late_ns,
        "steps": [{"kind": step.kind, **asdict(step), "text": step_text(step)} for step in story.steps],
        "left_out": story.left_out,
        "verdict": {**asdict(story.verdict), "texts": verdict_texts(story)},
    }


def print_story(console: Console, story: Story, start_ns: int) -> None:
    """The story as a table of instants and sentences."""
    console.print(Text(story.job, style="bold"))
    table = Table.grid(padding=(0, 1))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    came = story.submitted.at_ns
    for step in story.steps:
        moment = format_rfc3339(start_ns + step.at_ns).partition(".")[0].removesuffix("Z").replace("T", " ")
        table.add_row(moment, f"+{span_text(step.at_ns - came)}", Text(step_text(step)))
    width = min(WIDTH, console.width)
    console.print(table, width=width)
    if story.left_out:
        console.print(f"{story.left_out:,} steps in the middle are left out")
    console.print()
    console.print(Text("What would have had to differ", style="bold"))
    for text in verdict_texts(story):
        console.print(Text(f"· {text}"), width=width)
