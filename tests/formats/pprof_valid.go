/* SPDX-License-Identifier: Apache-2.0 */

/* Parses a pprof file as Google's tools do, checks it, and prints the sums of its values. */
package main

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

func fail(err error) {
	fmt.Println(err)
	os.Exit(1)
}

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	p, err := profile.Parse(f)
	if err != nil {
		fail(err)
	}
	if err := p.CheckValid(); err != nil {
		fail(err)
	}
	sums := make([]int64, len(p.SampleType))
	for _, sample := range p.Sample {
		for i, value := range sample.Value {
			sums[i] += value
		}
	}
	for _, sum := range sums {
		fmt.Println(sum)
	}
}
