"""Metrics by name, to be compared with bounds: ``s.expect(deadlines_missed <= 0)``.

The names are those of ``result.json``; ``docs/results.md`` tells how each is computed.
"""

from typing import Final

from evaluator.scenario.expectations import Quantity

deadline_miss_rate: Final = Quantity("deadline_miss_rate")
deadlines_due: Final = Quantity("deadlines_due")
deadlines_missed: Final = Quantity("deadlines_missed")
deadlines_not_due: Final = Quantity("deadlines_not_due")
tardiness_mean: Final = Quantity("tardiness_mean")
tardiness_p50: Final = Quantity("tardiness_p50")
tardiness_p95: Final = Quantity("tardiness_p95")
tardiness_p99: Final = Quantity("tardiness_p99")
tardiness_max: Final = Quantity("tardiness_max")
wait_mean: Final = Quantity("wait_mean")
wait_p50: Final = Quantity("wait_p50")
wait_p90: Final = Quantity("wait_p90")
wait_p99: Final = Quantity("wait_p99")
wait_max: Final = Quantity("wait_max")
turnaround_mean: Final = Quantity("turnaround_mean")
turnaround_p50: Final = Quantity("turnaround_p50")
turnaround_p90: Final = Quantity("turnaround_p90")
turnaround_p99: Final = Quantity("turnaround_p99")
turnaround_max: Final = Quantity("turnaround_max")
bounded_slowdown: Final = Quantity("bounded_slowdown")
bounded_slowdown_p99: Final = Quantity("bounded_slowdown_p99")
makespan: Final = Quantity("makespan")
throughput: Final = Quantity("throughput")
evictions: Final = Quantity("evictions")
utilization: Final = Quantity("utilization")
utilization_nominal: Final = Quantity("utilization_nominal")
cpu_utilization: Final = Quantity("cpu_utilization")
chip_hours: Final = Quantity("chip_hours")
pending_mean: Final = Quantity("pending_mean")
pending_max: Final = Quantity("pending_max")
pending_end: Final = Quantity("pending_end")
goodput: Final = Quantity("goodput")
chip_hours_lost: Final = Quantity("chip_hours_lost")
chip_hours_lost_to_preemption: Final = Quantity("chip_hours_lost_to_preemption")
chip_hours_lost_to_failures: Final = Quantity("chip_hours_lost_to_failures")
chip_hours_overhead: Final = Quantity("chip_hours_overhead")
preemptions: Final = Quantity("preemptions")
preemptions_per_job: Final = Quantity("preemptions_per_job")
preemptions_of_a_job_max: Final = Quantity("preemptions_of_a_job_max")
gang_wait_p50: Final = Quantity("gang_wait_p50")
gang_wait_p99: Final = Quantity("gang_wait_p99")
slack_at_start_p5: Final = Quantity("slack_at_start_p5")
slack_at_start_p50: Final = Quantity("slack_at_start_p50")
stranded_chips: Final = Quantity("stranded_chips")
fragmentation: Final = Quantity("fragmentation")
fairness_users: Final = Quantity("fairness_users")
fairness_queues: Final = Quantity("fairness_queues")

QUANTITIES: Final = {
    each.metric: each
    for each in (
        deadline_miss_rate,
        deadlines_due,
        deadlines_missed,
        deadlines_not_due,
        tardiness_mean,
        tardiness_p50,
        tardiness_p95,
        tardiness_p99,
        tardiness_max,
        wait_mean,
        wait_p50,
        wait_p90,
        wait_p99,
        wait_max,
        turnaround_mean,
        turnaround_p50,
        turnaround_p90,
        turnaround_p99,
        turnaround_max,
        bounded_slowdown,
        bounded_slowdown_p99,
        makespan,
        throughput,
        evictions,
        utilization,
        utilization_nominal,
        cpu_utilization,
        chip_hours,
        pending_mean,
        pending_max,
        pending_end,
        goodput,
        chip_hours_lost,
        chip_hours_lost_to_preemption,
        chip_hours_lost_to_failures,
        chip_hours_overhead,
        preemptions,
        preemptions_per_job,
        preemptions_of_a_job_max,
        gang_wait_p50,
        gang_wait_p99,
        slack_at_start_p5,
        slack_at_start_p50,
        stranded_chips,
        fragmentation,
        fairness_users,
        fairness_queues,
    )
}
"""All of them by name."""
