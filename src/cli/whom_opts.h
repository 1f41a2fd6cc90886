/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_WHOM_OPTS_H
#define CLI_WHOM_OPTS_H

#include "cli/opt.h"

/*
 * Whom to record; `S` is struct record_values. `ALSO`: further options that exclude processes and
 * threads, with a space before each; or "".
 */
/* clang-format off */
#define WHOM_OPTS(S, ALSO) \
	{ 'p', "pid", OPT_IDS(S, pids), "PID,...", \
	  "Record all threads of these processes. The list may be what pgrep or pidof prints.", \
	  .flags = OPT_COMMON | OPT_PROCESS, .min = 1, .excludes = "tid" ALSO }, \
	{ 0, "tree", OPT_FLAG(S, tree), NULL, \
	  "With -p: also record all their descendants, those that exist and those to come.", \
	  .flags = OPT_COMMON }, \
	{ 0, "name", OPT_STRING(S, program), "GLOB", \
	  "Record all processes that run this program now or later, such as postgres or " \
	  "'python3*'. The name is that of its file, or its argv[0] without directories.", \
	  .excludes = "pid tid" ALSO, .flags = OPT_COMMON }, \
	{ 't', "tid", OPT_IDS(S, tids), "TID,...", "Record these threads.", .min = 1, \
	  .excludes = "pid" ALSO }

/* The same, by name: all threads that match. */
#define WHOM_MATCHING_OPTS(S) \
	{ 0, "cgroup", OPT_STRING(S, cgroup), "PATH", \
	  "Only threads in this cgroup (v2) and its descendants.", .flags = OPT_FILE }, \
	{ 0, "unit", OPT_STRING(S, unit), "NAME", \
	  "Only threads of this systemd unit, such as nginx or nginx.service.", \
	  .excludes = "cgroup container", .flags = OPT_COMMON }, \
	{ 0, "container", OPT_STRING(S, container), "ID|NAME", \
	  "Only threads of this container of Docker, Podman, Kubernetes, LXC or systemd-nspawn. " \
	  "4 digits of an ID will do.", \
	  .excludes = "cgroup", .flags = OPT_COMMON }, \
	{ 0, "comm", OPT_STRING(S, comm), "GLOB", \
	  "Only threads whose name matches. * is any text, ? one character.", .flags = OPT_COMMON }
/* clang-format on */

#endif
