/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_LITERAL_H
#define TESTS_LIB_LITERAL_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * A profile written by hand, as lines of indented text: no kernel and no file format between a test
 * and what it tests. Indentation is for the eye. '#' begins a comment line.
 *
 *	target PID 100 (shop)		also: host boot kernel arch version command hooks
 *	window 10s			also: min max prog self_cpu begin_wall begin_mono
 *	period 1ms			or: mean min max sum changes
 *	max_events 1000			instants of waits were recorded
 *	hist_unit 1024			ns, of the histograms of threads
 *	ncpu 4				also: switches_seen waits_chosen prog_runs
 *	sides user kernel
 *	filtered			with `idle_known 1`: idle (in state S) and idle_var
 *	intervals 10 1s			ten of a second each, one behind the other
 *	windows 3			also: gap overlap machine, of several in one
 *	source bcc offcputime -f	an import; with `unknown on_cpu threads`
 *	trigger SIGUSR1 at noon		a flight recorder wrote it
 *	selection --comm web		also: whole_off whole_wall whole_on whole_threads
 *	loss stack_cut 3 20ms		name of loss.h, events, time
 *	module libc elf /usr/lib/libc.so.6 build=ab12 tgid=7
 *	task 100/101 worker group=shop on=1s flags=born,exited cgroup=77 cgroup_path=/shop
 *	  hists on=3:2,9:1 off=... runq=... blocked=...	buckets of profile/bins.h and counts
 *	  wait S sys=futex blocked=8s runq=1ms count=3 max=5s flags=open
 *	    u main
 *	    u @libc 0xcf545 +0x65 pthread_cond_wait
 *	    u @libc 0xd0000 !no_symbol
 *	    u *120 level_%		120 frames, '%' is their number
 *	    k futex_do_wait
 *	    kcut			the kernel stack is cut off
 *	  wait S blocked=5s each=1s*4,0,500ms*2	of it in each interval, as many as are given
 *	  wait S blocked=5s runq=1s at=3s:2s:1s,9s:3s:0:B	each time it happened: end, blocked,
 *				runq, and who ended it, if that is known
 *	  wait S sys=read blocked=2s owner=101
 *	    object socket role=client family=2 protocol=6 port=5432 name=10.0.0.5
 *	  wait S blocked=80ms count=90 samples=8 var=7000000
 *	    utrunc no_cfi @libc		first of a user stack: its root side is missing, and why
 *	  hot on=700ms samples=70	with `on_cpu_hz 99`, and on_cpu_samples
 *	  wait S blocked=9s runq=2ms count=5 as=lock
 *	    woken B running=3s blocked=6s:disk woken=2ms count=5	what waker B did meanwhile
 *	waker A 200/200 client end=unrecorded	or: next=B, group=, flags=exiting; behind all tasks
 *	  u main			where it was when it woke
 *	waker N softirq			or hardirq nmi other
 *
 * Behind the count of a part there may be those of struct profile_wake: bursts=1 crowd=2 brief=4
 * again=3 ran=20us, the last is brief_ns.
 *
 * A waker is a thread of a task before it, or of none; an interrupt is no thread. It comes after
 * the ones that its chain goes on with. Parts of a wait are woken, running, runq, blocked, unborn,
 * interrupt and unknown; blocked with the name (`as`) of the waker's own wait.
 *
 * An owner is the thread of a task before this one, or of none. Kinds of modules are kernel, elf,
 * vdso, anon and code. Stacks are written root first. Totals of a task that are not given follow
 * from its waits; `on`, `unaccounted` and the counts are 0, and samples are the count, var is in
 * us^2 and 0. hist_on, hist_runq and hist_blocked of a task are 0 like its counts. A histogram not
 * given (hist=4:2,9:1) has the average, and the longest wait where `max` says it. In
 * names, \xHH is a byte, \*N;c is N times the byte c.
 */

/* -EINVAL with the number of the line, or -ENOMEM. Free with profile__free(). */
int literal_parse(const char *text, struct profile **ret_profile, struct err *err);
int literal_load(const char *path, struct profile **ret_profile, struct err *err);

#endif
