package main

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// createFigures says how fast objects were created.
type createFigures struct {
	Count     int     `json:"count"`
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"per_second"`
	P50ms     float64 `json:"latency_p50_ms"`
	P99ms     float64 `json:"latency_p99_ms"`
}

func measureCreate(asked *load) (any, error) {
	ctx, cancel := context.WithDeadline(context.Background(), asked.deadline)
	defer cancel()
	// One request opens the first connection and fails early where nothing listens.
	if _, _, err := asked.client.get(ctx, "/version"); err != nil {
		return nil, err
	}
	start := time.Now()
	latencies, err := create(ctx, asked)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	return createFigures{
		Count: asked.count, Seconds: seconds, PerSecond: float64(asked.count) / seconds,
		P50ms: milliseconds(latencies[len(latencies)/2]), P99ms: milliseconds(latencies[len(latencies)*99/100]),
	}, nil
}

// create makes the asked objects over as many connections as there are workers; the first refusal ends it.
func create(ctx context.Context, asked *load) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	latencies := make([]time.Duration, asked.count)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range make([]struct{}, asked.workers) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := int(next.Add(1)) - 1; i < asked.count; i = int(next.Add(1)) - 1 {
				start := time.Now()
				if err := asked.client.post(ctx, asked.path, asked.body(asked.first+i)); err != nil {
					cancel(err)
					return
				}
				latencies[i] = time.Since(start)
			}
		}()
	}
	workers.Wait()
	return latencies, context.Cause(ctx)
}

func (l *load) body(number int) []byte {
	return []byte(strings.ReplaceAll(l.template, "{i}", strconv.Itoa(number)))
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration.Nanoseconds()) / float64(time.Millisecond)
}
