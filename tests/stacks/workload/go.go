// SPDX-License-Identifier: Apache-2.0
// Goroutines that compute, sleep, talk and read files, and the collector at work.
package main

import (
	"encoding/json"
	"os"
	"regexp"
	"sort"
	"time"
)

var word = regexp.MustCompile(`([a-z]+)[0-9]*(x|yz)*`)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func sorts(n int) int {
	v := make([]int, 500)
	for i := range v {
		v[i] = (i * 7919 * n) % 1009
	}
	sort.Slice(v, func(a, b int) bool { return v[a] < v[b] })
	return v[0]
}

func texts(n int) int {
	m := map[string][]int{}
	for i := 0; i < 50; i++ {
		m[string(rune('a'+i%26))] = append(m[string(rune('a'+i%26))], i*n)
	}
	b, _ := json.Marshal(m)
	return len(word.FindAllString(string(b), -1))
}

func files(self string) {
	for {
		if b, err := os.ReadFile(self); err != nil || len(b) == 0 {
			panic(err)
		}
		time.Sleep(time.Millisecond)
	}
}

func main() {
	out := make(chan int)
	go files(os.Args[0])
	for i := 1; i < 5; i++ {
		go func(n int) {
			for {
				out <- sorts(n) + texts(n) + fib(15+n)
				time.Sleep(time.Duration(n) * 300 * time.Microsecond)
			}
		}(i)
	}
	for range out {
	}
}
