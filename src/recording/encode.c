/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile to the sections of its blocks. The order of frames, stacks, tasks and waits is kept, so
 * that a profile read back renders to the same bytes as the one that was written. Sorted waits take
 * a third less, which is a tenth of the blocks of a busy machine and 2 % of the file; that is not
 * worth two different outputs. Values that follow from others (wall time, counts, depths) are not
 * stored, so they cannot contradict them.
 *
 * The bytes depend only on the profile, except those of code that a store shares (code_chain.h).
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "recording/block/code_row.h"
#include "recording/block/sections.h"
#include "recording/block/string_set.h"
#include "recording/window.h"

void window_head__of(struct window_head *head, const struct profile *p)
{
	const struct profile_header *h = &p->hdr;
	const u32 strings[HEAD_STRINGS] = {
		[HEAD_HOST] = h->host,		 [HEAD_KERNEL] = h->kernel,
		[HEAD_ARCH] = h->arch,		 [HEAD_VERSION] = h->version,
		[HEAD_COMMAND] = h->command,	 [HEAD_TARGET] = h->target,
		[HEAD_HOOKS] = h->hooks,	 [HEAD_BOOT] = h->boot,
		[HEAD_SELECTION] = h->selection, [HEAD_SOURCE] = h->source,
		[HEAD_TRIGGER] = h->trigger,
	};
	u32 i;

	*head = (struct window_head){ .hdr = *h };
	for (i = 0; i < HEAD_STRINGS; i++)
		head->strings[i] = profile__str(p, strings[i]);
	for (i = 0; i < LOSS_CNT; i++)
		head->losses[i] = p->losses[i];
	for (i = 1; i < p->waits_len; i++) {
		head->listed_waits += p->waits[i].count;
		head->listed_blocked_ns += p->waits[i].blocked_ns;
		head->listed_runq_ns += p->waits[i].runq_ns;
	}
	for (i = 1; i < p->hots_len; i++) {
		head->listed_samples += p->hots[i].samples;
		head->listed_on_ns += p->hots[i].on_ns;
	}
}

