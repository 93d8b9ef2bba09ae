"""Late jobs as a page lists them, the latest with their stories."""

from dataclasses import dataclass
from typing import Final

from evaluator.report.model import LateJob, ReportedRun
from evaluator.story.steps import Story
from evaluator.story.telling import stories
from evaluator.story.wording import step_text, verdict_texts
from evaluator.words import span_text

MAX_LATE_JOBS: Final = 500
"""Late jobs of one run that are listed, the latest; the rest are counted."""

MAX_STORIES: Final = 100
"""Late jobs of one run whose story is told: some 2 kB each."""

MAX_TOLD_STEPS: Final = 40
"""Steps of one story; a longer one is told by its beginning and its end."""


@dataclass(frozen=True, slots=True)
class TellStep:
    """One line of a story."""

    after: str
    """Since the submission."""
    text: str


@dataclass(frozen=True, slots=True)
class ToldStory:
    """A story in words."""

    key: str
    """Names it within the page."""
    job: str
    steps: tuple[TellStep, ...]
    left_out: int
    verdict: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LateEntry:
    """A late job, and its story if it has one on the page."""

    job: LateJob
    story: ToldStory | None


@dataclass(frozen=True, slots=True)
class LateList:
    """The late jobs of one run, cut to a length that is read."""

    entries: tuple[LateEntry, ...]
    stories: tuple[ToldStory, ...]
    left_out: int


def late_list(run: ReportedRun, index: int) -> LateList:
    """The late jobs of the run of that number on the page."""
    jobs = run.late_jobs()
    wanted = list(dict.fromkeys(job.job for job in jobs[:MAX_STORIES]))
    told = stories(run.timeline, wanted) if wanted else {}
    stories_of = {
        job: _told(told[job], f"story-{index}-{number}") for number, job in enumerate(wanted) if job in told
    }
    entries = tuple(LateEntry(job, stories_of.get(job.job)) for job in jobs[:MAX_LATE_JOBS])
    return LateList(entries, tuple(stories_of.values()), max(0, len(jobs) - MAX_LATE_JOBS))


def _told(story: Story, key: str) -> ToldStory:
    came = story.submitted.at_ns
    steps = [TellStep(f"+{span_text(step.at_ns - came)}", step_text(step)) for step in story.steps]
    left_out = max(0, len(steps) - MAX_TOLD_STEPS)
    if left_out:
        half = MAX_TOLD_STEPS // 2
        steps[half:-half] = [TellStep("…", f"{left_out:,} steps are left out")]
    return ToldStory(key, story.job, tuple(steps), left_out + story.left_out, tuple(verdict_texts(story)))
