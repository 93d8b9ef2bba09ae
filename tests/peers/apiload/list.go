package main

import (
	"context"
	"sort"
)

// listFigures says how long one whole list took, from request to last byte, and how large it was.
type listFigures struct {
	Count    int     `json:"count"`
	Bytes    int     `json:"bytes"`
	MedianMs float64 `json:"median_ms"`
	MinMs    float64 `json:"min_ms"`
	MaxMs    float64 `json:"max_ms"`
}

func measureList(asked *load) (any, error) {
	ctx, cancel := context.WithDeadline(context.Background(), asked.deadline)
	defer cancel()
	// The first list opens the connection and may fill caches of the server; it is not counted.
	if _, _, err := asked.client.get(ctx, asked.path); err != nil {
		return nil, err
	}
	times := make([]float64, asked.count)
	size := 0
	for i := range times {
		body, took, err := asked.client.get(ctx, asked.path)
		if err != nil {
			return nil, err
		}
		times[i], size = milliseconds(took), len(body)
	}
	sort.Float64s(times)
	return listFigures{
		Count: asked.count, Bytes: size,
		MedianMs: times[len(times)/2], MinMs: times[0], MaxMs: times[len(times)-1],
	}, nil
}
