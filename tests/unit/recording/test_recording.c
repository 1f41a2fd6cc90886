/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in, the same profiles out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/inlining.h"
#include "profile/windows/fold.h"
#include "recorded.h"
#include "recording/check.h"

static struct workdir dir;

static const char second[] = "host db2\nwindow 1s\nbegin_wall 1790000010123456789\n"
			     "task 4/4 main on=1s\nwait S blocked=1ms count=2\n u main\n k x\n";

static void append(struct vec *v, const void *bytes, size_t sz)
{
	size_t i;

	for (i = 0; i < sz; i++)
		*(u8 *)vec__push(v) = ((const u8 *)bytes)[i];
}

static void append_uleb(struct vec *v, u64 n)
{
	u8 byte;

	do {
		byte = (u8)(n & 0x7f) | (n > 0x7f ? 0x80 : 0);
		append(v, &byte, 1);
		n >>= 7;
	} while (n);
}

static void fail_on_fault(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static void assert_sound(const char *path, size_t windows)
{
	struct recording_checked sum;
	struct err err = { 0 };

	if (recording_check(path, fail_on_fault, NULL, &sum, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(sum.faults, 0);
	assert_int_equal(sum.windows, windows);
}

static void test_recording__read_gives_what_was_written(void **state)
{
	const char *path = workdir__path(&dir, "one.coldspot");
	struct profile *p = lit(recorded_text), *q;
	struct recording *rec;

	(void)state;
	record_file(&dir, "one.coldspot", (const char *[]){ recorded_text, NULL });
	rec = open_recording(path);
	assert_int_equal(recording__windows_len(rec), 1);
	q = read_window(rec, 0);
	assert_true(recorded_equal(p, q));
	assert_int_equal(q->waits_len, p->waits_len);
	assert_int_equal(q->hdr.begin_wall_ns, 1790000000123456789ULL);
	assert_string_equal(profile__str(q, q->tasks[2].group_comm), "main");
	assert_null(recording__damage(rec, 0));
	assert_int_not_equal(access(workdir__path(&dir, "one.coldspot-wal"), F_OK), 0);
	assert_sound(path, 1);
	profile__free(p);
	profile__free(q);
	recording__close(rec);
}

static void test_recording__keeps_what_part_of_what_it_is(void **state)
{
	struct recording *rec;
	struct profile *q;

	(void)state;
	record_file(&dir, "part.coldspot", (const char *[]){ recorded_text, NULL });
	rec = open_recording(workdir__path(&dir, "part.coldspot"));
	q = read_window(rec, 0);
	assert_string_equal(profile__str(q, q->hdr.boot), "5f1c");
	assert_string_equal(profile__str(q, q->hdr.selection), "--comm db");
	assert_int_equal(q->hdr.windows, 3);
	assert_int_equal(q->hdr.gap_ns, NSEC_PER_SEC);
	assert_int_equal(q->hdr.overlap_ns, 2 * NSEC_PER_SEC);
	assert_int_equal(q->hdr.machine_ns, 9 * NSEC_PER_SEC);
	assert_int_equal(q->hdr.whole_off_ns, 90 * NSEC_PER_SEC);
	assert_int_equal(q->hdr.whole_wall_ns, 100 * NSEC_PER_SEC);
	assert_int_equal(q->hdr.whole_threads, 7);
	assert_int_equal(q->hdr.whole_on_ns, 9 * NSEC_PER_SEC);
	assert_int_equal(q->hdr.idle_known, 1);
	assert_int_equal(q->hdr.idle_ns[1], 60 * NSEC_PER_SEC);
	assert_int_equal(q->hdr.idle_var_us2, 81);
	profile__free(q);
	recording__close(rec);
}

static void test_recording__keeps_paths_of_cgroups(void **state)
{
	struct recording *rec;
	struct profile *q;

	(void)state;
	record_file(&dir, "cgroups.coldspot", (const char *[]){ recorded_text, NULL });
	rec = open_recording(workdir__path(&dir, "cgroups.coldspot"));
	q = read_window(rec, 0);
	assert_int_equal(q->tasks[1].cgroup_id, 77);
	assert_string_equal(profile__str(q, q->tasks[1].cgroup), "/db.slice/main");
	assert_string_equal(profile__str(q, q->tasks[1].container), "shop/db-0/postgres");
	assert_int_equal(q->tasks[2].container, 0);
	assert_int_equal(q->tasks[1].gap_wait_ns, 3000000000ULL);
	assert_int_equal(q->tasks[2].gap_wait_ns, 0);
	assert_int_equal(q->tasks[2].cgroup_id, 78);
	assert_int_equal(q->tasks[2].cgroup, 0);
	profile__free(q);
	recording__close(rec);
	assert_true(workdir__run(&dir, "sqlite3 cgroups.coldspot 'SELECT * FROM cgroup_times' |"
				       " grep -q '^1|/db.slice/main|1|1|' &&"
				       " sqlite3 cgroups.coldspot 'SELECT cgroup FROM cgroup_times'"
				       " | grep -qx 'cgroup 78'"));
}

static void refuse_fault(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

/* A sum of short threads is as many threads and processes as it says, in every view. */
static void test_recording__counts_the_threads_of_sums(void **state)
{
	static const char text[] =
		"host db1\nkernel 6.18.44\narch x86_64\nncpu 8\nwindow 10s\nboot 5f1c\n"
		"begin_mono 123456789\n"
		"task 4/4 make on=1s start=7 cgroup=7 cgroup_path=/ci\n"
		"wait S sys=61 blocked=8s count=3 max=5s\n u main\n"
		"task 4/5 make on=1s start=8 cgroup=7 cgroup_path=/ci\n"
		"task 7/7 sh on=10ms start=10 flags=born,execed cgroup=7 cgroup_path=/ci\n"
		"task 7/7 cc1 on=1s start=10 flags=born,exited cgroup=7 cgroup_path=/ci\n"
		"task 8/8 cc1 on=2s start=11 flags=born,exited cgroup=7 cgroup_path=/ci\n"
		"task 8/9 cc1 on=1s start=12 flags=born,exited cgroup=7 cgroup_path=/ci\n";
	struct profile *p = lit(text), *f = NULL;
	struct recorder *rec = NULL;
	struct recording_checked sum;
	struct err err = { 0 };

	(void)state;
	if (profile_fold_ended(p, &f, &err) ||
	    recorder__create(workdir__path(&dir, "sums.coldspot"), &rec, &err))
		fail_msg("%s", err.msg);
	record(rec, f);
	assert_int_equal(recorder__finish(rec, &err), 0);
	recorder__free(rec);
	profile__free(f);
	profile__free(p);
	assert_true(workdir__run(&dir, "sqlite3 sums.coldspot 'SELECT processes, threads FROM"
				       " windows UNION ALL SELECT processes, threads FROM"
				       " cgroup_times' | uniq -c | grep -q '^ *2 3|5$'"));
	assert_true(workdir__run(&dir, "sqlite3 sums.coldspot 'SELECT tgid, process, processes,"
				       " threads FROM process_times ORDER BY 2' | tr '\\n' ' ' |"
				       " grep -qx '|cc1|2|3 4|make|1|2 |sh|0|0 '"));
	assert_true(workdir__run(&dir, "sqlite3 sums.coldspot 'SELECT tid, threads, processes"
				       " FROM thread_times ORDER BY comm, tid' | tr '\\n' ' ' |"
				       " grep -qx '|3|2 4|| 5|| |0|0 '"));
	assert_int_equal(recording_check(workdir__path(&dir, "sums.coldspot"), refuse_fault, NULL,
					 &sum, NULL),
			 0);
	assert_int_equal(sum.threads, 5);
}

/* The block of threads up to the column of paths, which is missing: what older readers see. */
static struct vec without_columns(const struct profile *p, u32 first)
{
	struct vec whole, cut;
	struct view v;

	vec__init(&whole, 1);
	vec__init(&cut, 1);
	assert_int_equal(encode_tasks(p, &whole), 0);
	v = view__of(whole.data, whole.len);
	while (view__left(&v)) {
		u64 head[4], sizes[SECTION_COLUMNS] = { 0 }, len, i, behind = 0;
		const u8 *begin = v.p, *columns;

		for (i = 0; i < ARRAY_LEN(head); i++)
			head[i] = view__uleb(&v);
		len = head[3];
		for (i = 0; i < len; i++)
			sizes[i] = view__uleb(&v);
		columns = v.p;
		for (i = 0; i < len; i++)
			view__bytes(&v, sizes[i] >> 1);
		assert_false(v.bad);
		if (head[0] != SECTION_TASKS) {
			append(&cut, begin, (size_t)(v.p - begin));
			continue;
		}
		assert_int_equal(len, TASKS_COLUMNS);
		assert_true(sizes[first] >> 1);
		for (i = 0; i < 3; i++)
			append_uleb(&cut, head[i]);
		append_uleb(&cut, first);
		for (i = 0; i < first; i++)
			append_uleb(&cut, sizes[i]);
		for (; i < len; i++)
			behind += sizes[i] >> 1;
		append(&cut, columns, (size_t)(v.p - columns) - behind);
	}
	vec__done(&whole);
	return cut;
}

/* References are counted: one that is passed over must not move those behind it. */
/* What a reader sees that does not know the column `first` and those behind it. */
static void assert_names_are_right_without(u32 first)
{
	struct profile *p = lit("window 1s\n"
				"task 1/1 a group=a on=1s cgroup=7 cgroup_path=/one container=x\n"
				"task 1/2 b group=a on=1s cgroup=8 cgroup_path=/two container=y\n"
				"task 1/3 a group=c on=1s cgroup=7 cgroup_path=/one container=x\n");
	struct window_sections in = { .has = { [BLOCK_TASKS] = true } };
	struct vec tasks = without_columns(p, first);
	struct window_head head;
	struct profile *q = NULL;
	u32 i;

	window_head__of(&head, p);
	in.at[BLOCK_TASKS] = view__of(tasks.data, tasks.len);
	assert_int_equal(decode_profile(&head, &in, &q, NULL), 0);
	assert_int_equal(q->tasks_len, 4);
	for (i = 1; i < 4; i++) {
		const struct profile_task *t = &q->tasks[i], *want = &p->tasks[i];

		assert_string_equal(profile__str(q, t->comm), profile__str(p, want->comm));
		assert_string_equal(profile__str(q, t->group_comm),
				    profile__str(p, want->group_comm));
		assert_int_equal(t->cgroup_id, want->cgroup_id);
		assert_string_equal(profile__str(q, t->cgroup),
				    first > TASKS_CGROUP_PATH ? profile__str(p, want->cgroup) : "");
		assert_int_equal(t->container, 0);
	}
	vec__done(&tasks);
	profile__free(p);
	profile__free(q);
}

static void test_decode_tasks__names_are_right_without_later_columns(void **state)
{
	(void)state;
	assert_names_are_right_without(TASKS_CGROUP_PATH);
	assert_names_are_right_without(TASKS_CONTAINER_NAME);
}

static void test_recording__window_tells_when_and_where(void **state)
{
	const struct recording_window *w;
	struct recording *rec;

	(void)state;
	record_file(&dir, "two.coldspot", (const char *[]){ recorded_text, second, NULL });
	rec = open_recording(workdir__path(&dir, "two.coldspot"));
	assert_int_equal(recording__windows_len(rec), 2);
	w = recording__window(rec, 0);
	assert_int_equal(w->id, 1);
	assert_int_equal(w->begin_wall_ns, 1790000000123456789ULL);
	assert_int_equal(w->begin_mono_ns, 123456789);
	assert_int_equal(w->window_ns, 10 * NSEC_PER_SEC);
	assert_string_equal(w->host, "db1");
	assert_string_equal(w->kernel, "6.18.44");
	assert_string_equal(w->version, "1.2.3");
	assert_string_equal(w->command, "coldspot record -p 4");
	assert_string_equal(w->target, "PID 4");
	assert_string_equal(recording__window(rec, 1)->host, "db2");
	recording__close(rec);
}

static void test_recorder__add_keeps_windows_apart(void **state)
{
	const char *const texts[] = { recorded_text, second, recorded_text, second, NULL };
	struct recording *rec;
	struct profile *p, *q;
	size_t i;

	(void)state;
	record_file(&dir, "four.coldspot", texts);
	rec = open_recording(workdir__path(&dir, "four.coldspot"));
	for (i = 4; i--;) {
		p = lit(texts[i]);
		q = read_window(rec, i);
		assert_true(recorded_equal(p, q));
		profile__free(p);
		profile__free(q);
	}
	recording__close(rec);
	assert_sound(workdir__path(&dir, "four.coldspot"), 4);
}

static void test_recorder__write_gives_the_bytes_of_a_file(void **state)
{
	struct recorder *rec = NULL;
	struct recording *in;
	struct sink out;
	struct profile *p = lit(recorded_text), *q;

	(void)state;
	assert_int_equal(recorder__create_in_memory(&rec, NULL), 0);
	record(rec, p);
	sink__init_mem(&out);
	assert_int_equal(recorder__write(rec, &out, NULL), 0);
	assert_int_equal(sink__finish(&out, NULL), 0);
	workdir__write(&dir, "memory.coldspot", out.buf, out.len);
	sink__done(&out);
	recorder__free(rec);
	in = open_recording(workdir__path(&dir, "memory.coldspot"));
	q = read_window(in, 0);
	assert_true(recorded_equal(p, q));
	recording__close(in);
	profile__free(p);
	profile__free(q);
	assert_sound(workdir__path(&dir, "memory.coldspot"), 1);
}

static u32 frame_named(const struct profile *p, const char *name)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++)
		if (!strcmp(profile__str(p, p->frames[i].name), name))
			return i;
	return 0;
}

static void test_recording__read_keeps_inlined_functions_and_lines(void **state)
{
	struct profile *p = lit(recorded_text), *q;
	struct recorder *out = NULL;
	struct recording *in;
	struct inlining inlining;
	u32 at = frame_named(p, "pthread_cond_wait");

	(void)state;
	assert_int_equal(profile__place_frame(p, at, "/src/cond.c", 77), 0);
	inlining__init(&inlining, p);
	assert_int_equal(inlining__add(&inlining, at, "again", "/src/cond.c", 12), 0);
	/* a function inlined into itself */
	assert_int_equal(inlining__add(&inlining, at, "again", "/src/cond.c", 12), 0);
	assert_int_equal(inlining__add(&inlining, at, "leaf", NULL, 0), 0);
	assert_int_equal(inlining__apply(&inlining), 0);
	inlining__done(&inlining);
	assert_int_equal(profile__check(p, NULL), 0);
	assert_int_equal(recorder__create(workdir__path(&dir, "inlined.coldspot"), &out, NULL), 0);
	record(out, p);
	assert_int_equal(recorder__finish(out, NULL), 0);
	recorder__free(out);
	in = open_recording(workdir__path(&dir, "inlined.coldspot"));
	q = read_window(in, 0);
	at = frame_named(q, "again");
	assert_int_equal(q->frames[at].flags & FRAME_INLINED, FRAME_INLINED);
	assert_int_equal(q->frames[at].line, 12);
	assert_int_equal(q->frames[frame_named(q, "pthread_cond_wait")].line, 77);
	assert_int_equal(q->stacks_len, p->stacks_len);
	assert_int_equal(q->waits_len, p->waits_len);
	recording__close(in);
	profile__free(p);
	profile__free(q);
}

static void test_recorder__add_refuses_what_does_not_add_up(void **state)
{
	struct profile *p = lit(recorded_text);
	struct recording_cause cause = recorded_cause(p);
	struct recorder *rec = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(recorder__create_in_memory(&rec, NULL), 0);
	cause.runq_ns--;
	assert_int_equal(recorder__add(rec, p, &cause, 1, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "causes"));
	cause.runq_ns++;
	p->tasks[1].on_ns++;
	assert_int_equal(recorder__add(rec, p, &cause, 1, NULL, &err), -EINVAL);
	p->tasks[1].on_ns--;
	assert_int_equal(recorder__add(rec, p, &cause, 1, NULL, &err), 0);
	recorder__free(rec);
	profile__free(p);
}

static void test_recorder__create_takes_no_file_that_exists(void **state)
{
	struct recorder *rec = NULL;
	struct err err = { 0 };

	(void)state;
	workdir__write(&dir, "there", "x", 1);
	assert_int_equal(recorder__create(workdir__path(&dir, "there"), &rec, &err), -EEXIST);
	assert_null(rec);
	assert_non_null(strstr(err.msg, "there"));
}

/* A thread with begins and ends of requests, two of them of a trace. */
static struct profile *with_marks(void)
{
	static const char *const traces[] = { "4bf92f3577b34da6a3ce929d0e0e4736", NULL,
					      "00000000000000000000000000000001" };
	const struct profile_task t = { .tid = 7, .tgid = 7, .wall_ns = 100, .on_ns = 100 };
	struct builder *b = builder__new();
	struct profile *p;
	u32 task;

	builder__header(b)->window_ns = 100;
	builder__header(b)->max_moments = 9;
	assert_int_equal(builder__task(b, &t, &task), 0);
	for (u32 i = 0; i < 6; i++) {
		struct profile_mark m = { .at_ns = 10 * i,
					  .task = task,
					  .kind = i == 4 ? MARK_BEGIN_ANEW : i & 1,
					  .connection = i < 4 ? 77 : 0 };

		assert_int_equal(builder__str(b, i & 1 ? ":80" : ":80 GET /", &m.class), 0);
		if (!(i & 1) && traces[i / 2])
			assert_int_equal(builder__str(b, traces[i / 2], &m.trace), 0);
		assert_int_equal(builder__mark(b, &m), 0);
	}
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	return p;
}

static void test_recording__keeps_marks_and_traces(void **state)
{
	const char *path = workdir__path(&dir, "marks");
	struct profile *p = with_marks(), *q;
	struct recorder *rec;
	struct recording *in;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(recorder__create(path, &rec, &err), 0);
	if (recorder__add(rec, p, NULL, 0, NULL, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(recorder__finish(rec, &err), 0);
	recorder__free(rec);
	assert_int_equal(recording__open(path, &in, &err), 0);
	if (recording__read(in, 0, &q, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(q->marks_len, p->marks_len);
	for (u32 i = 0; i < p->marks_len; i++) {
		const struct profile_mark *a = &p->marks[i], *b = &q->marks[i];

		assert_true(a->at_ns == b->at_ns && a->kind == b->kind &&
			    a->connection == b->connection);
		assert_string_equal(profile__str(p, a->class), profile__str(q, b->class));
		assert_string_equal(profile__str(p, a->trace), profile__str(q, b->trace));
	}
	profile__free(q);
	profile__free(p);
	recording__close(in);
}

static void test_recording__read_of_nothing_is_an_empty_profile(void **state)
{
	struct recording *rec;
	struct profile *p;

	(void)state;
	record_file(&dir, "empty.coldspot", (const char *[]){ "window 1s\n", NULL });
	rec = open_recording(workdir__path(&dir, "empty.coldspot"));
	p = read_window(rec, 0);
	assert_int_equal(p->tasks_len, 1);
	assert_int_equal(p->waits_len, 1);
	profile__free(p);
	recording__close(rec);
	record_file(&dir, "none.coldspot", (const char *[]){ NULL });
	rec = open_recording(workdir__path(&dir, "none.coldspot"));
	assert_int_equal(recording__windows_len(rec), 0);
	assert_null(recording__damage(rec, 0));
	recording__close(rec);
	assert_sound(workdir__path(&dir, "none.coldspot"), 0);
}

static void test_recording__open_refuses_other_files(void **state)
{
	struct recording *rec = NULL;
	struct err err = { 0 };
	char page[9000] = { 0 };

	(void)state;
	assert_int_equal(recording__open(workdir__path(&dir, "gone"), &rec, &err), -ENOENT);
	assert_int_equal(recording__open(workdir__path(&dir, ""), &rec, &err), -EINVAL);
	workdir__write(&dir, "nothing", "", 0);
	assert_int_equal(recording__open(workdir__path(&dir, "nothing"), &rec, &err), -EINVAL);
	workdir__write(&dir, "zeros", page, sizeof(page));
	assert_int_equal(recording__open(workdir__path(&dir, "zeros"), &rec, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "is not a coldspot recording"));
	assert_true(workdir__run(&dir, "sqlite3 other.db 'CREATE TABLE windows(id INTEGER)'"));
	assert_int_equal(recording__open(workdir__path(&dir, "other.db"), &rec, &err), -EINVAL);
	assert_null(rec);
}

static int set_up(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recording__read_gives_what_was_written),
		cmocka_unit_test(test_recording__keeps_what_part_of_what_it_is),
		cmocka_unit_test(test_recording__keeps_paths_of_cgroups),
		cmocka_unit_test(test_recording__keeps_marks_and_traces),
		cmocka_unit_test(test_recording__counts_the_threads_of_sums),
		cmocka_unit_test(test_decode_tasks__names_are_right_without_later_columns),
		cmocka_unit_test(test_recording__window_tells_when_and_where),
		cmocka_unit_test(test_recorder__add_keeps_windows_apart),
		cmocka_unit_test(test_recorder__write_gives_the_bytes_of_a_file),
		cmocka_unit_test(test_recording__read_keeps_inlined_functions_and_lines),
		cmocka_unit_test(test_recorder__add_refuses_what_does_not_add_up),
		cmocka_unit_test(test_recorder__create_takes_no_file_that_exists),
		cmocka_unit_test(test_recording__read_of_nothing_is_an_empty_profile),
		cmocka_unit_test(test_recording__open_refuses_other_files),
	};

	return cmocka_run_group_tests_name("recording", tests, set_up, tear_down);
}
