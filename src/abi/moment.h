/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_MOMENT_H
#define ABI_MOMENT_H

#include <linux/types.h>

/*
 * When one wait happened, with cfg.moments: sent as it is listed, through a ring of its own. It
 * ended at end_ns, and before that was blocked and then waited for a CPU, without a gap. The times
 * are its part in the window in which it ended. A wait that is open at the end of a window sends
 * nothing: its row of the table says all, since its part ends with the window.
 */
struct cs_moment {
	__u64 end_ns; /* trace clock */
	__u64 wait; /* cs_wait_hash() of its key in the table of waits */
	__u64 waker; /* id of who woke it, see struct cs_waker; 0: not known, or nobody */
	__u64 blocked_ns;
	__u64 runq_ns;
};

/*
 * A traced thread began or ended a request, or read or wrote on a connection of a server, with
 * capture_options.requests: through the same ring, told apart by its size. `probe` is the number of
 * the probe that user space attached, in their order.
 */
struct cs_mark {
	__u64 at_ns; /* trace clock */
	__u32 task; /* number of its record */
	/*
	 * The number << 1 | it ends; also the cookie of the probe. Of a connection:
	 * CS_MARK_SOCKET | its own port << 1 | it was a write; port 0 is a unix socket.
	 */
	__u32 probe;
	__u32 connection; /* the inode of its socket, a new number for each; 0: of a probe */
	__u32 head; /* of user space, which sets it; 0 in the ring */
};

#define CS_MARK_SOCKET (1U << 31)

/* Instead of a cs_mark: the thread published its trace (abi/thread_context.h). */
struct cs_traced_mark {
	struct cs_mark mark;
	__u8 trace[16]; /* not all 0 */
	__u64 pad; /* or it would be as long as a cs_moment */
};

/* So many bytes of what a server read are looked at. */
#define CS_HEAD_SZ 1024

/*
 * With cfg.heads, instead of a cs_mark: a read whose bytes begin like a request of HTTP/1. They are
 * the first ones; of several buffers, those in the first.
 */
struct cs_head {
	struct cs_mark mark;
	__u32 len;
	__u32 pad;
	__u8 bytes[CS_HEAD_SZ];
};

/* System calls that move bytes of a connection, by what their arguments say of it. */
enum cs_socket_call {
	CS_SOCKET_CALL_NONE = 0,
	CS_SOCKET_CALL_READ,
	CS_SOCKET_CALL_WRITE,
	CS_SOCKET_CALL_RECVFROM, /* a read whose fourth argument has flags */
	CS_SOCKET_CALL_RECVMSG, /* the third has */
	CS_SOCKET_CALL_READV, /* a read into several buffers */
};

/* The ring wakes user space each time that it holds so many bytes more. */
#define CS_MOMENTS_WAKE_BYTES (256 * 1024)

#endif
