/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_RENDERED_H
#define TESTS_LIB_RENDERED_H

#include "base/mem.h"
#include "base/sink.h"
#include "lib/lit.h"
#include "render/render.h"

/* The output of a format for a profile; free with mem_free(). Include <cmocka.h> first. */
static inline char *rendered(const struct profile *p, const struct render_ops *format,
			     struct render_options opt)
{
	struct err err = { 0 };
	struct sink out;
	char *text;
	size_t len;

	sink__init_mem(&out);
	if (format->render(p, &opt, &out, &err) || sink__finish(&out, &err))
		fail_msg("%s: %s", format->name, err.msg);
	text = sink__steal(&out, &len);
	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	sink__done(&out);
	return text;
}

static inline void assert_rendered(const char *literal, const struct render_ops *format,
				   struct render_options opt, const char *expected)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, format, opt);

	assert_string_equal(text, expected);
	mem_free(text);
	profile__free(p);
}

#endif
