/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over windows: sums, rows of cgroups and their limit, and the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/meter.h"
#include "agent/metering.h"
#include "base/clock.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "lib/workdir.h"

#define HOUR_NS METER_AWAY_NS

static const char text[] =
	"host db1\nkernel 6.18\narch x86_64\nwindow 10s\nbegin_wall 1790000000000000000\n"
	"prog 3ms\nself_cpu 21ms\nloss stack_cut 3 20ms\n"
	"task 4/4 db on=3s runq=5ms start=7 cgroup=77 cgroup_path=/system.slice/db.service\n"
	"wait D sys=fsync blocked=6s runq=5ms count=3 max=4s\n u main\n k vfs_fsync_range\n"
	"wait S sys=clock_nanosleep blocked=1s count=1 max=1s\n u main\n"
	"task 9/9 web on=7s start=9 cgroup=78 cgroup_path=/system.slice/web.service/worker\n"
	"wait D sys=fsync blocked=3s count=3 max=2s\n u main\n k vfs_fsync_range\n"
	"task 10/10 sh on=1ms start=10\n";

static void take(struct meter *m, const char *literal, u64 now_ns)
{
	struct profile *p = lit(literal);
	struct err err = { 0 };

	if (meter__take(m, p, NULL, now_ns, &err))
		fail_msg("%s", err.msg);
	profile__free(p);
}

/* A window in which each of `len` cgroups from `first` on ran, the later ones longer. */
static void take_cgroups(struct meter *m, u32 first, u32 len, u64 now_ns)
{
	char all[64 << 10] = "host h\nkernel 6.18\narch x86_64\nwindow 10s\n";
	size_t at = strlen(all);

	for (u32 i = first; i < first + len; i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at,
				       "task %u/%u t on=%ums start=%u cgroup=%u cgroup_path=/c%u\n",
				       i + 1, i + 1, i + 1, i + 1, i + 1, i);
	take(m, all, now_ns);
}

static const struct meter_row *row(const struct meter *m, const char *name)
{
	for (u32 i = 0; i < m->rows_len; i++) {
		if (!strcmp(m->rows[i].name, name))
			return &m->rows[i];
	}
	return NULL;
}

static u64 on_of_rows(const struct meter *m)
{
	u64 ns = m->other.state_ns[METER_ON];

	for (u32 i = 0; i < m->rows_len; i++)
		ns += m->rows[i].state_ns[METER_ON];
	return ns;
}

static void test_meter__take_sums_up_windows(void **state)
{
	struct meter *m = mem_alloc(sizeof(*m));
	const struct meter_row *db;

	(void)state;
	take(m, text, 1);
	take(m, text, 2);
	db = row(m, "db.service");
	assert_non_null(db);
	assert_int_equal(db->state_ns[METER_ON], 6 * NSEC_PER_SEC);
	assert_int_equal(db->state_ns[METER_RUNQ], 10 * NSEC_PER_MSEC);
	assert_int_equal(db->state_ns[METER_BLOCKED], 14 * NSEC_PER_SEC);
	assert_int_equal(db->wait_ns[CAUSE_FAMILY_DISK][CLASS_WORK],
			 12 * NSEC_PER_SEC + 10 * NSEC_PER_MSEC);
	assert_non_null(row(m, "web.service"));
	assert_int_equal(row(m, METER_UNKNOWN)->state_ns[METER_ON], 2 * NSEC_PER_MSEC);
	assert_int_equal(m->cause_ns[cause_find("disk-sync")][CLASS_WORK],
			 18 * NSEC_PER_SEC + 10 * NSEC_PER_MSEC);
	assert_int_equal(on_of_rows(m), m->state_ns[METER_ON]);
	assert_int_equal(m->windows, 2);
	assert_int_equal(m->prog_ns, 6 * NSEC_PER_MSEC);
	assert_int_equal(m->losses[LOSS_STACK_CUT].events, 6);
	assert_int_equal(m->losses[LOSS_STACK_CUT].ns, 40 * NSEC_PER_MSEC);
	mem_free(m);
}

static void test_meter__take_names_no_thread_that_is_not_there(void **state)
{
	struct meter *m = mem_alloc(sizeof(*m));

	(void)state;
	take_cgroups(m, 0, 2, 1);
	assert_null(row(m, METER_UNKNOWN));
	assert_int_equal(m->rows_len, 2);
	assert_int_equal(m->other.seen_ns, 0);
	mem_free(m);
}

