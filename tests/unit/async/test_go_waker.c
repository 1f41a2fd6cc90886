/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that probes took: of goroutines, and of the scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "async/go/go_waker.h"

/* Functions of a stack, leaf first: function i begins at i * 16, and is called at its byte 8. */
struct stack {
	const char *names[CS_GO_FRAMES];
	struct cs_go_stack raw;
	struct host_stack out;
};

static const char *name_of(void *arg, u64 addr)
{
	const struct stack *s = arg;
	u64 i = addr / 16;

	return i < CS_GO_FRAMES ? s->names[i] : NULL;
}

static struct stack *of(struct stack *s)
{
	for (s->raw.len = 0; s->raw.len < CS_GO_FRAMES && s->names[s->raw.len]; s->raw.len++)
		s->raw.ip[s->raw.len] = s->raw.len * 16 + 8;
	return s;
}

static const char *waker(struct stack *s, const char *reason)
{
	return go_waker_of(&of(s)->raw, reason, name_of, s, &s->out);
}

static void test_waker__is_the_goroutine_that_asked(void **state)
{
	struct stack s = { .names = { "runtime.ready", "runtime.goready.func1",
				      "runtime.systemstack", "runtime.send", "runtime.chansend1",
				      "main.give", "runtime.goexit.abi0" } };

	(void)state;
	assert_null(waker(&s, "chan receive"));
	assert_int_equal(s.out.len, 4);
	assert_int_equal(s.out.frame[0].ip, 3 * 16 + 8);
	assert_false(s.out.frame[0].exact);
	assert_int_equal(s.out.end, CS_END_ROOT);
}

/* Go 1.26 puts goready() into its callers. */
static void test_waker__is_found_where_functions_were_inlined(void **state)
{
	struct stack s = { .names = { "runtime.ready", "runtime.readyWithTime.goready.func1",
				      "runtime.systemstack", "runtime.readyWithTime",
				      "runtime.semrelease1", "main.give", "runtime.goexit" } };

	(void)state;
	assert_null(waker(&s, "sync.Mutex.Lock"));
	assert_int_equal(s.out.len, 3);
	assert_int_equal(s.out.frame[0].ip, 4 * 16 + 8);
}

/* Behind the scheduler are frames of the goroutine that ran before. */
static void test_waker__is_no_goroutine_below_the_scheduler(void **state)
{
	struct stack timer = { .names = { "runtime.ready", "runtime.goready.func1",
					  "runtime.systemstack", "runtime.goroutineReady",
					  "runtime.checkTimers", "runtime.findRunnable",
					  "runtime.schedule", "runtime.park_m", "runtime.mcall",
					  "runtime.gopark", "main.innocent" } };
	struct stack newer = { .names = { "runtime.ready", "runtime.systemstack",
					  "runtime.(*timers).check", "runtime.findRunnable",
					  "runtime.schedule" } };
	struct stack net = { .names = { "runtime.injectglist", "runtime.findRunnable",
					"runtime.schedule", "runtime.park_m", "runtime.mcall",
					"main.innocent" } };

	(void)state;
	assert_string_equal(waker(&timer, "sleep"), "[timer]");
	assert_int_equal(timer.out.len, 0);
	assert_string_equal(waker(&newer, "sleep"), "[timer]");
	assert_string_equal(waker(&net, "IO wait"), "[netpoll]");
	assert_string_equal(waker(&net, "GC worker (idle)"), "[gc]");
	assert_string_equal(waker(&net, NULL), "[scheduler]");
	assert_int_equal(net.out.len, 0);
}

static void test_stack__says_how_it_ends(void **state)
{
	struct stack whole = { .names = { "runtime.gopark", "main.wait", "runtime.goexit" } };
	struct stack broken = { .names = { "runtime.gopark", "main.wait" } };
	struct stack deep = { .names = { NULL } };

	(void)state;
	go_waker_parked(&of(&whole)->raw, name_of, &whole, &whole.out);
	assert_int_equal(whole.out.end, CS_END_ROOT);
	assert_int_equal(whole.out.len, 3);
	/* the leaf is behind the call, as when a goroutine is read */
	assert_int_equal(whole.out.frame[0].ip, 8 + 5);
	go_waker_parked(&of(&broken)->raw, name_of, &broken, &broken.out);
	assert_int_equal(broken.out.end, CS_END_FP);
	for (u32 i = 0; i < CS_GO_FRAMES; i++)
		deep.names[i] = "main.deep";
	go_waker_parked(&of(&deep)->raw, name_of, &deep, &deep.out);
	assert_int_equal(deep.out.end, CS_END_DEPTH);
	assert_int_equal(deep.out.len, CS_GO_FRAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waker__is_the_goroutine_that_asked),
		cmocka_unit_test(test_waker__is_found_where_functions_were_inlined),
		cmocka_unit_test(test_waker__is_no_goroutine_below_the_scheduler),
		cmocka_unit_test(test_stack__says_how_it_ends),
	};

	return cmocka_run_group_tests_name("go_waker", tests, NULL, NULL);
}
