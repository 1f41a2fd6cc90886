/* SPDX-License-Identifier: Apache-2.0 */
/* What rules of [[watch]] see in a window, when they change, and the commands that they run. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/alert.h"
#include "agent/settings.h"
#include "agent/watch.h"
#include "agent/watching.h"
#include "base/clock.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "lib/workdir.h"

/* db waits 6 s of its 20 thread-seconds for a disk, and 1 s for a sleep; web 3 s for a disk. */
static const char text[] =
	"host db1\nkernel 6.18\narch x86_64\nwindow 10s\nbegin_wall 1790000000000000000\n"
	"task 4/4 db on=3s start=7 cgroup=77 cgroup_path=/system.slice/db.service\n"
	"wait D sys=fsync blocked=6s count=3 max=4s\n u main\n k vfs_fsync_range\n"
	"wait S sys=clock_nanosleep blocked=1s count=1 max=1s\n u main\n"
	"task 4/5 db on=10s start=8 cgroup=77 cgroup_path=/system.slice/db.service\n"
	"task 9/9 web on=7s start=9 cgroup=78 cgroup_path=/system.slice/web.service\n"
	"wait D sys=fsync blocked=3s count=3 max=2s\n u main\n k vfs_fsync_range\n";

static u64 value_of(const struct watch_rule *rule)
{
	struct profile *p = lit(text);
	struct causes causes;
	u64 value;

	assert_int_equal(causes__init(&causes, p, NULL, NULL), 0);
	value = watch_rule__value(rule, p, &causes);
	causes__done(&causes);
	profile__free(p);
	return value;
}

static void test_watch_rule__value_is_of_what_matches(void **state)
{
	struct watch_rule share = { .name = "x", .cause = "disk-sync", .share_ppm = 1 };
	struct watch_rule rate = { .name = "x", .cause = "disk-sync", .rate_ns = 1 };
	struct watch_rule longest = { .name = "x", .longest_ns = 1 };

	(void)state;
	assert_int_equal(value_of(&rate), 900 * NSEC_PER_MSEC);
	snprintf(rate.process, sizeof(rate.process), "d*");
	assert_int_equal(value_of(&rate), 600 * NSEC_PER_MSEC);
	/* of the time of both of its threads */
	snprintf(share.process, sizeof(share.process), "db");
	assert_int_equal(value_of(&share), 300000);
	rate.cause[0] = '\0';
	assert_int_equal(value_of(&rate), 700 * NSEC_PER_MSEC);
	assert_int_equal(value_of(&longest), 4 * NSEC_PER_SEC);
	snprintf(longest.cgroup, sizeof(longest.cgroup), "web.service");
	assert_int_equal(value_of(&longest), 2 * NSEC_PER_SEC);
	snprintf(longest.cgroup, sizeof(longest.cgroup), "/system.slice/*");
	assert_int_equal(value_of(&longest), 4 * NSEC_PER_SEC);
	snprintf(longest.cgroup, sizeof(longest.cgroup), "/user.slice/*");
	assert_int_equal(value_of(&longest), 0);
}

static void test_watch_state__takes_windows_in_a_row(void **state)
{
	struct watch_state st = { 0 };

	(void)state;
	assert_int_equal(watch_state__take(&st, true, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, false, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, true, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, true, 2), WATCH_BEGAN);
	assert_int_equal(watch_state__take(&st, true, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, false, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, true, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, false, 2), WATCH_SAME);
	assert_int_equal(watch_state__take(&st, false, 2), WATCH_ENDED);
	assert_int_equal(watch_state__take(&st, true, 1), WATCH_BEGAN);
}

static void test_alert_split_has_no_shell(void **state)
{
	char buf[64] = " a  'b c'\t$HOME;d ", *words[ALERT_WORDS + 1];
	char open_quote[] = "a 'b", empty[] = " ";

	(void)state;
	assert_int_equal(alert_split(buf, words, NULL), 0);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "b c");
	assert_string_equal(words[2], "$HOME;d");
	assert_null(words[3]);
	assert_int_equal(alert_split(open_quote, words, NULL), -EINVAL);
	assert_int_equal(alert_split(empty, words, NULL), -EINVAL);
}

