/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records and rows of the kernel's tables to a profile. The tables are ours: of drain.c, all
 * that asks the kernel is replaced.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define programs__waits_fd fake_waits_fd
#define programs__wait_key_sz fake_wait_key_sz
#define programs__describe fake_describe
#define table_read fake_table_read
#define table_take fake_table_take
#define ring_buffer__consume fake_ring_consume
#define ageing__read fake_ageing_read
#define self_memory_allows fake_memory_allows
#include "capture/drain.c"

#define BEGIN_NS 1000000ULL
#define END_NS 2000000ULL
#define ROWS_MAX 8

static struct row {
	struct cs_wait_key key;
	struct cs_wait_sum sum;
} rows[ROWS_MAX];
static u32 rows_len;
static bool is_memory_short;
static u32 consumed, aged;
static struct capture *c;
static struct builder *b;

int programs__waits_fd(const struct programs *p, u64 begin_ns)
{
	(void)p;
	assert_int_equal(begin_ns, BEGIN_NS);
	return 0;
}

size_t programs__wait_key_sz(const struct programs *p)
{
	(void)p;
	return CS_WAIT_KEY_SZ;
}

const char *programs__describe(const struct programs *p)
{
	(void)p;
	return "no hooks";
}

static int give_rows(table_fn *each, void *arg)
{
	int r = 0;

	for (u32 i = 0; !r && i < rows_len; i++) {
		/* Behind a short key there is the next one. */
		rows[i].key.object = rows[i].key.owner = ~0U;
		r = each(arg, &rows[i].key, &rows[i].sum);
	}
	return r;
}

int table_read(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err)
{
	(void)fd;
	(void)err;
	assert_true(c->ended);
	assert_int_equal(key_sz, CS_WAIT_KEY_SZ);
	assert_int_equal(value_sz, sizeof(struct cs_wait_sum));
	return give_rows(each, arg);
}

int table_take(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err)
{
	(void)fd;
	(void)key_sz;
	(void)value_sz;
	(void)err;
	assert_false(c->ended);
	return give_rows(each, arg);
}

int ring_buffer__consume(struct ring_buffer *rb)
{
	(void)rb;
	consumed++;
	return 0;
}

int ageing__read(struct ageing *a, struct programs *p, const struct ageing_use *use,
		 struct err *err)
{
	(void)a;
	(void)p;
	(void)use;
	(void)err;
	aged++;
	return 0;
}

bool self_memory_allows(u64 more_bytes)
{
	(void)more_bytes;
	return !is_memory_short;
}

static void forget(void *arg, const struct ended *ended)
{
	(void)arg;
	(void)ended;
}

static const struct capture_files files = { .forget = forget };

/* A thread of process 10 that was there for all of the window. */
static struct cs_task_record *add_record(u32 id)
{
	struct cs_task_record *rec = vec__push(&c->closed.records);

	assert_non_null(rec);
	*rec = (struct cs_task_record){
		.id = id,
		.tid = 10 + id,
		.tgid = 10,
		.begin_ns = BEGIN_NS / 2,
		.end_ns = END_NS,
		.comm = "worker",
		.group_comm = "server",
		.totals = { .on_ns = END_NS - BEGIN_NS },
	};
	return rec;
}

/* A row of thread `id`, asleep; the totals of its record have it, too. */
static struct row *add_row(u32 id, u64 ns, struct cs_task_record *rec)
{
	struct row *row = &rows[rows_len++];

	row->key = (struct cs_wait_key){
		.task = id, .sysno = 7, .state = CS_STATE_S, .flags = CS_WAIT_IOWAIT
	};
	row->sum = (struct cs_wait_sum){
		.blocked_ns = ns, .count = 1, .max_ns = ns, .samples = 1, .hist = { [3] = 1 }
	};
	if (rec) {
		rec->totals.on_ns -= ns;
		rec->totals.blocked_ns[CS_STATE_S] += ns;
		rec->totals.waits++;
	}
	return row;
}

static struct profile *drain(void)
{
	struct profile *p;
	struct err err;

