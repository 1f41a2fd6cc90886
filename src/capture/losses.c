/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One table defines which counter of the programs is which loss. An error counter missing here
 * would be a silent loss; the test compares the table with abi/stats.h.
 */
#include "capture/losses.h"

#define NO_NS ((size_t)-1)
#define AT(name) offsetof(struct cs_stats, name)

static const struct {
	enum profile_loss_kind kind;
	size_t events;
	size_t ns;
} losses[] = {
	{ LOSS_WAITS_FULL, AT(wait_lost), AT(wait_lost_ns) },
	{ LOSS_STACK_CUT, AT(kstack_cut), NO_NS },
	{ LOSS_MISSED_SWITCH, AT(missed_in), AT(missed_in_ns) },
	{ LOSS_MISSED_SWITCH, AT(missed_out), AT(missed_out_ns) },
	{ LOSS_TASK_STORAGE, AT(task_storage_failed), NO_NS },
	{ LOSS_HISTS, AT(hist_lost), NO_NS },
	{ LOSS_TASK_RECORD, AT(task_record_lost), AT(task_record_lost_ns) },
	{ LOSS_PROCESS_EVENT, AT(process_event_lost), NO_NS },
	{ LOSS_TARGETS_FULL, AT(target_lost), NO_NS },
	{ LOSS_MODULES_FULL, AT(modules_lost), NO_NS },
	{ LOSS_MODULES_FULL, AT(module_event_lost), NO_NS },
	{ LOSS_PYTHON_UNREAD, AT(python_failed), NO_NS },
	{ LOSS_PYTHON_UNREAD, AT(python_no_thread), NO_NS },
	{ LOSS_CODE_LOST, AT(code_lost), NO_NS },
	{ LOSS_JAVA_LOST, AT(method_lost), NO_NS },
	{ LOSS_STACK_DIFFERS, AT(kstack_differs), NO_NS },
	{ LOSS_STACK_DIFFERS, AT(ustack_differs), NO_NS },
	{ LOSS_CLOCK_BACK, AT(clock_back), NO_NS },
	{ LOSS_SAMPLES_LOST, AT(sample_lost), NO_NS },
	{ LOSS_WAKERS_FULL, AT(wake_lost), NO_NS },
	{ LOSS_MOMENTS, AT(moment_lost), AT(moment_lost_ns) },
	{ LOSS_MARKS, AT(mark_lost), NO_NS },
	{ LOSS_HEADS_UNREAD, AT(head_unread), NO_NS },
	{ LOSS_CONTEXTS_UNREAD, AT(context_unread), NO_NS },
	{ LOSS_SPLIT_MISSING, AT(split_missing), AT(split_missing_ns) },
};

static u64 counter(const struct cs_stats *s, size_t off)
{
	return off == NO_NS ? 0 : *(const u64 *)((const char *)s + off);
}

void losses_add(struct builder *b, const struct cs_stats *s, u64 recursion_misses)
{
	for (size_t i = 0; i < ARRAY_LEN(losses); i++)
		builder__loss(b, losses[i].kind, counter(s, losses[i].events),
			      counter(s, losses[i].ns));
	/* Threads for which memory ran out are included, if they still exist. */
	builder__loss(b, LOSS_UNMARKED,
		      s->unmarked > s->task_storage_failed ? s->unmarked - s->task_storage_failed :
							     0,
		      0);
	builder__loss(b, LOSS_RECURSION, recursion_misses, 0);
}

void losses_add_functions(struct builder *b, const struct readers_lost *lost)
{
	for (size_t i = 0; i < RUNTIMES_CNT; i++)
		if (runtimes[i]->reader)
			builder__loss(b, runtimes[i]->reader->loss, lost->functions[i], 0);
}
