/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_SWITCH_STREAM_H
#define TESTS_LIB_SWITCH_STREAM_H

#include <linux/types.h>

/*
 * The switches of one CPU as recorded by bench/record-switches, which documents the file format. At
 * its end the same thread is on the CPU as at its start, so it can be repeated.
 */
#define STREAM_FRAMES 30

struct switch_event {
	__u64 at_ns; /* since the first */
	__u16 thread; /* the thread that leaves, or is woken */
	__u16 next; /* the next thread */
	__u16 kstack; /* of the one that leaves; 0: none */
	__u16 ustack;
	__u32 state; /* of the one that leaves */
	__u32 waking; /* 1: a wakeup; 0: a switch */
};

struct switch_kstack {
	__u32 len;
	__u32 off[STREAM_FRAMES]; /* return addresses, from _stext */
};

struct switch_stream {
	struct switch_event *events;
	__u32 events_len;
	__u32 switches; /* of them */
	struct switch_kstack *kstacks; /* [0] is unused */
	__u32 kstacks_len;
	__u32 threads_len; /* [0] is the idle one */
	__u8 *kernel_thread; /* of each thread */
	__u64 span_ns; /* from the first event to where the first comes again */
};

/* 0, or a negative errno: it cannot be opened, or line *ret_line is invalid. */
int switch_stream__read(struct switch_stream *s, const char *path, __u32 *ret_line);
void switch_stream__done(struct switch_stream *s);

#endif
