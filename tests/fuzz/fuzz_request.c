/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What callers of libmicrohttpd read of a request: lines of "name=value" of a query, and headers,
 * as the library hands them over. A refusal has a sentence; nobody comes in without the token.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "web/ask/ask.h"
#include "web/ask/target_words.h"
#include "web/http/guard.h"
#include "web/http/listener.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void try_ask(struct query *q)
{
	struct err err = { 0 };
	struct ask ask;
	int r = ask__init(&ask, q, &err);

	must(r <= 0 && (!r || *err.msg));
	if (!r)
		must(ask.range.from <= ask.range.to && ask.render.rows <= 100000);
	ask__has_filters(&ask);
	ask__done(&ask);
	if (query__check(q, &err))
		must(*err.msg);
}

/* One header of a request with the right address. */
static void try_guard(const struct guard *g, const char *name, const char *value)
{
	struct guard_view v = { .host = "localhost:1", .token = NULL };
	const char **slot = !strcmp(name, "host")   ? &v.host :
			    !strcmp(name, "origin") ? &v.origin :
			    !strcmp(name, "cookie") ? &v.cookie :
			    !strcmp(name, "token")  ? &v.token :
			    !strcmp(name, "site")   ? &v.fetch_site :
						      &v.authorization;

	*slot = value;
	must(guard__judge(g, &v) > GUARD_NEW);
}

static void try_texts(const char *text)
{
	struct target_words words;
	struct query_range range;
	struct err err = { 0 };
	char host[64];
	u16 port;

	if (!query_parse_range(text, &range, &err))
		must(range.from <= range.to);
	if (!target_words_parse(text, strlen(text), &words, &err))
		must(words.whom[0] && memchr(words.whom, 0, sizeof(words.whom)));
	if (!listen_parse(text, host, sizeof(host), &port, &err))
		must(*host);
}

static void try_line(const struct guard *tokens, const struct guard *passwords, struct query *q,
		     char *line)
{
	char *value = strchr(line, '=');

	if (value)
		*value++ = '\0';
	query__add(q, line, value, value ? strlen(value) : 0, NULL);
	if (!value)
		return;
	try_guard(tokens, line, value);
	try_guard(passwords, line, value);
	try_texts(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *line, *rest = text;
	struct guard tokens, passwords;
	struct query q;

	must(text && !guard__init(&tokens, 1, "h", NULL) && !guard__init(&passwords, 1, "h", NULL));
	must(!guard__add_host(&tokens, "us") && !guard__add_host(&passwords, "us"));
	snprintf(passwords.password, sizeof(passwords.password), "%s", passwords.token);
	query__init(&q);
	while ((line = strsep(&rest, "\n")))
		try_line(&tokens, &passwords, &q, line);
	try_ask(&q);
	query__done(&q);
	guard__done(&tokens);
	guard__done(&passwords);
	mem_free(text);
	return 0;
}