	assert_int_equal(capture__drain(c, b, NULL, &files, &err), 0);
	assert_int_equal(builder__freeze(b, &p, &err), 0);
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static int set_up(void **state)
{
	(void)state;
	rows_len = consumed = aged = 0;
	is_memory_short = false;
	c = mem_array(1, sizeof(*c));
	b = builder__new();
	if (!c || !b || capture_window__init(&c->closed, 0, 0))
		return -1;
	stacks__init(&c->stacks);
	leavers__init(&c->leavers, true);
	endings__init(&c->endings);
	code_places__init(&c->code_places);
	cgroup_paths__init(&c->cgroups);
	roots__init(&c->roots);
	c->sides = SIDE_USER | SIDE_KERNEL;
	c->max_ns = ~0ULL;
	c->ended = true;
	c->closed.begin_ns = BEGIN_NS;
	c->closed.end_ns = END_NS;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stacks__done(&c->stacks);
	leavers__done(&c->leavers);
	endings__done(&c->endings);
	code_places__done(&c->code_places);
	cgroup_paths__done(&c->cgroups);
	roots__done(&c->roots);
	builder__free(b);
	mem_free(c);
	return 0;
}

static void test_drain__of_a_record_has_its_totals_and_its_waits(void **state)
{
	struct cs_task_record *rec = add_record(1);
	struct profile *p;

	(void)state;
	add_row(1, 400000, rec);
	p = drain();
	assert_int_equal(p->tasks_len, 2);
	assert_int_equal(p->tasks[1].tid, 11);
	assert_int_equal(p->tasks[1].tgid, 10);
	assert_string_equal(profile__str(p, p->tasks[1].comm), "worker");
	assert_string_equal(profile__str(p, p->tasks[1].group_comm), "server");
	assert_int_equal(p->tasks[1].wall_ns, END_NS - BEGIN_NS);
	assert_int_equal(p->tasks[1].on_ns, 600000);
	assert_int_equal(p->tasks[1].unaccounted_ns, 0);
	assert_int_equal(p->waits_len, 2);
	assert_int_equal(p->waits[1].task, 1);
	assert_int_equal(p->waits[1].sysno, 7);
	assert_int_equal(p->waits[1].flags, WAIT_IOWAIT);
	assert_int_equal(p->waits[1].blocked_ns, 400000);
	assert_int_equal(p->waits[1].hist[3], 1);
	assert_int_equal(p->losses[LOSS_OWNER_SEVERAL].events, 0);
	profile__free(p);
}

/* Missed switches leave time that is in no sum; it must show. */
static void test_drain__of_time_without_a_state_is_unaccounted(void **state)
{
	struct profile *p;

	(void)state;
	add_record(1)->totals.on_ns -= 1234;
	p = drain();
	assert_int_equal(p->tasks[1].unaccounted_ns, 1234);
	assert_int_equal(p->losses[LOSS_CLOCK_BACK].events, 0);
	profile__free(p);
}

static void test_drain__of_more_time_than_the_thread_lived_is_counted(void **state)
{
	struct profile *p;

	(void)state;
	add_record(1)->totals.on_ns += 55;
	p = drain();
	assert_int_equal(p->tasks[1].wall_ns, END_NS - BEGIN_NS + 55);
	assert_int_equal(p->losses[LOSS_CLOCK_BACK].events, 1);
	assert_int_equal(p->losses[LOSS_CLOCK_BACK].ns, 55);
	profile__free(p);
}

/* It began after the window: it is not there. */
static void test_drain__of_a_record_without_time_in_the_window_is_empty(void **state)
{
	struct cs_task_record *rec = add_record(1);
	struct profile *p;

	(void)state;
	rec->begin_ns = rec->end_ns = END_NS;
	p = drain();
	assert_int_equal(p->tasks_len, 1);
	profile__free(p);
}

static void test_drain__of_a_wait_without_a_record_counts_an_orphan(void **state)
{
	struct profile *p;

	(void)state;
	add_row(1, 400000, add_record(1));
	add_row(2, 7000, NULL)->sum.count = 3;
	p = drain();
	assert_int_equal(p->waits_len, 2);
	assert_int_equal(p->losses[LOSS_ORPHAN_WAIT].events, 3);
	assert_int_equal(p->losses[LOSS_ORPHAN_WAIT].ns, 7000);
	profile__free(p);
}

/* Of its wait at the begin of the first window; it is not part of the window. */
static void test_drain__of_a_wait_over_a_gap_states_its_part(void **state)
{
	struct profile *p;
	u64 wall_ns;

	(void)state;
	c->gap_from_ns = 1000;
	c->first_ns = 4000;
	add_row(1, 400000, add_record(1));
	add_record(2)->totals.gap_ns = 2500;
	add_record(3)->totals.gap_ns = CS_GAP_UNKNOWN;
	p = drain();
	wall_ns = p->tasks[1].wall_ns;
	assert_int_equal(p->tasks[1].gap_wait_ns, 0);
	assert_int_equal(p->tasks[2].gap_wait_ns, 2500);
	assert_int_equal(p->tasks[2].wall_ns, wall_ns);
	assert_int_equal(p->tasks[3].gap_wait_ns, 0);
	assert_int_equal(p->losses[LOSS_GAP_WAITS].events, 1);
	assert_int_equal(p->losses[LOSS_GAP_WAITS].ns, 2500);
	assert_int_equal(p->losses[LOSS_GAP_UNKNOWN].events, 1);
	assert_int_equal(p->losses[LOSS_GAP_UNKNOWN].ns, 3000);
	profile__free(p);
}

/* It is no target any more: its record and its waits were in an earlier window. */
static void test_drain__of_a_thread_that_left_before_is_no_loss(void **state)
{
	struct cs_task_record *rec = add_record(1);
	struct profile *p;
	bool drop;

	(void)state;
	rec->flags = CS_TASK_LEFT;
	assert_int_equal(leavers__see(&c->leavers, rec, &drop), 0);
	add_row(1, 400000, NULL);
	p = drain();
	assert_int_equal(p->tasks_len, 1);
	assert_int_equal(p->waits_len, 1);
	assert_int_equal(p->losses[LOSS_ORPHAN_WAIT].events, 0);
	profile__free(p);
}

static void test_drain__without_memory_counts_what_it_leaves_out(void **state)
{
	struct cs_task_record *rec = add_record(1);
	struct profile *p;

	(void)state;
	is_memory_short = true;
	add_row(1, 400000, rec);
	p = drain();
	assert_int_equal(p->losses[LOSS_USER_MEMORY].events, 1);
	assert_int_equal(p->losses[LOSS_USER_MEMORY].ns, 400000);
	/* the rest of the totals, so that the list adds up */
	assert_int_equal(p->waits_len, 2);
	assert_true(p->waits[1].flags & WAIT_LOST);
	assert_int_equal(p->waits[1].blocked_ns, 400000);
	profile__free(p);
}

static void test_drain__of_samples_on_a_cpu_shares_out_the_time(void **state)
{
	struct profile *p;
	struct row *row;

	(void)state;
	c->on_cpu_hz = 99;
	add_record(1);
	for (u32 i = 1; i <= 3; i++) {
		row = add_row(i == 3 ? 9 : 1, 0, NULL);
		row->key.flags = CS_WAIT_ON_CPU;
		row->key.sysno = (short)i;
		row->sum = (struct cs_wait_sum){ .samples = i };
	}
	p = drain();
	assert_int_equal(p->waits_len, 1);
	assert_int_equal(p->hots_len, 3);
	assert_int_equal(p->hots[1].on_ns + p->hots[2].on_ns, END_NS - BEGIN_NS);
	assert_in_range(p->hots[2].on_ns, 2 * p->hots[1].on_ns - 2, 2 * p->hots[1].on_ns + 2);
	assert_int_equal(p->losses[LOSS_SAMPLES_LOST].events, 3);
	profile__free(p);
}

static void test_drain__adds_up_the_records_that_are_lost(void **state)
{
	struct profile *p;

	(void)state;
	c->closed.records_lost = 2;
	c->closed.records_lost_ns = 500;
	c->closed.records_missing = 3;
	p = drain();
	assert_int_equal(p->losses[LOSS_TASK_RECORD].events, 5);
	assert_int_equal(p->losses[LOSS_TASK_RECORD].ns, 500);
	profile__free(p);
}

static void test_drain__header_is_of_the_window(void **state)
{
	struct profile *p;

	(void)state;
	c->closed.begin_wall_ns = 77;
	c->closed.stats.self_runs = 5;
	c->closed.stats.self_ns = 600;
	c->closed.cost.runs = 8;
	c->closed.self_cpu_ns = 9;
	p = drain();
	assert_int_equal(p->hdr.begin_mono_ns, BEGIN_NS);
	assert_int_equal(p->hdr.begin_wall_ns, 77);
	assert_int_equal(p->hdr.window_ns, END_NS - BEGIN_NS);
	assert_int_equal(p->hdr.prog_runs, 5);
	assert_int_equal(p->hdr.prog_ns, 600);
	assert_int_equal(p->hdr.self_cpu_ns, 9);
	assert_string_equal(profile__str(p, p->hdr.hooks), "no hooks");
	profile__free(p);
}

/* The trace goes on: the table is emptied, the ring is read meanwhile, old ids are removed. */
static void test_drain__in_a_trace_that_goes_on_keeps_it_going(void **state)
{
	struct profile *p;

	(void)state;
	c->ended = false;
	for (u32 i = 1; i <= 200; i++)
		add_record(i);
	p = drain();
	assert_int_equal(p->tasks_len, 201);
	assert_int_equal(consumed, 1);
	assert_int_equal(aged, 1);
	profile__free(p);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_drain__of_a_record_has_its_totals_and_its_waits),
		T(test_drain__of_time_without_a_state_is_unaccounted),
		T(test_drain__of_more_time_than_the_thread_lived_is_counted),
		T(test_drain__of_a_record_without_time_in_the_window_is_empty),
		T(test_drain__of_a_wait_without_a_record_counts_an_orphan),
		T(test_drain__of_a_wait_over_a_gap_states_its_part),
		T(test_drain__of_a_thread_that_left_before_is_no_loss),
		T(test_drain__without_memory_counts_what_it_leaves_out),
		T(test_drain__of_samples_on_a_cpu_shares_out_the_time),
		T(test_drain__adds_up_the_records_that_are_lost),
		T(test_drain__header_is_of_the_window),
		T(test_drain__in_a_trace_that_goes_on_keeps_it_going),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
