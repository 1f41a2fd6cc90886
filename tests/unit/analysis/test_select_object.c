/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/select/select.h"
#include "analysis/model/top.h"
#include "lib/lit.h"
#include "profile/windows/merge.h"

static const char text[] =
	"arch x86_64\n"
	"task 1/10 owner group=app on=1s\n"
	"  wait D sys=fsync blocked=9s\n"
	"task 1/11 web group=app\n"
	"  wait S sys=futex blocked=3s owner=10\n"
	"    object futex futex=lock tgid=1 name=cache file=/srv/app\n"
	"  wait S sys=futex blocked=1s owner=99\n"
	"    object futex futex=lock tgid=1 addr=0x1000\n"
	"  wait S sys=recvfrom blocked=2s\n"
	"    object socket role=client family=2 protocol=6 port=5432 name=10.0.0.5\n";

static const char named[] = "arch x86_64\n"
			    "task 1/10 app group=app\n"
			    "  wait D sys=pread64 blocked=5s flags=iowait\n"
			    "    object file name=/srv/db file=vda1\n"
			    "  wait D sys=pread64 blocked=7s flags=iowait\n"
			    "    object file name=/srv/log\n"
			    "  wait S sys=wait4 blocked=20s\n"
			    "    object child family=1 number=411 name=cc1 tgid=1\n"
			    "  wait S sys=wait4 blocked=30s\n"
			    "    object child family=1 name=sh\n"
			    "  wait S sys=waitid blocked=40s\n"
			    "    object child family=1 tgid=1\n"
			    "  wait S sys=wait4 blocked=50s\n"
			    "    object child family=0 tgid=1\n"
			    "  wait S sys=waitid blocked=60s\n"
			    "    object child family=1 number=412 tgid=1\n";

static u64 selected_s(const char *of, struct select_options opt)
{
	struct profile *p = lit(of), *part = NULL;
	struct profile_budget b;
	struct err err;

	if (select_profile(p, &opt, &part, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(profile__check(part, &err), 0);
	assert_int_equal(profile__budget(part, &b), 0);
	profile__free(part);
	profile__free(p);
	return b.listed_blocked_ns / 1000000000;
}

static u64 by_object(const char *pattern)
{
	return selected_s(text, (struct select_options){ .objects = { &pattern, 1 } });
}

static u64 by_name(const char *pattern)
{
	return selected_s(named, (struct select_options){ .objects = { &pattern, 1 } });
}

static u64 by_owner(const char *pattern)
{
	return selected_s(text, (struct select_options){ .owners = { &pattern, 1 } });
}

static void test_select__by_object(void **state)
{
	(void)state;
	assert_int_equal(by_object("lock cache (app)"), 3);
	assert_int_equal(by_object("lock *"), 4);
	assert_int_equal(by_object("tcp *:5432"), 2);
	assert_int_equal(by_object("*"), 6);
}

/* With its device, as it is shown, or by what it is called. */
static void test_select__by_file(void **state)
{
	(void)state;
	assert_int_equal(by_name("file /srv/db on vda1"), 5);
	assert_int_equal(by_name("file /srv/db"), 5);
	assert_int_equal(by_name("* on vda1"), 5);
	assert_int_equal(by_name("* on *"), 5);
	assert_int_equal(by_name("file /srv/log"), 7);
}

static void test_select__by_child(void **state)
{
	(void)state;
	assert_int_equal(by_name("child 411 cc1"), 20);
	assert_int_equal(by_name("children sh"), 30);
	assert_int_equal(by_name("a child of 1"), 40);
	assert_int_equal(by_name("any child of 1"), 50);
	assert_int_equal(by_name("child 412"), 60);
}

static void test_select__by_owner(void **state)
{
	(void)state;
	assert_int_equal(by_owner("10"), 3);
	assert_int_equal(by_owner("own*"), 3);
	assert_int_equal(by_owner("owner/10"), 3);
	assert_int_equal(by_owner("99"), 1);
}

/* Its thread may be left out: the number stays. */
static void test_select__keeps_the_number_of_an_owner(void **state)
{
	const char *comm = "web";
	const struct select_options opt = { .comms = { &comm, 1 } };
	struct profile *p = lit(text), *part = NULL;

	(void)state;
	assert_int_equal(select_profile(p, &opt, &part, NULL), 0);
	assert_int_equal(part->waits[1].owner, 0);
	assert_int_equal(part->waits[1].owner_tid, 10);
	profile__free(part);
	profile__free(p);
}

static void test_merge__makes_equal_objects_one(void **state)
{
	struct profile *a = lit(text), *b = lit(text), *sum = NULL;
	const struct profile *parts[] = { a, b };
	struct err err;
	u32 i;

	(void)state;
	if (profile_merge(parts, 2, &sum, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(sum->objects_len, a->objects_len);
	for (i = 1; i < sum->waits_len; i++) {
		if (sum->waits[i].owner)
			assert_int_equal(sum->tasks[sum->waits[i].owner].tid,
					 sum->waits[i].owner_tid);
	}
	profile__free(sum);
	profile__free(a);
	profile__free(b);
}

static void test_top__says_what_the_owner_did(void **state)
{
	struct profile *p = lit(text);
	struct arena a;
	struct top top;

	(void)state;
	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_PLACE, NULL, &a, &top, NULL), 0);
	assert_string_equal(top.rows[1].object, "lock cache (app)");
	assert_int_equal(top_row__ns(&top.rows[1]), 3000000000);
	assert_string_equal(top.rows[1].owner, "owner/10");
	assert_int_equal(top.rows[1].owner_time.on_ns, 1000000000);
	assert_int_equal(top.rows[1].owner_time.cause_ns, 9000000000);
	assert_int_equal(top.rows[1].owner_time.cause, CAUSE_DISK_SYNC);
	assert_null(top.rows[0].object);
	arena__done(&a);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_select__by_object),
		cmocka_unit_test(test_select__by_file),
		cmocka_unit_test(test_select__by_child),
		cmocka_unit_test(test_select__by_owner),
		cmocka_unit_test(test_select__keeps_the_number_of_an_owner),
		cmocka_unit_test(test_merge__makes_equal_objects_one),
		cmocka_unit_test(test_top__says_what_the_owner_did),
	};

	return cmocka_run_group_tests_name("select_object", tests, NULL, NULL);
}
