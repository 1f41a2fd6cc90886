/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/tree.h"
#include "lib/lit.h"

struct built {
	struct profile *p;
	struct arena a;
	struct tree t;
};

static struct built build(const char *text, struct tree_options opt)
{
	struct built b = { .p = lit(text) };

	arena__init(&b.a);
	assert_int_equal(tree__build(b.p, &opt, &b.a, &b.t, NULL), 0);
	return b;
}

static void done(struct built *b)
{
	arena__done(&b->a);
	profile__free(b->p);
}

/* The node with this path of names, separated by '/'; 0 for none. */
static u32 find(const struct tree *t, const char *path)
{
	u32 at = 0, i;

	while (*path) {
		size_t len = strcspn(path, "/");

		for (i = at + 1; i < t->nodes[at].end; i = t->nodes[i].end) {
			if (strlen(t->nodes[i].name) == len &&
			    memcmp(t->nodes[i].name, path, len) == 0)
				break;
		}
		if (i >= t->nodes[at].end)
			return 0;
		at = i;
		path += len + (path[len] != '\0');
	}
	return at;
}

static u64 total(const struct tree *t, const char *path)
{
	u32 at = find(t, path);

	if (!at)
		fail_msg("no node %s", path);
	return t->nodes[at].total_ns;
}

/* What holds for every tree. */
static void check_tree(const struct profile *p, const struct tree *t)
{
	struct profile_budget b;
	u32 i;

	assert_int_equal(profile__budget(p, &b), 0);
	assert_int_equal(t->nodes[0].total_ns, b.listed_blocked_ns + b.listed_runq_ns);
	assert_int_equal(t->nodes[0].end, t->len);
	for (i = 0; i < t->len; i++) {
		const struct tree_node *n = &t->nodes[i], *before = NULL;
		u64 sum = n->self_ns;
		u32 c;

		assert_true(n->end > i && n->end <= t->len);
		for (c = i + 1; c < n->end; c = t->nodes[c].end) {
			assert_int_equal(t->nodes[c].parent, i);
			assert_int_equal(t->nodes[c].depth, n->depth + 1);
			if (before)
				assert_true(strcmp(before->name, t->nodes[c].name) <= 0);
			before = &t->nodes[c];
			sum += t->nodes[c].total_ns;
		}
		assert_int_equal(sum, n->total_ns);
	}
}

static const char text[] = "task 1/1 main group=app\n"
			   "wait S blocked=10ns count=2\n u main\n u b\n k sys\n k schedule\n"
			   "wait S sys=1 blocked=20ns\n u main\n u b\n k sys\n k schedule\n"
			   "wait S blocked=1ns\n u main\n u a\n k sys\n"
			   "wait S blocked=2ns\n u main\n"
			   "task 1/2 main group=app\n"
			   "wait D blocked=100ns runq=50ns\n u main\n u b\n k sys\n";

static void test_tree__merges_equal_names(void **state)
{
	struct built b = build(text, (struct tree_options){ 0 });

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(total(&b.t, "main"), 183);
	assert_int_equal(total(&b.t, "main/main"), 183);
	assert_int_equal(total(&b.t, "main/main/b/sys"), 180);
	assert_int_equal(total(&b.t, "main/main/b/sys/schedule"), 30);
	assert_int_equal(total(&b.t, "main/main/a/sys"), 1);
	assert_int_equal(b.t.nodes[find(&b.t, "main/main/b")].count, 4);
	/* the fourth wait has no kernel stack, though one was wanted */
	assert_int_equal(total(&b.t, "main/main/[Missed Kernel Stack]"), 2);
	done(&b);
}

static void test_tree__groups_by_thread(void **state)
{
	struct built b = build(text, (struct tree_options){ .root = GROUP_BY_THREAD });
	u32 i;

	(void)state;
	check_tree(b.p, &b.t);
	i = 1;
	assert_string_equal(b.t.nodes[i].name, "main-1/1");
	assert_int_equal(b.t.nodes[i].total_ns, 33);
	i = b.t.nodes[i].end;
	assert_string_equal(b.t.nodes[i].name, "main-1/2");
	assert_int_equal(b.t.nodes[i].total_ns, 150);
	done(&b);
}

static void test_tree__groups_by_process(void **state)
{
	struct built b = build(text, (struct tree_options){ .root = GROUP_BY_PROCESS });

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(total(&b.t, "app-1"), 183);
	assert_int_equal(b.t.nodes[1].end, b.t.len);
	done(&b);
}