static int encode_header(const struct window_head *head, struct vec *sections)
{
	static const struct profile_header before = { 0 };
	struct section_out s;
	u32 i;
	int r;

	section_out__init(&s, SECTION_HEADER, HEADER_COLUMNS, SECTION_NEEDED);
	s.rows = 1;
	/* who does not know it would show 0 where nothing is known */
	if (head->hdr.unknown)
		s.needed[HEADER_UNKNOWN] = true;
	/* older versions kept the visits of /proc as switches, and would show unknown ones as 0 */
	if (head->hdr.visit_sources & ~(u32)VISITS_OF_BPF)
		s.needed[HEADER_VISIT_SOURCES] = true;
	section_out__fields(&s, header_fields, header_fields_len, &head->hdr, &before);
	for (i = 0; i < HEAD_STRINGS; i++)
		section_out__bytes(&s, head_string_column(i), head->strings[i],
				   strlen(head->strings[i]));
	section_out__uleb(&s, HEADER_LISTED_WAITS, head->listed_waits);
	section_out__uleb(&s, HEADER_LISTED_BLOCKED, head->listed_blocked_ns);
	section_out__uleb(&s, HEADER_LISTED_RUNQ, head->listed_runq_ns);
	section_out__uleb(&s, HEADER_LISTED_SAMPLES, head->listed_samples);
	section_out__uleb(&s, HEADER_LISTED_ON, head->listed_on_ns);
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

static int encode_losses(const struct window_head *head, struct vec *sections)
{
	struct section_out s;
	u32 i;
	int r;

	section_out__init(&s, SECTION_LOSSES, LOSSES_COLUMNS, SECTION_NEEDED);
	for (i = 0; i < LOSS_CNT; i++) {
		const struct profile_loss *loss = &head->losses[i];

		if (!loss->events && !loss->ns)
			continue;
		section_out__uleb(&s, LOSSES_KIND, i);
		section_out__uleb(&s, LOSSES_EVENTS, loss->events);
		section_out__uleb(&s, LOSSES_NS, loss->ns);
		s.rows++;
	}
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

/* Three columns of the same form: number, rows or size, checksum. */
static int encode_seals(u32 tag, const struct seal *seals, u32 len, struct vec *sections)
{
	struct section_out s;
	u32 i;
	int r;

	section_out__init(&s, tag, BLOCKS_COLUMNS, 0);
	for (i = 0; i < len; i++) {
		if (!seals[i].is_set)
			continue;
		section_out__uleb(&s, BLOCKS_KIND, i);
		section_out__uleb(&s, BLOCKS_SZ, seals[i].rows);
		section_out__uleb(&s, BLOCKS_CRC, seals[i].crc);
		s.rows++;
	}
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

int encode_head(const struct window_head *head, struct vec *sections)
{
	int r = encode_header(head, sections);

	if (!r)
		r = encode_losses(head, sections);
	if (!r)
		r = encode_seals(SECTION_BLOCKS, head->blocks, BLOCK_KIND_CNT, sections);
	if (!r)
		r = encode_seals(SECTION_TABLES, head->tables, SEALED_CNT, sections);
	return r;
}

/* A reader that does not know them loses nothing else. */
static void encode_bins(const struct profile *p, struct section_out *s)
{
	u32 i;

	section_out__init(s, SECTION_BINS, BINS_COLUMNS, 0);
	s->rows = p->bins_len - 1;
	for (i = 1; i < p->bins_len; i++) {
		const struct profile_bin *b = &p->bins[i];

		section_out__zigzag(s, BINS_TASK, (s64)b->task - b[-1].task);
		section_out__uleb(s, BINS_KIND, b->kind);
		section_out__uleb(s, BINS_BUCKET, b->bucket);
		section_out__uleb(s, BINS_COUNT, b->count);
	}
}

int encode_tasks(const struct profile *p, struct vec *sections)
{
	struct string_set strings;
	struct section_out s[2];
	int r = string_set__init(&strings, p);
	u32 i;

	section_out__init(&s[0], SECTION_TASKS, TASKS_COLUMNS, SECTION_NEEDED);
	s[0].rows = p->tasks_len - 1;
	for (i = 1; i < p->tasks_len && !r; i++) {
		const struct profile_task *t = &p->tasks[i];

		section_out__fields(&s[0], task_fields, task_fields_len, t, t - 1);
		section_out__uleb(&s[0], TASKS_COMM, string_set__ref(&strings, t->comm));
		section_out__uleb(&s[0], TASKS_GROUP_COMM,
				  string_set__ref(&strings, t->group_comm));
	}
	/*
	 * Their strings come last, each column by itself: a reader that does not know a column does
	 * not count its strings, so later references would be wrong.
	 */
	for (i = 1; i < p->tasks_len && !r; i++)
		section_out__uleb(&s[0], TASKS_CGROUP_PATH,
				  string_set__ref(&strings, p->tasks[i].cgroup));
	for (i = 1; i < p->tasks_len && !r; i++)
		section_out__uleb(&s[0], TASKS_CONTAINER_NAME,
				  string_set__ref(&strings, p->tasks[i].container));
	encode_bins(p, &s[1]);
	return string_set__finish(&strings, s, p->hdr.hist_unit_ns ? 2 : 1, r, sections);
}

static void encode_modules(const struct profile *p, struct string_set *strings,
			   struct string_refs *refs, struct section_out *s)
{
	u32 i;

	s->rows = p->modules_len - 1;
	for (i = 1; i < p->modules_len; i++) {
		struct profile_module m = p->modules[i];

		m.path = string_set__number(strings, m.path);
		m.build_id = string_set__number(strings, m.build_id);
		code_row__put_module(s, refs, &m);
	}
}

static int encode_frames(const struct profile *p, struct string_set *strings,
			 struct string_refs *refs, struct section_out *s)
{
	u64 *addrs = mem_array(p->modules_len, sizeof(*addrs));
	u32 i;

	if (!addrs)
		return -ENOMEM;
	s->rows = p->frames_len - 1;
	for (i = 1; i < p->frames_len; i++) {
		struct profile_frame f = p->frames[i];

		f.name = string_set__number(strings, f.name);
		f.file = string_set__number(strings, f.file);
		code_row__put_frame(s, refs, addrs, &f);
	}
	mem_free(addrs);
	return 0;
}

static void encode_stacks(const struct profile *p, struct section_out *s)
{
	u32 i, next_frame = 1;

	s->rows = p->stacks_len - 1;
	for (i = 1; i < p->stacks_len; i++)
		code_row__put_stack(s, i, &next_frame, &p->stacks[i]);
}

int encode_code(const struct profile *p, struct vec *sections)
{
	struct string_refs refs = { .next = 1 };
	struct string_set strings;
	struct section_out s[3];
	int r = string_set__init(&strings, p);

	section_out__init(&s[0], SECTION_MODULES, MODULES_COLUMNS, SECTION_NEEDED);
	section_out__init(&s[1], SECTION_FRAMES, FRAMES_COLUMNS, SECTION_NEEDED);
	section_out__init(&s[2], SECTION_STACKS, STACKS_COLUMNS, SECTION_NEEDED);
	if (!r) {
		encode_modules(p, &strings, &refs, &s[0]);
		r = encode_frames(p, &strings, &refs, &s[1]);
		encode_stacks(p, &s[2]);
	}
	return string_set__finish(&strings, s, ARRAY_LEN(s), r, sections);
}
