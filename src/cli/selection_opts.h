/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SELECTION_OPTS_H
#define CLI_SELECTION_OPTS_H

#include "app/selection.h"
#include "app/selection_words.h"
#include "cli/opt.h"

/* Rows of an option table: threads, and waits; `s` is a struct selection of the values `S`. */
/* clang-format off */
#define SELECTION_THREAD_OPTS(S, s) \
	{ 'p', "pid", OPT_IDS(S, s.pids), "PID,...", "Threads of these processes.", \
	  .min = 1, .flags = OPT_COMMON }, \
	{ 't', "tid", OPT_IDS(S, s.tids), "TID,...", "These threads.", .min = 1 }, \
	{ 0, "comm", OPT_STRINGS(S, s.comms), "GLOB", \
	  "Threads whose name matches. * is any text, ? one character. Repeatable: any may " \
	  "match.", .flags = OPT_COMMON }, \
	{ 0, "cgroup", OPT_STRINGS(S, s.cgroups), "GLOB|ID", \
	  "Threads in this cgroup: its path as shown by --by cgroup ('/system.slice/*'), the " \
	  "last part of the path ('ssh.service'), or its number. For a recording without " \
	  "paths: a path on this machine. Repeatable: any may match.", \
	  .flags = OPT_FILE }, \
	{ 0, "unit", OPT_STRINGS(S, s.units), "GLOB", \
	  "Threads of this systemd unit, as shown by --by unit: nginx, 'session-*'. " \
	  "Repeatable, like the next two." }, \
	{ 0, "container", OPT_STRINGS(S, s.containers), "GLOB|ID", \
	  "Threads of this container, as shown by --by container: its name " \
	  "(NAMESPACE/POD/CONTAINER or CONTAINER in Kubernetes), its ID, or the beginning of " \
	  "that." }, \
	{ 0, "pod", OPT_STRINGS(S, s.pods), "GLOB|UID", \
	  "Threads of this Kubernetes pod: its name, NAMESPACE/NAME ('shop/*'), or its UID." }, \
	{ 'u', "user-threads", OPT_FLAG(S, s.user_threads), NULL, \
	  "Exclude kernel threads.", \
	  .excludes = "kernel-threads" }, \
	{ 'k', "kernel-threads", OPT_FLAG(S, s.kernel_threads), NULL, "Only kernel threads." }
#define SELECTION_WAIT_OPTS(S, s) \
	{ 0, "cause", OPT_CUSTOM(S, s.causes), "NAME,...", \
	  "Waits with these causes, as named in the summary: futex, net-recv, disk-sync, ...", \
	  .parse = selection_parse_causes, .flags = OPT_COMMON }, \
	{ 0, "class", OPT_CUSTOM(S, s.classes), "NAME,...", \
	  "Waits of these classes: work, idle, bad, expected or on-cpu. Idle threads wait for " \
	  "work, bad waits block an event loop, a rule of --rules says what is expected, and " \
	  "on-cpu are samples of running threads, not waits.", \
	  .parse = selection_parse_classes, .flags = OPT_COMMON }, \
	{ 0, "state", OPT_CUSTOM(S, s.states), "STATES", \
	  "Waits in these states: letters of RSDTtXZPI and K (killable), as in S,D.", \
	  .parse = selection_parse_states }, \
	{ 0, "under", OPT_STRINGS(S, s.under), "FRAME", \
	  "Waits with this function on the user or kernel stack. FRAME is the whole name, or " \
	  "the function of file:function:line; in it, * is any text and ? one character. " \
	  "Repeatable: all must match.", \
	  .flags = OPT_COMMON }, \
	{ 0, "not-under", OPT_STRINGS(S, s.not_under), "FRAME", \
	  "Waits without this function on the stack, as far as the stack is known." }, \
	{ 0, "module", OPT_STRINGS(S, s.modules), "FILE", \
	  "Waits with a function of this file on the stack: its path or the last part, as a " \
	  "glob." }, \
	{ 0, "object", OPT_STRINGS(S, s.objects), "GLOB", \
	  "Waits for a matching object, as named by --by object: 'tcp *:5432', 'file /var/*', " \
	  "'lock *'. Repeatable: any may match.", .flags = OPT_COMMON }, \
	{ 0, "owner", OPT_STRINGS(S, s.owners), "TID|GLOB", \
	  "Waits for something owned by this thread, by TID or name." }, \
	{ 0, "waker", OPT_STRINGS(S, s.wakers), "TID|GLOB", \
	  "The part of waits that this thread or interrupt ended, as named by --by waker: " \
	  "'worker-*', '[timer interrupt]'. Repeatable: any may match. Needs record --wakers." }, \
	{ 0, "regex", OPT_FLAG(S, s.regex), NULL, \
	  "Treat --comm, --cgroup, --unit, --container, --pod, --under, --not-under, --module, " \
	  "--object, --owner and --waker as POSIX extended regular expressions, matched anywhere " \
	  "in a name." }, \
	{ 0, "min", OPT_CUSTOM(S, s.min), "SUM", \
	  "Stacks with at least this total time: 10ms, or 1% of the selected time.", \
	  .parse = selection_parse_bound }, \
	{ 0, "max", OPT_CUSTOM(S, s.max), "SUM", \
	  "Stacks with at most this total time.", \
	  .parse = selection_parse_bound }
/* clang-format on */

#endif
