// SPDX-License-Identifier: Apache-2.0

// What the threads of goroutines do meanwhile, on one CPU: two goroutines spin, each on a thread of
// its own, and one makes system calls of which the run time is not told. Lines "begin" and "end" as
// in tasks.go: how long the spinning threads had the CPU, and how long the calls took.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const clockThreadCPU = 3

var ran [2]int64
var called int64

func threadCPU() int64 {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU,
		uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

func spin(sum *int64) {
	runtime.LockOSThread()
	last := threadCPU()
	for {
		for i := 0; i < 1000000; i++ {
		}
		now := threadCPU()
		atomic.AddInt64(sum, now-last)
		last = now
	}
}

func spin0() { spin(&ran[0]) }
func spin1() { spin(&ran[1]) }

func raws() {
	for {
		ts := syscall.NsecToTimespec(30 * int64(time.Millisecond))
		begin := time.Now()
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
		atomic.AddInt64(&called, int64(time.Since(begin)))
		time.Sleep(30 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	go spin0()
	go spin1()
	go raws()
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "begin" {
			atomic.StoreInt64(&ran[0], 0)
			atomic.StoreInt64(&ran[1], 0)
			atomic.StoreInt64(&called, 0)
			continue
		}
		json.NewEncoder(os.Stdout).Encode(map[string]int64{
			"spin0": atomic.LoadInt64(&ran[0]),
			"spin1": atomic.LoadInt64(&ran[1]),
			"raws":  atomic.LoadInt64(&called),
		})
	}
}
