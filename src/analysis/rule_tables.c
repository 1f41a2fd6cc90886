/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the families is a part of the rules. First what a thread could not help, then what
 * can hide under any system call, then what user space says of a wait, the run times before the C
 * library that they use; the plain meaning of system calls is last.
 */
#include "analysis/rule.h"

const struct rule_table *const rule_tables[] = {
	&rules_sched,	 &rules_memory, &rules_kernel_lock, &rules_disk, &rules_net,
	&rules_python,	 &rules_java,	&rules_go,	    &rules_rust, &rules_node,
	&rules_database, &rules_c,	&rules_user,	    &rules_loop, NULL,
};
