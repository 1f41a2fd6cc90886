/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The price of being there: programs that do nothing on the hooks that a recording uses. What a
 * tool costs beyond them is its own doing.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sched_switch")
int on_switch(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("tp_btf/sched_exit_tp")
int on_exit(void *ctx)
{
	(void)ctx;
	return 0;
}
