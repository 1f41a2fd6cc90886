/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_GROUP_BY_H
#define ANALYSIS_MODEL_GROUP_BY_H

/*
 * What waits can be grouped by: the root of a graph, the row of a table, a separate histogram. The
 * names are the values of --by. X(NAME, name): append only, thread groups first
 * (group_is_of_threads()).
 *
 * comm: the name of the thread. process: "comm-tgid". thread: "comm-tgid/tid". cgroup: see
 * cgroup_label.h; "[no cgroup v2]". unit, container, pod: see profile/label/cgroup_words.h; "[no
 * unit]", "[no container]", "[no pod]". module: the file of the lowest user frame outside the C
 * library and other run times, or of any frame if there is none; "[kernel]" for kernel threads,
 * "[lost]" and "[no user stack]" for the rest. stack: where in the program and in the kernel, see
 * place.h. object: see object_label.h; "[no object]". owner: "comm/tid", "tid"; "[no owner]".
 * class: enum wait_class. waker: who ended the wait, see waker_label.h, if the waits are divided
 * (waker_rows.h); "[preempted]", "[new thread]", "[open at the end]" and "[unknown]" for the rest.
 */
#define GROUPS(X)                                                                                  \
	X(COMM, "comm")                                                                            \
	X(PROCESS, "process")                                                                      \
	X(THREAD, "thread")                                                                        \
	X(CGROUP, "cgroup")                                                                        \
	X(UNIT, "unit")                                                                            \
	X(CONTAINER, "container")                                                                  \
	X(POD, "pod")                                                                              \
	X(CAUSE, "cause")                                                                          \
	X(MODULE, "module")                                                                        \
	X(STACK, "stack")                                                                          \
	X(OBJECT, "object")                                                                        \
	X(OWNER, "owner")                                                                          \
	X(CLASS, "class")                                                                          \
	X(WAKER, "waker")

enum group_by {
#define X(NAME, name) GROUP_BY_##NAME,
	GROUPS(X)
#undef X
		GROUP_BY_CNT
};

#endif
