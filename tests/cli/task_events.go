// SPDX-License-Identifier: Apache-2.0

// Goroutines that each wait a known number of times, after a line on standard input. Who ends a
// wait stores the time just before, so the least length of a wait is known as well as what the
// goroutine itself felt, with its way back to a CPU. Prints both as JSON, in nanoseconds by kind,
// and ends at the end of standard input. "storm N": N goroutines hand a token on as fast as they
// can. "brief": as without an argument, but it begins and ends by itself.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	each  = 8
	waits = 40
)

type kind struct {
	Count, Least, Felt int64
	wg                 sync.WaitGroup
}

var kinds = map[string]*kind{}
var begin = make(chan bool)

func nap() time.Duration {
	return time.Duration(5+rand.Intn(11)) * time.Millisecond
}

// The function begins each goroutine itself: with an argument, Go would begin another one.
func start(name string, k *kind, f func()) {
	kinds[name] = k
	k.wg.Add(each)
	for i := 0; i < each; i++ {
		go f()
	}
}

// one wait: end is called on a goroutine of its own, after a nap.
func (k *kind) one(wait, end func()) {
	var ended int64
	begin := time.Now()
	go func() {
		time.Sleep(nap())
		atomic.StoreInt64(&ended, int64(time.Since(begin)))
		end()
	}()
	wait()
	atomic.AddInt64(&k.Felt, int64(time.Since(begin)))
	atomic.AddInt64(&k.Least, atomic.LoadInt64(&ended))
	atomic.AddInt64(&k.Count, 1)
}

func (k *kind) all(wait, end func()) {
	<-begin
	for i := 0; i < waits; i++ {
		k.one(wait, end)
	}
	k.wg.Done()
}

var ofChannels, ofSelects, ofGroups, ofConds, ofMutexes, ofSockets, ofSleeps kind

func channels() {
	ch := make(chan int)
	ofChannels.all(func() { <-ch }, func() { ch <- 1 })
}

func selects() {
	ch, never := make(chan int), make(chan int)
	ofSelects.all(func() {
		select {
		case <-ch:
		case <-never:
		}
	}, func() { ch <- 1 })
}

func groups() {
	var wg sync.WaitGroup
	<-begin
	for i := 0; i < waits; i++ {
		wg.Add(1)
		ofGroups.one(wg.Wait, wg.Done)
	}
	ofGroups.wg.Done()
}

func conds() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	mu.Lock()
	// with the lock, it would be waited for twice
	ofConds.all(cond.Wait, func() {
		mu.Lock()
		mu.Unlock()
		cond.Signal()
	})
}

func mutexes() {
	var mu sync.Mutex
	mu.Lock()
	ofMutexes.all(mu.Lock, mu.Unlock)
}

func sockets() {
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
	in, out := make([]byte, 1), make([]byte, 1)
	ofSockets.all(func() { near.Read(in) }, func() { far.Write(out) })
}

func sleeps() {
	k := &ofSleeps
	<-begin
	for i := 0; i < waits; i++ {
		d := nap()
		begin := time.Now()
		time.Sleep(d)
		atomic.AddInt64(&k.Felt, int64(time.Since(begin)))
		atomic.AddInt64(&k.Least, int64(d))
		atomic.AddInt64(&k.Count, 1)
	}
	k.wg.Done()
}

// relay hands on a token; its channel is full when the token is there.
func relay(from, to chan int) {
	for {
		to <- <-from
	}
}

func storm(n int) {
	first := make(chan int)
	from := first
	for i := 0; i < n-1; i++ {
		to := make(chan int)
		go relay(from, to)
		from = to
	}
	go relay(from, first)
	first <- 1
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	if len(os.Args) > 2 && os.Args[1] == "storm" {
		n, _ := strconv.Atoi(os.Args[2])
		storm(n)
		fmt.Println("ready")
		lines.Scan()
		return
	}
	start("channels", &ofChannels, channels)
	start("selects", &ofSelects, selects)
	start("groups", &ofGroups, groups)
	start("conds", &ofConds, conds)
	start("mutexes", &ofMutexes, mutexes)
	start("sockets", &ofSockets, sockets)
	start("sleeps", &ofSleeps, sleeps)
	fmt.Println("ready")
	if len(os.Args) > 1 {
		time.Sleep(time.Second)
	} else {
		lines.Scan()
	}
	close(begin)
	for _, k := range kinds {
		k.wg.Wait()
	}
	json.NewEncoder(os.Stdout).Encode(kinds)
	if len(os.Args) == 1 {
		lines.Scan()
	}
}
