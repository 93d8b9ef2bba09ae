// Command apiload puts a measured load on a Kubernetes API server and prints one JSON object of figures.
//
// It is lean on purpose, so that what is measured is the server: keep-alive HTTP/1.1 connections, bodies made
// from a template, answers read and dropped. The same program with the same arguments measures any server.
//
//	apiload create -server URL -path PATH -template FILE -count N      objects created per second
//	apiload list   -server URL -path PATH -count N                     time and size of a whole list
//	apiload fanout -server URL -path PATH -template FILE -count N -watchers W   events delivered per second
//	apiload bound  -server URL -path PATH -template FILE -count N      pods from creation to bound per second
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

// load is what the command line asks for.
type load struct {
	client   *client
	path     string
	template string
	first    int
	count    int
	workers  int
	watchers int
	deadline time.Time
}

var measurements = map[string]func(*load) (any, error){
	"create": measureCreate,
	"list":   measureList,
	"fanout": measureFanout,
	"bound":  measureBound,
}

func main() {
	if len(os.Args) < 2 || measurements[os.Args[1]] == nil {
		fail(fmt.Errorf("usage: apiload create|list|fanout|bound -server URL -path PATH [flags]"))
	}
	asked, err := parse(os.Args[1], os.Args[2:])
	if err != nil {
		fail(err)
	}
	figures, err := measurements[os.Args[1]](asked)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(figures); err != nil {
		fail(err)
	}
}

func parse(command string, arguments []string) (*load, error) {
	flags := flag.NewFlagSet("apiload "+command, flag.ExitOnError)
	server := flags.String("server", "", "URL of the API server")
	token := flags.String("token", "", "bearer token")
	path := flags.String("path", "", "path of the collection, such as /api/v1/namespaces/default/pods")
	template := flags.String("template", "", "file with the JSON of one object; {i} becomes its number")
	first := flags.Int("first", 0, "number of the first object")
	count := flags.Int("count", 1, "objects to create, or lists to make")
	workers := flags.Int("workers", 8, "connections that create objects")
	watchers := flags.Int("watchers", 1, "connections that watch")
	within := flags.Duration("within", 5*time.Minute, "give up after this long")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	asked := &load{
		client: newClient(*server, *token), path: *path, first: *first, count: *count,
		workers: *workers, watchers: *watchers, deadline: time.Now().Add(*within),
	}
	if *template != "" {
		text, err := os.ReadFile(*template)
		if err != nil {
			return nil, err
		}
		asked.template = string(text)
	}
	return asked, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "apiload:", err)
	os.Exit(1)
}
