// SPDX-License-Identifier: Apache-2.0

// One goroutine runs for 30 of 100 ms on the only thread that may run Go code; ten others would run
// every millisecond. Lines "begin" and "end" as in tasks.go: how long it ran.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

var ran int64

func spin() {
	for {
		begin := time.Now()
		for time.Since(begin) < 30*time.Millisecond {
		}
		atomic.AddInt64(&ran, int64(time.Since(begin)))
		time.Sleep(70 * time.Millisecond)
	}
}

func ping() {
	for {
		time.Sleep(time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(1)
	go spin()
	for i := 0; i < 10; i++ {
		go ping()
	}
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "begin" {
			atomic.StoreInt64(&ran, 0)
		} else {
			fmt.Printf("{\"spin\": %d}\n", atomic.LoadInt64(&ran))
		}
	}
}
