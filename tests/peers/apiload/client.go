package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client speaks HTTP/1.1 over connections that it keeps.
type client struct {
	server string
	token  string
	http   *http.Client
}

func newClient(server, token string) *client {
	transport := &http.Transport{
		MaxIdleConnsPerHost: 1024,
		DisableCompression:  true,
		// The servers under test make their own certificates; who they are is not what is measured.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		// Not HTTP/2: one connection per worker on both sides of a comparison.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	return &client{server: server, token: token, http: &http.Client{Transport: transport}}
}

func (c *client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		answer, _ := io.ReadAll(response.Body)
		response.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	return response, nil
}

// get reads a whole answer, and measures until its last byte.
func (c *client) get(ctx context.Context, path string) ([]byte, time.Duration, error) {
	start := time.Now()
	response, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return body, time.Since(start), err
}

// post sends a body and drops the answer, once it is there in whole.
func (c *client) post(ctx context.Context, path string, body []byte) error {
	response, err := c.do(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
