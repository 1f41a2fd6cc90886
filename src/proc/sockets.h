/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_SOCKETS_H
#define PROC_SOCKETS_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* Longest address of a unix socket that is kept, with its NUL; a longer one is cut. */
#define SOCKET_PATH_SZ 128

/* A line of /proc/PID/net/tcp, tcp6, udp, udp6 or unix. */
struct socket_line {
	u64 ino;
	u32 state; /* inet: TCP_* of the kernel, also for UDP; unix: 0 */
	u32 type; /* unix: SOCK_* */
	u16 port; /* of its own */
	u16 peer_port; /* 0: not connected */
	u8 peer[16]; /* inet: network byte order; IPv4 in the first four */
	bool is_listening;
	char path[SOCKET_PATH_SZ]; /* unix: "@" for abstract ones; "" if it has none */
};

enum socket_file { SOCKETS_TCP, SOCKETS_TCP6, SOCKETS_UDP, SOCKETS_UDP6, SOCKETS_UNIX };

/*
 * The next line of such a file; false at the end. Lines that the kernel would not write, and the
 * head, are left out.
 */
bool socket_line__next(struct view *text, enum socket_file file, struct socket_line *ret);

#endif
