// SPDX-License-Identifier: Apache-2.0

// Goroutines whose waits are known: each kind waits in one way for a part of its time and sleeps
// for the rest, and adds up how long. Some wait in system calls, which block a thread. A line
// "begin" on standard input starts the sums again, "end" prints them as JSON, nanoseconds by kind,
// with how many goroutines there are of it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const each = 16

// Of different lengths: goroutines in step with each other would be one observation.
func nap() {
	time.Sleep(time.Duration(20+rand.Intn(21)) * time.Millisecond)
}

type kind struct {
	waited, slept int64
}

var kinds = map[string]*kind{}

// The function begins each goroutine itself: with an argument, Go would begin another one.
func start(name string, k *kind, f func()) {
	kinds[name] = k
	for i := 0; i < each; i++ {
		go f()
	}
}

func (k *kind) wait(f func()) {
	begin := time.Now()
	f()
	atomic.AddInt64(&k.waited, int64(time.Since(begin)))
}

func (k *kind) sleep() {
	begin := time.Now()
	nap()
	atomic.AddInt64(&k.slept, int64(time.Since(begin)))
}

// later gives a value after another nap, on a goroutine of its own.
func later(f func()) {
	go func() {
		nap()
		f()
	}()
}

var ofChannels kind

func channels() {
	k := &ofChannels
	ch := make(chan int)
	for {
		later(func() { ch <- 1 })
		k.wait(func() { <-ch })
		k.sleep()
	}
}

var ofSelects kind

func selects() {
	k := &ofSelects
	ch, never := make(chan int), make(chan int)
	for {
		later(func() { ch <- 1 })
		k.wait(func() {
			select {
			case <-ch:
			case <-never:
			}
		})
		k.sleep()
	}
}

var ofGroups kind

func groups() {
	k := &ofGroups
	for {
		var wg sync.WaitGroup
		wg.Add(1)
		later(wg.Done)
		k.wait(wg.Wait)
		k.sleep()
	}
}

var ofConds kind

func conds() {
	k := &ofConds
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	for {
		done := false
		later(func() {
			mu.Lock()
			done = true
			mu.Unlock()
			cond.Broadcast()
		})
		mu.Lock()
		k.wait(func() {
			for !done {
				cond.Wait()
			}
		})
		mu.Unlock()
		k.sleep()
	}
}

var ofMutexes kind

func mutexes() {
	k := &ofMutexes
	var mu sync.Mutex
	for {
		mu.Lock()
		later(mu.Unlock)
		k.wait(mu.Lock)
		mu.Unlock()
		k.sleep()
	}
}

var ofSockets kind

func sockets() {
	k := &ofSockets
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	far, err := l.Accept()
	if err != nil {
		panic(err)
	}
	b := make([]byte, 1)
	for {
		later(func() { far.Write(b) })
		k.wait(func() { near.Read(b) })
		k.sleep()
	}
}

//go:noinline
func deep(n int, ch chan int) int {
	if n == 0 {
		return <-ch
	}
	return deep(n-1, ch) + 1
}

var ofStacks kind

func stacks() {
	k := &ofStacks
	ch := make(chan int)
	for {
		later(func() { ch <- 1 })
		k.wait(func() { deep(60, ch) })
		k.sleep()
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

var ofPipes kind

func pipes() {
	k := &ofPipes
	var fds [2]int
	must(syscall.Pipe(fds[:]))
	b := make([]byte, 1)
	for {
		later(func() { syscall.Write(fds[1], b) })
		k.wait(func() { syscall.Read(fds[0], b) })
		k.sleep()
	}
}

var ofNaps kind

func naps() {
	k := &ofNaps
	for {
		ts := syscall.NsecToTimespec(int64(20+rand.Intn(21)) * int64(time.Millisecond))
		k.wait(func() { syscall.Nanosleep(&ts, nil) })
		k.sleep()
	}
}

// temporary opens a file of its own, which has no name any more.
func temporary() *os.File {
	f, err := os.CreateTemp("", "tasks-")
	must(err)
	must(os.Remove(f.Name()))
	return f
}

//go:noinline
func flush(n int, f *os.File) int {
	var frame [256]byte
	if n == 0 {
		must(syscall.Fsync(int(f.Fd())))
		return 0
	}
	return flush(n-1, f) + int(frame[n])
}

var ofSyncs kind

// The stack is deeper than 2 KiB.
func syncs() {
	k := &ofSyncs
	f := temporary()
	for {
		_, err := f.WriteAt(make([]byte, 4096), 0)
		must(err)
		k.wait(func() { flush(20, f) })
		k.sleep()
	}
}

var ofLocks kind

func locks() {
	k := &ofLocks
	f, err := os.CreateTemp("", "tasks-")
	must(err)
	other, err := os.Open(f.Name())
	must(err)
	must(os.Remove(f.Name()))
	for {
		must(syscall.Flock(int(other.Fd()), syscall.LOCK_EX))
		later(func() { syscall.Flock(int(other.Fd()), syscall.LOCK_UN) })
		k.wait(func() { syscall.Flock(int(f.Fd()), syscall.LOCK_EX) })
		must(syscall.Flock(int(f.Fd()), syscall.LOCK_UN))
		k.sleep()
	}
}

func begin() {
	for _, k := range kinds {
		atomic.StoreInt64(&k.waited, 0)
		atomic.StoreInt64(&k.slept, 0)
	}
}

func end() {
	sums := map[string]map[string]int64{}
	for name, k := range kinds {
		sums[name] = map[string]int64{"waited": atomic.LoadInt64(&k.waited),
			"slept": atomic.LoadInt64(&k.slept), "goroutines": each}
	}
	json.NewEncoder(os.Stdout).Encode(sums)
}

func main() {
	start("channels", &ofChannels, channels)
	start("selects", &ofSelects, selects)
	start("groups", &ofGroups, groups)
	start("conds", &ofConds, conds)
	start("mutexes", &ofMutexes, mutexes)
	start("sockets", &ofSockets, sockets)
	start("stacks", &ofStacks, stacks)
	start("pipes", &ofPipes, pipes)
	start("naps", &ofNaps, naps)
	start("syncs", &ofSyncs, syncs)
	start("locks", &ofLocks, locks)
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "begin" {
			begin()
		} else {
			end()
		}
	}
}
