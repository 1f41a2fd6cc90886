/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_RECORDED_H
#define RECORDING_RECORDED_H

#include <string.h>

#include "base/mem.h"
#include "lib/lit.h"
#include "lib/workdir.h"
#include "recording/reader.h"
#include "recording/window.h"
#include "recording/writer.h"

/*
 * Recordings of profiles written by hand. Include <cmocka.h> and what it wants first.
 */

/* Names of system calls belong to a layer that recordings do not know: here they are numbers. */
s32 syscall_number(const char *name);
s32 syscall_number(const char *name)
{
	(void)name;
	return -1;
}

/* With all that a profile can hold. */
static const char recorded_text[] =
	"host db1\nkernel 6.18.44\narch x86_64\nversion 1.2.3\ncommand coldspot record -p 4\n"
	"target PID 4\nhooks sched_switch\nncpu 8\nwindow 10s\nbegin_wall 1790000000123456789\n"
	"begin_mono 123456789\nswitches_seen 1000\nwaits_chosen 90\nprog_runs 12\nprog 3ms\n"
	"self_cpu 21ms\nboot 5f1c\nwindows 3\ngap 1s\noverlap 2s\nmachine 9s\n"
	"selection --comm db\nwhole_off 90s\nwhole_wall 100s\nwhole_on 9s\nwhole_threads 7\n"
	"idle_known 1\nidle 60s\nidle_var 81\n"
	"on_cpu_hz 99\non_cpu_samples 105\n"
	"loss stack_cut 3 20ms\nloss waits_full 1\nintervals 4 2s\n"
	"module kernel kernel [kernel]\nmodule libc elf /usr/lib/libc.so.6 build=ab12cd\n"
	"module code code [python] tgid=4\n"
	"task 4/4 main on=1s start=7 flags=born switches=9 preemptions=1 wakeups=8 migrations=2"
	" cgroup=77 cgroup_path=/db.slice/main container=shop/db-0/postgres gap_wait=3s\n"
	"wait S sys=202 blocked=8s runq=1ms count=3 max=5s flags=open each=2s*3,1s as=lock\n"
	" u main\n u @libc 0xcf545 +0x65 pthread_cond_wait\n u @libc 0xd0000 !no_symbol\n"
	" u @code 1 work\n k @kernel 0xffffffff81e2a100 +0x20 schedule\n k futex_do_wait\n"
	" woken C blocked=3s woken=1ms count=1\n woken B running=1s count=1\n"
	"wait D flags=iowait blocked=80ms count=9 hist=8:5,9:4\n u main\n k io_schedule\n kcut\n"
	"wait R flags=preempted runq=54ms count=40 max=4ms each=0,4ms,0,7ms\n u *12 level_%\n"
	"hot on=700ms samples=70 sys=1 var=900\n u main\n u @code 1 work\n k vfs_write\n"
	"hot on=200ms samples=20\n u main\n"
	"task 4/5 worker group=main unaccounted=2ms on=3ms start=9 cgroup=78\n"
	"wait S sys=0 blocked=7s count=7 owner=4\n"
	" object socket role=client family=2 type=1 protocol=6 port=5432 name=10.0.0.5 peer=db-7\n"
	" utrunc no_cfi @libc\n u @libc 0x100 read\n"
	" woken B running=4s blocked=2s:lock count=5"
	" bursts=4 crowd=1 brief=3 again=2 ran=70us\n woken S unknown=1s count=2\n"
	"waker I hardirq\n k handle_irq\n"
	"waker B 4/4 main next=I\n u main\n k futex_wake\n"
	"waker C 4/4 main next=I\n u main\n"
	"waker S 9/9 stranger group=strangers flags=exiting\n";

/* The sections of a window, one after the other; the caller frees with vec__done(). */
static inline struct vec recorded_bytes(const struct profile *p)
{
	struct window_head head;
	struct vec bytes;

	vec__init(&bytes, 1);
	window_head__of(&head, p);
	if (encode_head(&head, &bytes) || encode_tasks(p, &bytes) || encode_code(p, &bytes) ||
	    encode_waits(p, &bytes))
		fail_msg("no memory");
	return bytes;
}

static inline bool recorded_equal(const struct profile *a, const struct profile *b)
{
	struct vec x = recorded_bytes(a), y = recorded_bytes(b);
	bool equal = x.len == y.len && !memcmp(x.data, y.data, x.len);

	vec__done(&x);
	vec__done(&y);
	return equal;
}

/* One cause that has all the waits. */
static inline struct recording_cause recorded_cause(const struct profile *p)
{
	struct recording_cause c = { .name = "everything" };
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		c.waits += p->waits[i].count;
		c.blocked_ns += p->waits[i].blocked_ns;
		c.runq_ns += p->waits[i].runq_ns;
		if (p->waits[i].max_ns > c.max_ns)
			c.max_ns = p->waits[i].max_ns;
	}
	return c;
}

static inline void record(struct recorder *rec, const struct profile *p)
{
	struct recording_cause cause = recorded_cause(p);
	struct err err = { 0 };

	if (recorder__add(rec, p, &cause, 1, NULL, &err))
		fail_msg("%s", err.msg);
}

/* A finished file of as many windows as there are texts, up to NULL. */
static inline void record_file(struct workdir *w, const char *name, const char *const *texts)
{
	const char *path = workdir__path(w, name);
	struct recorder *rec = NULL;
	struct err err = { 0 };
	struct profile *p;

	if (recorder__create(path, &rec, &err))
		fail_msg("%s", err.msg);
	for (; *texts; texts++) {
		p = lit(*texts);
		record(rec, p);
		profile__free(p);
	}
	if (recorder__finish(rec, &err))
		fail_msg("%s", err.msg);
	recorder__free(rec);
}

static inline struct recording *open_recording(const char *path)
{
	struct recording *rec = NULL;
	struct err err = { 0 };

	if (recording__open(path, &rec, &err))
		fail_msg("%s", err.msg);
	return rec;
}

static inline struct profile *read_window(struct recording *rec, size_t idx)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (recording__read(rec, idx, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

#endif
