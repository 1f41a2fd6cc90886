/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the families is part of the rules. Words of a runtime name the wait. Then comes what
 * a thread could not help, then what can happen under any system call, then what user space shows
 * about a wait, with run times before the C library that they use. The plain meaning of system
 * calls comes last.
 */
#include "analysis/cause/rule.h"

const struct rule_table *const rule_tables[] = {
	&rules_goroutine, &rules_asyncio,  &rules_tokio,
	&rules_sched,	  &rules_memory,   &rules_kernel_lock,
	&rules_disk,	  &rules_net,	   &rules_python,
	&rules_java,	  &rules_go,	   &rules_rust,
	&rules_node,	  &rules_postgres, &rules_mysql,
	&rules_redis,	  &rules_nginx,	   &rules_c,
	&rules_user,	  &rules_loop,	   NULL,
};

const char *rule_files(const struct rule *r)
{
	const struct rule_table *const *t;

	for (t = rule_tables; *t; t++) {
		if (r >= (*t)->rules && r < (*t)->rules + (*t)->len)
			return (*t)->files;
	}
	return NULL;
}
