// SPDX-License-Identifier: Apache-2.0

// idle SOCKET: waits for clients. read: goroutines in system calls that take long.
package main

import (
	"net"
	"os"
	"syscall"
)

func readForever() {
	var fds [2]int
	if syscall.Pipe(fds[:]) != nil {
		os.Exit(1)
	}
	buf := make([]byte, 1)
	syscall.Read(fds[0], buf)
}

func main() {
	if os.Args[1] == "idle" {
		l, err := net.Listen("unix", os.Args[2])
		if err != nil {
			os.Exit(1)
		}
		for {
			if c, err := l.Accept(); err == nil {
				c.Close()
			}
		}
	}
	for i := 0; i < 3; i++ {
		go readForever()
	}
	select {}
}
