package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// event is the part of a watch event that is looked at.
type event struct {
	Type   string `json:"type"`
	Object struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	} `json:"object"`
}

// fanoutFigures says how fast the events of new objects reached all watchers.
type fanoutFigures struct {
	Watchers        int     `json:"watchers"`
	Count           int     `json:"count"`
	Seconds         float64 `json:"seconds"`
	EventsPerSecond float64 `json:"events_per_second"`
}

func measureFanout(asked *load) (any, error) {
	ctx, cancel := context.WithDeadline(context.Background(), asked.deadline)
	defer cancel()
	watches, err := openWatches(ctx, asked, asked.watchers)
	if err != nil {
		return nil, err
	}
	finished := make(chan error, len(watches))
	for _, body := range watches {
		go func(body io.ReadCloser) { finished <- countLines(body, asked.count) }(body)
	}
	start := time.Now()
	if _, err := create(ctx, asked); err != nil {
		return nil, err
	}
	for range watches {
		if err := <-finished; err != nil {
			return nil, err
		}
	}
	seconds := time.Since(start).Seconds()
	return fanoutFigures{
		Watchers: asked.watchers, Count: asked.count, Seconds: seconds,
		EventsPerSecond: float64(asked.watchers*asked.count) / seconds,
	}, nil
}

// boundFigures says how fast pods went from their creation to a node.
type boundFigures struct {
	Count     int     `json:"count"`
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"per_second"`
}

func measureBound(asked *load) (any, error) {
	ctx, cancel := context.WithDeadline(context.Background(), asked.deadline)
	defer cancel()
	watches, err := openWatches(ctx, asked, 1)
	if err != nil {
		return nil, err
	}
	finished := make(chan error, 1)
	go func() { finished <- awaitBound(watches[0], asked.count) }()
	start := time.Now()
	if _, err := create(ctx, asked); err != nil {
		return nil, err
	}
	if err := <-finished; err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	return boundFigures{Count: asked.count, Seconds: seconds, PerSecond: float64(asked.count) / seconds}, nil
}

// openWatches starts watches at the collection's present version, so that each sees new objects only.
func openWatches(ctx context.Context, asked *load, count int) ([]io.ReadCloser, error) {
	body, _, err := asked.client.get(ctx, asked.path+"?limit=1")
	if err != nil {
		return nil, err
	}
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("list of %s: %w", asked.path, err)
	}
	query := url.Values{"watch": {"1"}, "resourceVersion": {list.Metadata.ResourceVersion}}
	watches := make([]io.ReadCloser, count)
	for i := range watches {
		response, err := asked.client.do(ctx, http.MethodGet, asked.path+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		watches[i] = response.Body
	}
	return watches, nil
}

// countLines reads until that many events came; their content is not looked at.
func countLines(body io.ReadCloser, count int) error {
	defer body.Close()
	reader := bufio.NewReaderSize(body, 1<<16)
	for seen := 0; seen < count; {
		_, err := reader.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return fmt.Errorf("a watch ended after %d of %d events: %w", seen, count, err)
		}
		seen++
	}
	return nil
}

// awaitBound reads until that many pods have a node.
func awaitBound(body io.ReadCloser, count int) error {
	defer body.Close()
	decoder := json.NewDecoder(bufio.NewReaderSize(body, 1<<16))
	bound := map[string]bool{}
	for len(bound) < count {
		var seen event
		if err := decoder.Decode(&seen); err != nil {
			return fmt.Errorf("the watch ended with %d of %d pods bound: %w", len(bound), count, err)
		}
		if seen.Type == "ERROR" {
			return fmt.Errorf("the server ended the watch with %d of %d pods bound", len(bound), count)
		}
		if seen.Object.Spec.NodeName != "" {
			bound[seen.Object.Metadata.Name] = true
		}
	}
	return nil
}