static void await_end(struct alerts *a, char *buf, size_t sz)
{
	buf[0] = '\0';
	for (u32 i = 0; a->running[0].pid; i++) {
		assert_true(i < 6000);
		alerts__poll(a, clock_mono_ns(), buf, sz);
		usleep(10000);
	}
}

static void write_script(const char *path, const char *what)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(what, f);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

static void assert_file(const char *path, const char *want)
{
	char buf[2048] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, buf, sizeof(buf) - 1) >= 0);
	close(fd);
	if (!strstr(buf, want))
		fail_msg("'%s' is not in '%s'", want, buf);
}

static void test_alerts__start_passes_facts_and_does_not_wait(void **state)
{
	struct watch_rule rule = { .name = "slow \"commits\"",
				   .cause = "disk-sync",
				   .rate_ns = 1000,
				   .limit_ns = 60 * NSEC_PER_SEC };
	struct alert_facts facts = { .rule = &rule,
				     .begins = true,
				     .value = 600000000,
				     .begin = "2026-11-25T10:00:00.000Z",
				     .host = "db1",
				     .store = "/srv",
				     .sentence = "it began" };
	struct alerts a = { 0 };
	struct err err = { 0 };
	struct workdir dir;
	char script[512], out[512], said[256], what[2048];

	(void)state;
	workdir__init(&dir);
	snprintf(script, sizeof(script), "%s", workdir__path(&dir, "run"));
	snprintf(out, sizeof(out), "%s", workdir__path(&dir, "out"));
	snprintf(what, sizeof(what),
		 "#!/bin/sh\n{ cat; echo \"$COLDSPOT_STATE $COLDSPOT_VALUE $1\"; } >%s.new\n"
		 "mv %s.new %s\nexit 3\n",
		 out, out, out);
	write_script(script, what);
	snprintf(rule.run, sizeof(rule.run), "%s '$x y'", script);
	if (alerts__start(&a, &facts, &err))
		fail_msg("%s", err.msg);
	await_end(&a, said, sizeof(said));
	assert_string_equal(said, "the command of watch 'slow \"commits\"' exited with status 3");
	assert_file(out, "\"watch\":\"slow \\\"commits\\\"\",\"state\":\"begin\"");
	assert_file(out, "\"value\":600000000,\"limit\":1000,");
	assert_file(out, "begin 600000000 $x y");
	snprintf(rule.run, sizeof(rule.run), "/nowhere/to-be-found");
	assert_int_equal(alerts__start(&a, &facts, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "cannot run '/nowhere/to-be-found'"));
	workdir__done(&dir);
}

static void test_alerts__poll_kills_what_takes_too_long(void **state)
{
	struct watch_rule rule = {
		.name = "x", .rate_ns = 1, .run = "sleep 1000", .limit_ns = NSEC_PER_MSEC
	};
	struct alert_facts facts = {
		.rule = &rule, .begin = "", .host = "", .store = "", .sentence = ""
	};
	struct alerts a = { 0 };
	char said[256];
	pid_t pid;

	(void)state;
	assert_int_equal(alerts__start(&a, &facts, NULL), 0);
	await_end(&a, said, sizeof(said));
	assert_non_null(strstr(said, "was killed after 1.00 ms"));
	/* no more than so many at once; the rest is killed at the end */
	rule.limit_ns = 3600 * NSEC_PER_SEC;
	for (u32 i = 0; i < ALERTS_MAX; i++)
		assert_int_equal(alerts__start(&a, &facts, NULL), 0);
	assert_int_equal(alerts__start(&a, &facts, NULL), -EAGAIN);
	pid = a.running[3].pid;
	alerts__done(&a);
	assert_int_equal(kill(pid, 0), -1);
}

static void collect(void *arg, enum agent_level level, const char *sentence)
{
	char *all = arg;
	size_t len = strlen(all);

	snprintf(all + len, 2048 - len, "<%d>%s\n", level, sentence);
}

