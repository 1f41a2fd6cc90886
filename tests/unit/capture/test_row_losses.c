/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/object.h"
#include "capture/row_losses.h"

static const struct cs_wait_sum sum = { .count = 3, .blocked_ns = 500, .runq_ns = 70 };

/* The losses of one row of these flags. */
static struct row_losses of_row(u32 flags, u64 kstack, bool kernel_stacks, bool bare)
{
	struct cs_wait_key key = { .kstack = kstack, .ustack = 5, .flags = (u16)flags };
	struct row_losses l = { 0 };

	row_losses__wait(&l, &key, &sum, kernel_stacks, bare);
	return l;
}

static void assert_loss(const struct profile_loss *loss, bool lost)
{
	assert_int_equal(loss->events, lost ? sum.count : 0);
	assert_int_equal(loss->ns, lost ? sum.blocked_ns + sum.runq_ns : 0);
}

static void assert_lost(const struct row_losses *l, bool full, bool unread, bool owner)
{
	assert_loss(&l->stacks_full, full);
	assert_loss(&l->stack_unread, unread);
	assert_loss(&l->owner_unknown, owner);
	assert_loss(&l->objects_full, false);
	assert_int_equal(l->samples_bare, 0);
}

static void test_row_losses_of_a_complete_wait_are_zero(void **state)
{
	struct row_losses l = of_row(0, 7, true, false);

	(void)state;
	assert_lost(&l, false, false, false);
}

/* A lost stack is one loss, for whatever reason, and however many of the two are lost. */
static void test_row_losses_count_a_wait_without_a_stack_once(void **state)
{
	struct row_losses l = of_row(CS_WAIT_STACK_LOST, 0, true, false);

	(void)state;
	assert_lost(&l, true, false, false);
	l = of_row(CS_WAIT_STACK_LOST, 7, true, true);
	assert_lost(&l, true, false, false);
	l = of_row(0, 7, true, true);
	assert_lost(&l, true, false, false);
	l = of_row(0, 0, true, false);
	assert_lost(&l, false, true, false);
	l = of_row(CS_WAIT_NO_RESUME, 0, true, false);
	assert_lost(&l, false, true, false);
}

static void test_row_losses_of_unrequested_stacks_are_zero(void **state)
{
	struct row_losses l = of_row(0, 0, false, false);

	(void)state;
	assert_lost(&l, false, false, false);
	/* a new thread comes from nowhere */
	l = of_row(CS_WAIT_NEW, 0, true, false);
	assert_lost(&l, false, false, false);
	/* its user stack is lost all the same */
	l = of_row(CS_WAIT_NO_RESUME, 0, false, false);
	assert_lost(&l, false, true, false);
}

/* A stack and an owner are two things. */
static void test_row_losses_count_each_thing_that_is_missing(void **state)
{
	struct row_losses l = of_row(CS_WAIT_STACK_LOST | CS_WAIT_OWNER_UNKNOWN, 0, true, false);

	(void)state;
	assert_lost(&l, true, false, true);
	row_losses__object(&l, &sum);
	assert_loss(&l.objects_full, true);
}

/* One of several holders is an owner all the same. */
static void test_row_losses_of_owners_of_file_locks(void **state)
{
	struct cs_wait_key key = { .kstack = 7, .owner = 5 | CS_OWNER_FILE_LOCK };
	struct row_losses l = { 0 };

	(void)state;
	row_losses__wait(&l, &key, &sum, true, false);
	assert_lost(&l, false, false, false);
	assert_loss(&l.owner_several, false);
	key.owner |= CS_OWNER_SEVERAL;
	row_losses__wait(&l, &key, &sum, true, false);
	assert_lost(&l, false, false, false);
	assert_loss(&l.owner_several, true);
	key.owner = CS_OWNER_FILE_LOCK;
	l = (struct row_losses){ 0 };
	row_losses__wait(&l, &key, &sum, true, false);
	assert_lost(&l, false, false, true);
	assert_loss(&l.owner_several, false);
}

static void test_row_losses__samples_are_no_waits(void **state)
{
	struct cs_wait_key key = { .flags = CS_WAIT_ON_CPU };
	struct row_losses l = { 0 };

	(void)state;
	row_losses__samples(&l, &key, 10, false);
	assert_int_equal(l.samples_bare, 0);
	row_losses__samples(&l, &key, 20, true);
	key.flags |= CS_WAIT_STACK_LOST;
	row_losses__samples(&l, &key, 3, false);
	row_losses__samples(&l, &key, 4, true);
	assert_int_equal(l.samples_bare, 27);
	l.samples_bare = 0;
	assert_lost(&l, false, false, false);
}

static void test_row_losses__give_gives_all(void **state)
{
	const struct row_losses l = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 }, { 9, 10 }, 11 };
	struct builder *b = builder__new();
	struct profile *p = NULL;
	u64 given = 0;

	(void)state;
	assert_non_null(b);
	row_losses__give(&l, b);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	assert_int_equal(p->losses[LOSS_STACKS_FULL].ns, 2);
	assert_int_equal(p->losses[LOSS_STACK_UNREAD].events, 3);
	assert_int_equal(p->losses[LOSS_OBJECTS_FULL].events, 5);
	assert_int_equal(p->losses[LOSS_OWNER_UNKNOWN].ns, 8);
	assert_int_equal(p->losses[LOSS_OWNER_SEVERAL].ns, 10);
	for (u32 i = 0; i < LOSS_CNT; i++)
		given += p->losses[i].events + p->losses[i].ns;
	assert_int_equal(given, 66);
	profile__free(p);
	builder__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_losses_of_a_complete_wait_are_zero),
		cmocka_unit_test(test_row_losses_count_a_wait_without_a_stack_once),
		cmocka_unit_test(test_row_losses_of_unrequested_stacks_are_zero),
		cmocka_unit_test(test_row_losses_count_each_thing_that_is_missing),
		cmocka_unit_test(test_row_losses_of_owners_of_file_locks),
		cmocka_unit_test(test_row_losses__samples_are_no_waits),
		cmocka_unit_test(test_row_losses__give_gives_all),
	};

	return cmocka_run_group_tests_name("row_losses", tests, NULL, NULL);
}