static void test_tree__separates_user_and_kernel_frames_with_the_same_name(void **state)
{
	struct built b = build("task 1/1 a\n"
			       "wait S blocked=1ns\n u x\n u same\n k x\n"
			       "wait S blocked=2ns\n u x\n k same\n",
			       (struct tree_options){ 0 });
	u32 first = find(&b.t, "a/x/same"), second = b.t.nodes[first].end;

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(b.t.nodes[first].kind, TREE_USER);
	assert_string_equal(b.t.nodes[second].name, "same");
	assert_int_equal(b.t.nodes[second].kind, TREE_KERNEL);
	assert_int_not_equal(b.t.nodes[first].path_hash, b.t.nodes[second].path_hash);
	done(&b);
}

static void test_tree__shows_one_side_only(void **state)
{
	struct built user = build(text, (struct tree_options){ .sides = SIDE_USER });
	struct built kernel = build(text, (struct tree_options){ .sides = SIDE_KERNEL });

	(void)state;
	check_tree(user.p, &user.t);
	check_tree(kernel.p, &kernel.t);
	assert_int_equal(user.t.nodes[find(&user.t, "main/main/b")].self_ns, 180);
	assert_int_equal(find(&user.t, "main/main/b/sys"), 0);
	assert_int_equal(total(&kernel.t, "main/sys"), 181);
	assert_int_equal(total(&kernel.t, "main/[Missed Kernel Stack]"), 2);
	done(&user);
	done(&kernel);
}

static void test_tree__puts_a_delimiter_between_two_sides(void **state)
{
	struct built b = build("task 1/1 a\n"
			       "wait S blocked=1ns\n u main\n k sys\n"
			       "wait X blocked=2ns\n k sys\n",
			       (struct tree_options){ .delimiter = true });

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(total(&b.t, "a/main/-/sys"), 1);
	assert_int_equal(total(&b.t, "a/sys"), 2);
	done(&b);
}

static void test_tree__marks_unknown_frames(void **state)
{
	struct built b = build("task 1/1 a S=13ns\n"
			       "wait S blocked=1ns\n k sys\n"
			       "wait S sys=1 blocked=2ns\n u deep\n k halves\n kcut\n"
			       "wait S blocked=3ns\n utrunc no_cfi\n u leaf\n k sys\n",
			       (struct tree_options){ 0 });

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(total(&b.t, "a/[lost]"), 7);
	assert_int_equal(total(&b.t, "a/[Missed User Stack]/sys"), 1);
	assert_int_equal(total(&b.t, "a/deep/[cut off]/halves"), 2);
	assert_int_equal(total(&b.t, "a/[truncated: no CFI]/leaf/sys"), 3);
	assert_int_equal(b.t.nodes[find(&b.t, "a/[truncated: no CFI]")].kind, TREE_TRUNCATED);
	done(&b);
}

static void test_tree__keeps_interpreted_frames_apart(void **state)
{
	struct built b = build("module code code [python] tgid=1\nmodule app elf /bin/app\n"
			       "task 1/1 a\nwait S blocked=1ns\n u @code 1 f\n u @code 2 f\n"
			       "wait S blocked=2ns\n u @app 1 f\n",
			       (struct tree_options){ .sides = SIDE_USER });
	u32 first = find(&b.t, "a/f"), second = b.t.nodes[first].end;

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(b.t.nodes[first].kind, TREE_USER);
	assert_int_equal(b.t.nodes[first].total_ns, 2);
	assert_int_equal(b.t.nodes[second].kind, TREE_CODE);
	assert_int_equal(b.t.nodes[second + 1].kind, TREE_CODE);
	done(&b);
}

static void test_tree__path_hash_does_not_depend_on_the_data(void **state)
{
	struct built one = build(text, (struct tree_options){ 0 });
	struct built two = build("task 5/5 zzz\nwait S blocked=9ns\n u q\n k sys\n"
				 "task 7/7 main\nwait S blocked=5ns\n u main\n u b\n k sys\n",
				 (struct tree_options){ 0 });

	(void)state;
	assert_int_equal(one.t.nodes[find(&one.t, "main/main/b/sys")].path_hash,
			 two.t.nodes[find(&two.t, "main/main/b/sys")].path_hash);
	assert_int_not_equal(one.t.nodes[find(&one.t, "main/main/b/sys")].path_hash,
			     one.t.nodes[find(&one.t, "main/main/a/sys")].path_hash);
	done(&one);
	done(&two);
}

/* Links that people keep must go on working: this value may never change. */
static void test_tree__path_hash_is_what_it_was(void **state)
{
	struct built b = build("task 1/1 app\nwait S blocked=1ns\n u main\n k sys\n",
			       (struct tree_options){ 0 });

	(void)state;
	assert_true(b.t.nodes[find(&b.t, "app/main")].path_hash == 0x3f91c3cc85946cf6ULL);
	assert_true(b.t.nodes[find(&b.t, "app/main/sys")].path_hash == 0x65c12ad4ccd8cf33ULL);
	done(&b);
}

