// SPDX-License-Identifier: Apache-2.0

// One goroutine runs for 30 of 100 ms on the only thread that may run Go code; ten others would run
// every millisecond. Says that it is ready, and ends with its standard input.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

func spin() {
	for {
		end := time.Now().Add(30 * time.Millisecond)
		for time.Now().Before(end) {
		}
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
	os.Stdin.Read(make([]byte, 1))
}
