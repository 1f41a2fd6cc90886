/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbol is looked up here and not by libbpf, which takes the first of several functions with
 * one name. Static probes, too: libbpf attaches a program of its own for each, with their
 * arguments, which nobody needs here.
 */
#include "capture/request/request_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/request/request_probes.h"
#include "elf/image.h"
#include "elf/lookup.h"
#include "elf/probe/usdt.h"

#define UPROBE "uprobe:"
#define USDT "usdt:"
/* Inlined or unrolled code has a probe in several places; each costs a breakpoint. */
#define PLACES_MAX 256

static bool copy(char *to, size_t sz, const char *from, size_t len)
{
	if (!len || len >= sz)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* The last colon of [begin, end). */
static const char *last_colon(const char *begin, const char *end)
{
	while (end > begin)
		if (*--end == ':')
			return end;
	return NULL;
}

/* From the end: a path may have colons, the names have none. */
bool request_text_parse(struct request_text *t, const char *text)
{
	bool usdt = !strncmp(text, USDT, strlen(USDT));
	const char *begin = text + strlen(usdt ? USDT : UPROBE), *end = text + strlen(text), *at;

	*t = (struct request_text){ 0 };
	if (!usdt && strncmp(text, UPROBE, strlen(UPROBE)) != 0)
		return false;
	at = last_colon(begin, end);
	if (!at || !copy(t->names, sizeof(t->names), at + 1, (size_t)(end - at - 1)))
		return false;
	end = at;
	if (usdt) {
		at = last_colon(begin, end);
		if (!at || !copy(t->provider_text, sizeof(t->provider_text), at + 1,
				 (size_t)(end - at - 1)))
			return false;
		t->provider = t->provider_text;
		end = at;
	}
	return copy(t->bin, sizeof(t->bin), begin, (size_t)(end - begin));
}

struct search {
	const char *func;
	u64 vaddr;
	u32 found; /* different addresses */
};

static bool see_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct search *s = arg;
	size_t len = strcspn(name, "@");

	(void)sz;
	if (!vaddr || strncmp(name, s->func, len) || s->func[len])
		return true;
	s->found += !s->found || vaddr != s->vaddr;
	s->vaddr = vaddr;
	return s->found < 2;
}

int request_find_func(const struct image *img, const char *path, const struct request_text *t,
		      struct vec *places, struct err *err)
{
	struct search s = { .func = t->names };
	const struct image_segment *seg;
	struct request_place *to;
	u64 off;

	lookup_symbols(img, LOOKUP_SYMTAB, see_symbol, &s);
	if (!s.found)
		lookup_symbols(img, LOOKUP_DYNSYM, see_symbol, &s);
	if (s.found > 1)
		return err__set(err, -ENOTUNIQ,
				"--request: %s has several functions '%s'; name one that is there "
				"once",
				path, t->names);
	seg = s.found ? image__segment_at(img, s.vaddr) : NULL;
	if (!seg)
		return err__set(err, -ENOENT,
				"--request: %s has no function '%s'; `nm` and `nm -D` list those "
				"that it has, C++ functions by their mangled names",
				path, t->names);
	to = vec__push_n(places, 2);
	if (!to)
		return err__nomem(err);
	off = s.vaddr - seg->vaddr + seg->off;
	to[0] = (struct request_place){ .off = off };
	to[1] = (struct request_place){ .off = off, .is_end = true, .at_return = true };
	return 0;
}

struct placing {
	struct vec *places;
	bool is_end;
	int r;
};

static bool see_place(void *arg, const struct usdt_place *place)
{
	struct placing *p = arg;
	struct request_place *to = NULL;

	if (p->places->len == PLACES_MAX)
		p->r = -E2BIG;
	else
		to = vec__push(p->places);
	if (to)
		*to = (struct request_place){ .off = place->off,
					      .semaphore_off = place->semaphore_off,
					      .is_end = p->is_end };
	else if (!p->r)
		p->r = -ENOMEM;
	return to;
}