static void test_tree__of_nothing_is_one_node(void **state)
{
	struct built b = build("", (struct tree_options){ 0 });

	(void)state;
	assert_int_equal(b.t.len, 1);
	assert_int_equal(b.t.depth, 0);
	assert_int_equal(b.t.nodes[0].total_ns, 0);
	done(&b);
}

static void test_tree__takes_a_very_deep_stack(void **state)
{
	struct built b = build("task 1/1 a\nwait S blocked=1ns\n u *30000 f%\n k sys\n",
			       (struct tree_options){ 0 });

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(b.t.depth, 30002);
	done(&b);
}

static const char sampled_text[] =
	"period 1ms\n"
	"task 1/1 a S=9ms runq=200us\n"
	"wait S blocked=5ms count=50 samples=5 var=4000000\n u main\n u x\n"
	"wait S blocked=3ms count=30 samples=3 var=2000000\n u main\n u y\n"
	"wait S blocked=2ms\n u main\n u y\n"
	"task 1/2 b S=700us\n"
	"task 1/3 a S=2ms\n"
	"wait S blocked=1ms count=9 samples=1 var=900000\n u main\n u x\n";

static void test_tree__adds_up_samples_and_variances(void **state)
{
	struct built b = build(sampled_text, (struct tree_options){ 0 });
	const struct tree_node *main_node = &b.t.nodes[find(&b.t, "a/main")];
	const struct tree_node *y = &b.t.nodes[find(&b.t, "a/main/y")];

	(void)state;
	check_tree(b.p, &b.t);
	assert_int_equal(main_node->samples, 10);
	assert_int_equal(main_node->var_us2, 6900000);
	assert_int_equal(main_node->exact_ns, main_node->total_ns);
	assert_int_equal(y->samples, 4);
	assert_int_equal(y->var_us2, 2000000);
	done(&b);
}

/* The totals of threads are known, whatever was chosen of their waits. */
static void test_tree__of_samples_knows_groups_exactly(void **state)
{
	struct built b = build(sampled_text, (struct tree_options){ 0 });
	const struct tree_node *a = &b.t.nodes[find(&b.t, "a")];
	const struct tree_node *other = &b.t.nodes[find(&b.t, "b")];

	(void)state;
	assert_int_equal(a->total_ns, 11000000);
	assert_int_equal(a->exact_ns, 11200000);
	assert_int_equal(a->var_us2, 0);
	assert_int_equal(other->total_ns, 0);
	assert_int_equal(other->exact_ns, 700000);
	assert_int_equal(b.t.nodes[0].total_ns, 11000000);
	assert_int_equal(b.t.nodes[0].exact_ns, 11900000);
	assert_int_equal(b.t.nodes[0].var_us2, 0);
	done(&b);
}

/* Then the totals hold what the list was not meant to. */
static void test_tree__of_a_filtered_list_knows_nothing_exactly(void **state)
{
	char filtered[1024];
	struct built b;

	(void)state;
	snprintf(filtered, sizeof(filtered), "filtered\n%s", sampled_text);
	b = build(filtered, (struct tree_options){ 0 });
	assert_int_equal(b.t.nodes[0].exact_ns, 11000000);
	assert_int_equal(b.t.nodes[0].var_us2, 6900000);
	assert_int_equal(b.t.nodes[find(&b.t, "a")].exact_ns, 11000000);
	assert_int_equal(b.t.nodes[find(&b.t, "a")].var_us2, 6900000);
	assert_int_equal(find(&b.t, "b"), 0);
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree__merges_equal_names),
		cmocka_unit_test(test_tree__groups_by_thread),
		cmocka_unit_test(test_tree__groups_by_process),
		cmocka_unit_test(test_tree__separates_user_and_kernel_frames_with_the_same_name),
		cmocka_unit_test(test_tree__shows_one_side_only),
		cmocka_unit_test(test_tree__puts_a_delimiter_between_two_sides),
		cmocka_unit_test(test_tree__marks_unknown_frames),
		cmocka_unit_test(test_tree__keeps_interpreted_frames_apart),
		cmocka_unit_test(test_tree__path_hash_does_not_depend_on_the_data),
		cmocka_unit_test(test_tree__path_hash_is_what_it_was),
		cmocka_unit_test(test_tree__of_nothing_is_one_node),
		cmocka_unit_test(test_tree__takes_a_very_deep_stack),
		cmocka_unit_test(test_tree__adds_up_samples_and_variances),
		cmocka_unit_test(test_tree__of_samples_knows_groups_exactly),
		cmocka_unit_test(test_tree__of_a_filtered_list_knows_nothing_exactly),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
