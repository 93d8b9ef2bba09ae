// A Go program as a scheduler is one: it watches a server by a long poll and answers what it is told.
//
// Each line of the watch is an order, carried out beside the others:
//
//	say WORDS              answer at once
//	after SECONDS WORDS    answer once a timer has fired
//	every SECONDS COUNT    answer at each tick of a ticker
//	burn SECONDS           use that much processor time, then answer
//	spin                   use the processor for ever
//	exit STATUS            end
//	crash                  end by a panic
//	close                  close the watch and live on
//
// An answer is a POST whose body holds the words, the wall clock and the monotonic clock in nanoseconds.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	server  = os.Args[1]
	started = time.Now()
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func say(words string) {
	now := time.Now()
	body := fmt.Sprintf("%s %d %d", words, now.UnixNano(), now.Sub(started).Nanoseconds())
	answer, err := http.Post(server+"/say", "text/plain", strings.NewReader(body))
	must(err)
	_, err = io.Copy(io.Discard, answer.Body)
	must(err)
	must(answer.Body.Close())
}

func duration(seconds string) time.Duration {
	parsed, err := time.ParseDuration(seconds + "s")
	must(err)
	return parsed
}

// used is the processor time of this process so far.
func used() time.Duration {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func burn(length time.Duration) {
	for until := used() + length; used() < until; {
		for i := 0; i < 100_000; i++ {
		}
	}
}

func tick(period time.Duration, count int) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for number := 1; number <= count; number++ {
		<-ticker.C
		say(fmt.Sprintf("tick%d", number))
	}
}

func obey(words []string, watch io.Closer) {
	switch words[0] {
	case "say":
		say(strings.Join(words[1:], " "))
	case "after":
		time.Sleep(duration(words[1]))
		say(strings.Join(words[2:], " "))
	case "every":
		count, err := strconv.Atoi(words[2])
		must(err)
		tick(duration(words[1]), count)
	case "burn":
		burn(duration(words[1]))
		say("burnt")
	case "spin":
		for {
			burn(time.Hour)
		}
	case "exit":
		status, err := strconv.Atoi(words[1])
		must(err)
		os.Exit(status)
	case "crash":
		panic("told to")
	case "close":
		watch.Close()
		say("closed")
	}
}

func main() {
	answer, err := http.Get(server + "/watch")
	must(err)
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		go obey(strings.Fields(lines.Text()), answer.Body)
	}
	// The watch has ended. Timers may be left, so live on; the second one keeps a runtime that would find all
	// goroutines asleep from calling that a deadlock.
	go func() {
		for {
			time.Sleep(time.Hour)
		}
	}()
	select {}
}
