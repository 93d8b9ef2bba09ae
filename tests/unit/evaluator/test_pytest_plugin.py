"""The pytest plugin, as a project that uses it sees it."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SMALL = "sweeps=2, evaluations=2, finetunes=0, notebooks=0"
LIMIT_S = 100.0


def outcome(pytester: pytest.Pytester, source: str, *arguments: str) -> tuple[pytest.RunResult, str]:
    """A session over one file of tests, in a process of its own."""
    pytester.makepyfile(source)
    kept = ("-p", "no:cacheprovider", f"--basetemp={pytester.path / 'kept'}")
    ended = pytester.runpytest_subprocess(*kept, *arguments, timeout=LIMIT_S)
    return ended, ended.stdout.str()


def test_figures_of_a_run_can_be_asserted_in_parallel(pytester: pytest.Pytester) -> None:
    ended, _ = outcome(
        pytester,
        f"""
        import pytest

        @pytest.mark.parametrize("scheduler", ["lst", "fifo"])
        def test_no_late_jobs(evaluate, scheduler):
            r = evaluate("quickstart", scheduler=scheduler, seed=3, {SMALL})
            assert r.deadline_miss_rate == 0
            assert r.result.seed == 3
            assert r.result.parameters["sweeps"] == 2
            assert r.result.scheduler == scheduler
            assert (r.folder / "timeline.jsonl").is_file()
        """,
        "-n2",
    )
    ended.assert_outcomes(passed=2)


def test_a_failure_tells_value_jobs_folder_and_command(pytester: pytest.Pytester) -> None:
    ended, told = outcome(
        pytester,
        """
        def test_no_late_jobs(evaluate):
            r = evaluate("quickstart", scheduler="fifo")
            assert r.deadline_miss_rate == 0
        """,
    )
    ended.assert_outcomes(failed=1)
    assert "deadline_miss_rate (0." in told
    assert "deadline_miss_rate of quickstart with fifo, seed 0" in told
    assert "jobs behind it: default/eval-05, late by" in told
    assert "repeat:  evaluator run quickstart --scheduler fifo --seed 0 --pace warp" in told
    (folder,) = {line.partition("kept in: ")[2] for line in told.splitlines() if "kept in: " in line}
    assert (Path(folder) / "result.json").is_file()
    assert f"evaluator explain {folder} default/eval-05" in told
    assert "runs of schedulers" in told


def test_what_was_not_measured_equals_nothing(pytester: pytest.Pytester) -> None:
    ended, told = outcome(
        pytester,
        f"""
        def test_gangs(evaluate):
            assert evaluate("quickstart", {SMALL}).gang_wait_p50 == 0
        """,
    )
    ended.assert_outcomes(failed=1)
    assert "gang_wait_p50 (nothing was measured) == 0" in told


def test_a_misspelt_metric_is_an_error_that_helps(pytester: pytest.Pytester) -> None:
    ended, told = outcome(
        pytester,
        f"""
        def test_late(evaluate):
            assert evaluate("quickstart", {SMALL}).deadline_mis_rate == 0
        """,
    )
    ended.assert_outcomes(failed=1)
    assert "did you mean deadline_miss_rate?" in told


def test_a_run_that_fails_fails_the_test_with_its_message(pytester: pytest.Pytester) -> None:
    ended, told = outcome(
        pytester,
        """
        def test_late(evaluate):
            evaluate("quickstart", speed=3)
        """,
    )
    ended.assert_outcomes(failed=1)
    assert "exit code 4" in told
    assert "has no parameter 'speed'" in told
    assert "Traceback" not in told


def test_slow_ones_are_skipped_unless_asked_for(pytester: pytest.Pytester) -> None:
    source = """
        import pytest

        @pytest.mark.slow_scenario
        def test_long(evaluate):
            pass
        """
    ended, told = outcome(pytester, source, "--strict-markers", "-rs")
    ended.assert_outcomes(skipped=1)
    assert "give --slow-scenarios" in told
    ended, _ = outcome(pytester, source, "--slow-scenarios")
    ended.assert_outcomes(passed=1)


def test_a_scenario_is_found_below_the_root_as_well(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\n")
    pytester.mkdir("scenarios").joinpath("tiny.py").write_text(
        "def scenario(s, rng):\n    s.nodes('n', count=1, chips=1)\n    s.pod('p', chips=1, run_time='1m')\n"
    )
    pytester.mkdir("elsewhere")
    pytester.makepyfile(
        """
        def test_it(evaluate, monkeypatch):
            monkeypatch.chdir("elsewhere")
            assert evaluate("scenarios/tiny.py").result.jobs.finished == 1
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider", timeout=LIMIT_S).assert_outcomes(passed=1)


def test_the_example_of_the_page_passes(pytester: pytest.Pytester) -> None:
    root = Path(__file__).parents[3]
    (example,) = re.findall(r"^```python\n(.*?)^```", (root / "docs" / "gates.md").read_text(), re.M | re.S)
    pytester.makepyfile(example.replace("scenarios/quickstart.py", str(root / "scenarios" / "quickstart.py")))
    pytester.runpytest_subprocess("-p", "no:cacheprovider", timeout=LIMIT_S).assert_outcomes(passed=1)