static void test_watching__take_says_once_when_it_begins_and_ends(void **state)
{
	static const char quiet[] = "host db1\nwindow 10s\ntask 4/4 db on=10s start=7\n";
	char said[2048] = "";
	struct watching w = { .say = collect, .say_arg = said };
	struct agent_settings *s = mem_alloc(sizeof(*s)), *other = mem_alloc(sizeof(*s));
	struct profile *p = lit(text), *none = lit(quiet);
	struct err err = { 0 };

	(void)state;
	agent_settings__init(s);
	if (agent_settings__parse(s,
				  view__of_str("[[watch]]\nname = \"commits\"\nprocess = \"db\"\n"
					       "cause = \"disk-sync\"\nshare = \"20%\"\n"),
				  &err))
		fail_msg("%s", err.msg);
	for (u32 i = 0; i < 3; i++)
		watching__take(&w, s, NULL, p);
	for (u32 i = 0; i < 3; i++)
		watching__take(&w, s, NULL, none);
	assert_string_equal(said, "<4>watch 'commits' began: share 30 %, limit 20 %\n"
				  "<6>watch 'commits' ended: share 0 %, limit 20 %\n");
	/* a rule that changed begins again, another one does not */
	watching__take(&w, s, NULL, p);
	*other = *s;
	watching__keep(&w, s, other);
	assert_true(w.states[0].on);
	other->watches[0].share_ppm = 250000;
	watching__keep(&w, s, other);
	assert_false(w.states[0].on);
	watching__done(&w);
	profile__free(p);
	profile__free(none);
	mem_free(s);
	mem_free(other);
}

static void test_agent_settings__parse_takes_watches(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "[[watch]]\nrate = \"1s\"", "a [[watch]] needs a name" },
		{ "[[watch]]\nname = \"a\"", "watch 'a' needs one limit" },
		{ "[[watch]]\nname = \"a\"\nrate = \"1s\"\nlongest = \"1s\"", "needs one limit" },
		{ "[[watch]]\nname = \"a\"\nrate = \"1s\"\ncause = \"nope\"",
		  "there is no cause 'nope'" },
		{ "[[watch]]\nname = \"a\"\nnmae = \"b\"", "did you mean 'name'?" },
		{ "[[watch]]\nname = \"a\"\nrate = \"1s\"\n[[watch]]\nname = \"a\"\n"
		  "rate = \"1s\"",
		  "there are two watches 'a'" },
		{ "[watch]\nname = \"a\"", "unknown table [watch]; there is [[watch]]" },
		{ "[[watch]]\nname = \"a\"\nrate = \"1s\"\nwindows = 0", "windows: 0" },
	};
	struct agent_settings *s = mem_alloc(sizeof(*s)), *back = mem_alloc(sizeof(*s));
	struct err err = { 0 };
	struct sink out;

	(void)state;
	agent_settings__init(s);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		err = (struct err){ 0 };
		assert_int_equal(agent_settings__parse(s, view__of_str(bad[i].text), &err),
				 -EINVAL);
		if (!strstr(err.msg, bad[i].says))
			fail_msg("'%s': %s", bad[i].text, err.msg);
	}
	assert_int_equal(s->watches_len, 0);
	err = (struct err){ 0 };
	if (agent_settings__parse(s,
				  view__of_str("window = \"5s\"\n[[watch]]\nname = \"a b\"\n"
					       "longest = \"3s\"\nwindows = 4\nlimit = \"1m\"\n"
					       "run = \"x 'y z'\"\n[[watch]]\nname = \"c\"\n"
					       "share = \"5%\"\n"),
				  &err))
		fail_msg("%s", err.msg);
	assert_int_equal(s->watches_len, 2);
	assert_int_equal(s->watches[0].windows, 4);
	assert_int_equal(s->watches[1].limit_ns, 10 * NSEC_PER_SEC);
	/* what it writes is what it reads */
	sink__init_mem(&out);
	agent_settings__put(s, &out);
	assert_int_equal(sink__finish(&out, NULL), 0);
	agent_settings__init(back);
	if (agent_settings__parse(back, view__of(out.buf, out.len), &err))
		fail_msg("%s", err.msg);
	assert_memory_equal(s->watches, back->watches, sizeof(s->watches));
	sink__done(&out);
	mem_free(s);
	mem_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch_rule__value_is_of_what_matches),
		cmocka_unit_test(test_watch_state__takes_windows_in_a_row),
		cmocka_unit_test(test_alert_split_has_no_shell),
		cmocka_unit_test(test_alerts__start_passes_facts_and_does_not_wait),
		cmocka_unit_test(test_alerts__poll_kills_what_takes_too_long),
		cmocka_unit_test(test_watching__take_says_once_when_it_begins_and_ends),
		cmocka_unit_test(test_agent_settings__parse_takes_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
