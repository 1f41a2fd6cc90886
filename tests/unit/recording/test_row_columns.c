/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows with a number in each of their columns, and rows that differ in one column of the key alone,
 * go through a builder, a merge and a recording. A column that one of these leaves out is 0 at the
 * end, or makes two rows one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/row_type.h"
#include "profile/windows/merge.h"
#include "recorded.h"
#include "recording/block/crc32c.h"

static void add_ground(struct builder *b)
{
	struct profile_task t = { .tgid = 7, .wall_ns = 3000000, .on_ns = 1000000 };
	struct profile_object o = { .kind = OBJECT_SOCKET };
	u32 i, id, frame, parent;

	t.blocked_ns[1] = 2000000;
	for (i = 1; i <= 3; i++) {
		t.tid = 6 + i;
		t.start_boottime_ns = i;
		t.begin_ns = 3 - i; /* a merge has them in the order of time */
		o.number = i;
		builder__task(b, &t, &id);
		builder__object(b, &o, &id);
		builder__frame(b, 0, 0x1000 * i, 0, FRAME_NO_SYMBOL, &frame);
		builder__stack(b, 0, frame, &parent);
	}
	*builder__header(b) = (struct profile_header){
		.filtered = 1,
		.on_cpu_hz = 99,
		.on_cpu_samples = 9,
		.period_ns = 1000000,
		.period_min_ns = 1000000,
		.period_max_ns = 1000000,
		.period_sum_ns = 1000000,
	};
}

/* Each column with a number of its own, as far as a sound profile lets it. */
static const struct profile_wait full_wait = {
	.task = 2,
	.ustack = 3,
	.kstack = 2,
	.sysno = 5,
	.state = 2,
	.flags = WAIT_IOWAIT | WAIT_OPEN,
	.object = 3,
	.owner = 3,
	.owner_tid = 9,
	.blocked_ns = 20011,
	.runq_ns = 10007,
	.count = 6,
	.max_ns = 25003,
	.samples = 4,
	.var_us2 = 13,
	.hist = { [3] = 1, [4] = 2, [14] = 3 },
};

static const struct profile_hot full_hot = {
	.task = 2,
	.ustack = 3,
	.kstack = 2,
	.sysno = 5,
	.on_ns = 10007,
	.samples = 4,
	.var_us2 = 13,
};

static const struct profile_wake full_wake = {
	.task = 2,
	.ustack = 3,
	.kstack = 2,
	.sysno = 5,
	.state = 2,
	.flags = WAIT_IOWAIT | WAIT_OPEN,
	.object = 3,
	.owner = 3,
	.owner_tid = 9,
	.waker = 2,
	.doing = DOING_BLOCKED,
	.did_ustack = 2,
	.did_kstack = 3,
	.did_sysno = 4,
	.did_state = 2,
	.did_flags = WAIT_IOWAIT | WAIT_KILLABLE,
	.did_object = 2,
	.ns = 1001,
};

/* What only one that was woken counts. */
static const struct profile_wake full_woken = {
	.count = 3,
	.bursts = 2,
	.crowd = 1,
	.brief = 2,
	.again = 1,
	.brief_ns = 30001,
};

static const struct profile_measured full_measured = {
	.task = 2,
	.ustack = 3,
	.waker_ustack = 2,
	.count = 6,
	.total_ns = 30011,
	.max_ns = 25003,
	.hist = { [3] = 1, [4] = 2, [14] = 3 },
};

/* The same with another value in one column of the key. */
static void change(const struct row_column *c, void *row)
{
	u64 value = row_column__get(c, row);

	row_column__set(c, row, c->kind == ROW_TASK ? 1 : value - 1);
}

static bool is_varied(const struct row_type *type, const struct row_column *c)
{
	if (strcmp(c->name, "owner_tid") == 0)
		return false; /* that of the owner */
	if (type == &hot_row_type && c->kind == ROW_FLAGS)
		return false; /* a row without samples is another thing */
	return row_column__is_key(c);
}

static void add_waits(struct builder *b)
{
	struct profile_wait w = full_wait;
	u32 i;

	builder__wait(b, &w);
	for (i = 0; i < wait_row_type.columns_len; i++) {
		if (!is_varied(&wait_row_type, &wait_row_type.columns[i]))
			continue;
		w = full_wait;
		change(&wait_row_type.columns[i], &w);
		if (w.owner != full_wait.owner)
			w.owner_tid = 7;
		builder__wait(b, &w);
	}
}