/* The places of one probe; how many there are, or an error. */
static int find_probe(const struct image *img, const struct request_text *t, const char *name,
		      bool is_end, struct vec *places)
{
	struct placing p = { .places = places, .is_end = is_end };
	size_t before = places->len;

	usdt_find(img, t->provider, name, see_place, &p);
	return p.r ? p.r : (int)(places->len - before);
}

static int report(int r, const char *path, const struct request_text *t, const char *name,
		  struct err *err)
{
	if (r == -E2BIG)
		return err__set(err, r, "--request: %s has the probe %s:%s in more than %d places",
				path, t->provider, name, PLACES_MAX);
	if (r)
		return err__nomem(err);
	return err__set(err, -ENOENT,
			"--request: %s has no probe %s:%s; `readelf -n` lists those that it has",
			path, t->provider, name);
}

/* Words with which programs name the two ends of what one NAME is. */
static const char *const words[][2] = {
	{ "start", "done" }, { "start", "end" },  { "start", "finish" },
	{ "begin", "end" },  { "begin", "done" }, { "entry", "return" },
	{ "entry", "exit" }, { "enter", "exit" }, { "start", "stop" },
};

/* "query__done" of "query__start", if there is such a probe; or "END". */
static int find_end(const struct image *img, const struct request_text *t, struct vec *places,
		    char *end, size_t sz)
{
	size_t len = strlen(t->names);

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t word_len = strlen(words[i][0]);
		int r;

		if (len <= word_len || strcmp(t->names + len - word_len, words[i][0]) != 0)
			continue;
		snprintf(end, sz, "%.*s%s", (int)(len - word_len), t->names, words[i][1]);
		r = find_probe(img, t, end, true, places);
		if (r)
			return r < 0 ? r : 0;
	}
	snprintf(end, sz, "END");
	return 0;
}

/* A NAME without a pair may be the whole name of a probe. */
static int report_no_pair(const struct image *img, const char *path, const struct request_text *t,
			  struct vec *places, struct err *err)
{
	char end[REQUEST_NAMES_SZ + 16];
	int found = find_probe(img, t, t->names, false, places);
	int r = found > 0 ? find_end(img, t, places, end, sizeof(end)) : found;

	places->len = 0;
	if (r)
		return report(r, path, t, t->names, err);
	if (found)
		return err__set(err, -ENOENT, "--request: %s:%s needs an end, as in %s,%s",
				t->provider, t->names, t->names, end);
	return err__set(err, -ENOENT,
			"--request: %s has no pair of probes such as %s:%s__start and %s__done; "
			"name both, as in usdt:PROGRAM:PROVIDER:START,END. `readelf -n` lists "
			"those that it has",
			path, t->provider, t->names, t->names);
}

static int find_pair(const struct image *img, const char *path, const struct request_text *t,
		     struct vec *places, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		char start[REQUEST_NAMES_SZ + 16], end[REQUEST_NAMES_SZ + 16];
		int r;

		snprintf(start, sizeof(start), "%s__%s", t->names, words[i][0]);
		snprintf(end, sizeof(end), "%s__%s", t->names, words[i][1]);
		r = find_probe(img, t, start, false, places);
		if (r > 0)
			r = find_probe(img, t, end, true, places);
		if (r < 0)
			return report(r, path, t, t->names, err);
		if (r)
			return 0;
		places->len = 0;
	}
	return report_no_pair(img, path, t, places, err);
}

int request_find_usdt(const struct image *img, const char *path, const struct request_text *t,
		      struct vec *places, struct err *err)
{
	const char *at = t->names;

	if (!strchr(at, ','))
		return find_pair(img, path, t, places, err);
	for (bool is_end = false;; is_end = true) {
		char name[REQUEST_NAMES_SZ];
		size_t len = strcspn(at, ",");
		int r;

		if (!copy(name, sizeof(name), at, len))
			return err__set(err, -EINVAL,
					"--request: '%s' has an empty name; write the names of "
					"probes as START,END",
					t->names);
		r = find_probe(img, t, name, is_end, places);
		if (r <= 0)
			return report(r, path, t, name, err);
		if (!at[len])
			return 0;
		at += len + 1;
	}
}
