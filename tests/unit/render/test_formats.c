/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/formats.h"

static void test_render_find__knows_every_name(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; render_formats[i]; i++) {
		assert_ptr_equal(render_find(render_formats[i]->name), render_formats[i]);
		assert_non_null(render_formats[i]->render);
		assert_true(*render_formats[i]->mime && *render_formats[i]->help);
	}
	assert_int_equal(i, 23);
	assert_null(render_find("gif"));
	assert_null(render_find(""));
}

static void test_render_find_by_path__goes_by_the_ending(void **state)
{
	(void)state;
	assert_ptr_equal(render_find_by_path("x.svg"), &render_svg);
	assert_ptr_equal(render_find_by_path("x.tree.txt"), &render_tree);
	assert_ptr_equal(render_find_by_path("/tmp/a.b/x.json"), &render_json);
	assert_ptr_equal(render_find_by_path("x.txt"), &render_txt);
	assert_ptr_equal(render_find_by_path("x.folded"), &render_folded);
	assert_ptr_equal(render_find_by_path("x.collapsed"), &render_folded);
	assert_ptr_equal(render_find_by_path("x.pb.gz"), &render_pprof);
	assert_ptr_equal(render_find_by_path("x.pprof"), &render_pprof);
	assert_ptr_equal(render_find_by_path("x.csv"), &render_csv);
	assert_ptr_equal(render_find_by_path("x.ndjson"), &render_ndjson);
	assert_ptr_equal(render_find_by_path("x.jsonl"), &render_ndjson);
	assert_ptr_equal(render_find_by_path("x.html"), &render_html);
	assert_ptr_equal(render_find_by_path("x.trace.json"), &render_chrome);
}

static void test_render_find_by_path__takes_the_longest_ending(void **state)
{
	(void)state;
	assert_ptr_equal(render_find_by_path("x.wide.folded"), &render_wide);
	assert_ptr_equal(render_find_by_path("xwide.folded"), &render_folded);
	assert_ptr_equal(render_find_by_path("x.speedscope.json"), &render_speedscope);
	assert_ptr_equal(render_find_by_path("xspeedscope.json"), &render_json);
	assert_ptr_equal(render_find_by_path("x.firefox.json"), &render_firefox);
	assert_ptr_equal(render_find_by_path("x.denet.json"), &render_denet);
	assert_ptr_equal(render_find_by_path("x.denet.jsonl"), &render_denet);
}

static void test_render_find_by_path__wants_a_name_before_the_ending(void **state)
{
	(void)state;
	assert_null(render_find_by_path(".svg"));
	assert_null(render_find_by_path(""));
	assert_null(render_find_by_path("svg"));
	assert_null(render_find_by_path("x.svgz"));
	assert_null(render_find_by_path("x.svg."));
	assert_null(render_find_by_path("x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_render_find__knows_every_name),
		cmocka_unit_test(test_render_find_by_path__goes_by_the_ending),
		cmocka_unit_test(test_render_find_by_path__takes_the_longest_ending),
		cmocka_unit_test(test_render_find_by_path__wants_a_name_before_the_ending),
	};

	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