static void add_hots(struct builder *b)
{
	struct profile_hot h = full_hot;
	u32 i;

	builder__hot(b, &h);
	for (i = 0; i < hot_row_type.columns_len; i++) {
		if (!is_varied(&hot_row_type, &hot_row_type.columns[i]))
			continue;
		h = full_hot;
		change(&hot_row_type.columns[i], &h);
		builder__hot(b, &h);
	}
}

static void add_wake(struct builder *b, struct profile_wake w)
{
	const struct profile_wake key = w;

	if (w.doing != DOING_BLOCKED) {
		memset(&w, 0, sizeof(w));
		memcpy(&w, &key, offsetof(struct profile_wake, did_ustack));
		w.did_sysno = -1;
		w.ns = key.ns;
		w.count = key.count;
	}
	builder__wake(b, &w);
}

/* Each is of a wait that add_waits() has added. */
static void add_wakes(struct builder *b)
{
	struct profile_waker by = { .end = CHAIN_UNRECORDED };
	struct profile_wake w = full_wake;
	u32 i, id;

	for (i = 1; i <= 2; i++) {
		by.tid = 100 + i;
		builder__waker(b, &by, &id);
	}
	add_wake(b, full_wake);
	for (i = 0; i < wake_row_type.columns_len; i++) {
		if (!is_varied(&wake_row_type, &wake_row_type.columns[i]))
			continue;
		w = full_wake;
		change(&wake_row_type.columns[i], &w);
		if (w.owner != full_wake.owner)
			w.owner_tid = 7;
		add_wake(b, w);
	}
	w = full_wake;
	w.doing = DOING_WOKEN;
	w.count = full_woken.count;
	w.bursts = full_woken.bursts;
	w.crowd = full_woken.crowd;
	w.brief = full_woken.brief;
	w.again = full_woken.again;
	w.brief_ns = full_woken.brief_ns;
	builder__header(b)->wakers = 1;
	add_wake(b, w);
}

static void add_measured(struct builder *b)
{
	struct profile_measured m = full_measured;
	struct profile_header *h = builder__header(b);
	u32 i;

	h->measured = 1;
	h->measured_ns = 2000000;
	h->measure_hits = 77;
	h->measure_cost_ns = 88;
	builder__measured(b, &m);
	for (i = 0; i < measured_row_type.columns_len; i++) {
		if (!is_varied(&measured_row_type, &measured_row_type.columns[i]))
			continue;
		m = full_measured;
		change(&measured_row_type.columns[i], &m);
		builder__measured(b, &m);
	}
}

static u32 rows_of(const struct row_type *type)
{
	u32 i, n = 1;

	for (i = 0; i < type->columns_len; i++)
		n += is_varied(type, &type->columns[i]);
	return n;
}

static struct profile *build(void)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;
	struct err err = { 0 };

	assert_non_null(b);
	add_ground(b);
	add_waits(b);
	add_hots(b);
	add_wakes(b);
	add_measured(b);
	if (builder__freeze(b, &p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p->waits_len, 1 + rows_of(&wait_row_type));
	assert_int_equal(p->hots_len, 1 + rows_of(&hot_row_type));
	assert_int_equal(p->wakes_len, 1 + rows_of(&wake_row_type) + 1);
	assert_int_equal(p->measured_len, 1 + rows_of(&measured_row_type));
	return p;
}

/* What a column is of, where its number is an id: those of another profile are others. */
static u64 meaning(const struct profile *p, const struct row_column *c, const void *row)
{
	u64 value = row_column__get(c, row);

	if (c->kind == ROW_TASK)
		return p->tasks[value].tid;
	if (c->kind == ROW_STACK)
		return p->frames[p->stacks[value].frame].addr;
	if (c->kind == ROW_OBJECT)
		return p->objects[value].number;
	if (c->kind == ROW_WAKER)
		return p->wakers[value].tid;
	return value;
}

static bool is_same(const struct row_column *c, const struct profile *p, const void *row,
		    const struct profile *q, const void *other)
{
	if (c->kind == ROW_HIST)
		return !memcmp((const char *)row + c->off, (const char *)other + c->off, c->sz);
	return meaning(p, c, row) == meaning(q, c, other);
}

static void assert_rows(const struct row_type *type, const struct profile *p, const void *rows,
			const struct profile *q, const void *others, u32 len)
{
	u32 i, c;

	for (i = 0; i < len; i++) {
		for (c = 0; c < type->columns_len; c++) {
			size_t off = (size_t)i * type->sz;

			if (!is_same(&type->columns[c], p, (const char *)rows + off, q,
				     (const char *)others + off))
				fail_msg("%s %u has another %s", type->noun, i,
					 type->columns[c].name);
		}
	}
}