static void test_meter__take_limits_names(void **state)
{
	struct meter *m = mem_alloc(sizeof(*m));
	u64 before;

	(void)state;
	take_cgroups(m, 0, METER_ROWS + 10, 1);
	assert_int_equal(m->rows_len, METER_ROWS);
	/* those with little time have none */
	assert_null(row(m, "/c9"));
	assert_non_null(row(m, "/c10"));
	assert_int_equal(m->other.state_ns[METER_ON], 55 * NSEC_PER_MSEC);
	assert_int_equal(on_of_rows(m), m->state_ns[METER_ON]);
	/* a row is kept, and its counter grows */
	before = row(m, "/c10")->state_ns[METER_ON];
	take_cgroups(m, 10, 1, HOUR_NS);
	take_cgroups(m, 500, 1, HOUR_NS);
	assert_int_equal(row(m, "/c10")->state_ns[METER_ON], 2 * before);
	assert_null(row(m, "/c500"));
	assert_int_equal(on_of_rows(m), m->state_ns[METER_ON]);
	/* others were away for an hour */
	take_cgroups(m, 500, 1, HOUR_NS + 1);
	assert_non_null(row(m, "/c500"));
	assert_int_equal(row(m, "/c10")->state_ns[METER_ON], 2 * before);
	assert_int_equal(row(m, "/c500")->state_ns[METER_ON], 501 * NSEC_PER_MSEC);
	assert_int_equal(m->rows_len, METER_ROWS);
	mem_free(m);
}

static void test_meter_name_is_what_people_call_it(void **state)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	char buf[METER_NAME_SZ], path[256];

	(void)state;
	assert_string_equal(meter_name("/system.slice/nginx.service", "", buf), "nginx.service");
	assert_string_equal(meter_name("/", "", buf), "/");
	assert_string_equal(meter_name("", "", buf), METER_UNKNOWN);
	snprintf(path, sizeof(path), "/system.slice/docker-%s.scope", id);
	assert_string_equal(meter_name(path, "", buf), "0123456789ab");
	assert_string_equal(meter_name(path, "shop/web-1/nginx", buf), "shop/web-1/nginx");
}

static void test_meter__put_escapes_names(void **state)
{
	const struct meter_facts facts = { .version = "1", .since_wall_ns = 1500 * NSEC_PER_MSEC };
	struct meter *m = mem_alloc(sizeof(*m));
	struct sink out;

	(void)state;
	m->rows_len = 1;
	snprintf(m->rows[0].name, METER_NAME_SZ, "/a\"b\\c\nd\xff");
	sink__init_mem(&out);
	meter__put(m, &facts, &out);
	assert_int_equal(sink__finish(&out, NULL), 0);
	assert_non_null(
		strstr(out.buf,
		       "{cgroup=\"/a\\\"b\\\\c?d\xef\xbf\xbd\",state=\"on\"} 0.000000000\n"));
	assert_non_null(strstr(out.buf, "coldspot_agent_start_time_seconds 1.500000000\n"));
	sink__done(&out);
	mem_free(m);
}

static void test_metering_write_replaces_the_file(void **state)
{
	struct workdir dir;
	struct stat st;
	struct err err = { 0 };
	const char *path;

	(void)state;
	workdir__init(&dir);
	path = workdir__path(&dir, "x.prom");
	umask(077);
	if (metering_write(path, "a 1\n", 4, &err) || metering_write(path, "b 2\n", 4, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_size, 4);
	assert_true(workdir__run(&dir, "[ \"$(ls)\" = x.prom ]"));
	assert_int_not_equal(metering_write("/nonexistent/x.prom", "", 0, &err), 0);
	assert_non_null(strstr(err.msg, "cannot write '/nonexistent/x.prom.new': No such file"));
	workdir__done(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meter__take_sums_up_windows),
		cmocka_unit_test(test_meter__take_names_no_thread_that_is_not_there),
		cmocka_unit_test(test_meter__take_limits_names),
		cmocka_unit_test(test_meter_name_is_what_people_call_it),
		cmocka_unit_test(test_meter__put_escapes_names),
		cmocka_unit_test(test_metering_write_replaces_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