static void assert_same(const struct profile *got, const struct profile *want)
{
	assert_int_equal(got->waits_len, want->waits_len);
	assert_int_equal(got->hots_len, want->hots_len);
	assert_rows(&wait_row_type, got, got->waits, want, want->waits, want->waits_len);
	assert_rows(&hot_row_type, got, got->hots, want, want->hots, want->hots_len);
	assert_int_equal(got->wakes_len, want->wakes_len);
	assert_rows(&wake_row_type, got, got->wakes, want, want->wakes, want->wakes_len);
	assert_int_equal(got->measured_len, want->measured_len);
	assert_rows(&measured_row_type, got, got->measured, want, want->measured,
		    want->measured_len);
	assert_int_equal(got->hdr.measured, want->hdr.measured);
	assert_int_equal(got->hdr.measured_ns, want->hdr.measured_ns);
	assert_int_equal(got->hdr.measure_hits, want->hdr.measure_hits);
	assert_int_equal(got->hdr.measure_cost_ns, want->hdr.measure_cost_ns);
}

/* Otherwise a column that is lost would pass for one that is kept. */
static void test_rows__have_a_number_in_each_column(void **state)
{
	static const u8 zeros[sizeof(struct profile_wait)];
	u32 i;

	(void)state;
	for (i = 0; i < wait_row_type.columns_len; i++) {
		const struct row_column *c = &wait_row_type.columns[i];

		if (c->kind != ROW_ZERO &&
		    memcmp((const char *)&full_wait + c->off, zeros, c->sz) == 0)
			fail_msg("%s of the wait is 0", c->name);
	}
	for (i = 0; i < hot_row_type.columns_len; i++) {
		const struct row_column *c = &hot_row_type.columns[i];

		if (c->kind != ROW_ZERO && c->kind != ROW_FLAGS &&
		    memcmp((const char *)&full_hot + c->off, zeros, c->sz) == 0)
			fail_msg("%s of the hot is 0", c->name);
	}
	for (i = 0; i < wake_row_type.columns_len; i++) {
		const struct row_column *c = &wake_row_type.columns[i];

		if (c->kind != ROW_ZERO &&
		    memcmp((const char *)&full_wake + c->off, zeros, c->sz) == 0 &&
		    memcmp((const char *)&full_woken + c->off, zeros, c->sz) == 0)
			fail_msg("%s of the wake is 0", c->name);
	}
	for (i = 0; i < measured_row_type.columns_len; i++) {
		const struct row_column *c = &measured_row_type.columns[i];

		if (c->kind != ROW_ZERO &&
		    memcmp((const char *)&full_measured + c->off, zeros, c->sz) == 0)
			fail_msg("%s of the measured wait is 0", c->name);
	}
}

static void test_rows__keep_each_column_in_a_merge(void **state)
{
	struct profile *p = build(), *merged = NULL;
	struct err err = { 0 };

	(void)state;
	if (profile_merge((const struct profile *[]){ p }, 1, &merged, &err))
		fail_msg("%s", err.msg);
	assert_same(merged, p);
	profile__free(merged);
	profile__free(p);
}

static void test_rows__keep_each_column_in_a_recording(void **state)
{
	struct recorder *rec = NULL;
	struct profile *p = build(), *read;
	struct recording *file;
	struct err err = { 0 };
	struct workdir w;
	const char *path;

	(void)state;
	workdir__init(&w);
	path = workdir__path(&w, "rows.coldspot");
	if (recorder__create(path, &rec, &err))
		fail_msg("%s", err.msg);
	record(rec, p);
	if (recorder__finish(rec, &err))
		fail_msg("%s", err.msg);
	recorder__free(rec);
	file = open_recording(path);
	read = read_window(file, 0);
	assert_same(read, p);
	profile__free(read);
	profile__free(p);
	recording__close(file);
	workdir__done(&w);
}

/* Bytes that another version wrote are read by number: a column that moves would be another one. */
static void test_rows__have_the_bytes_they_had(void **state)
{
	struct profile *p = lit(recorded_text);
	struct vec bytes = recorded_bytes(p);

	(void)state;
	assert_int_equal(bytes.len, 1746);
	assert_int_equal(crc32c(0, bytes.data, bytes.len), 0x629c6adb);
	vec__done(&bytes);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows__have_a_number_in_each_column),
		cmocka_unit_test(test_rows__keep_each_column_in_a_merge),
		cmocka_unit_test(test_rows__keep_each_column_in_a_recording),
		cmocka_unit_test(test_rows__have_the_bytes_they_had),
	};

	return cmocka_run_group_tests_name("row_columns", tests, NULL, NULL);
}
