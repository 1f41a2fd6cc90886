/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most names in rules are complete: these are sorted and found by binary search, so a frame costs a
 * dozen comparisons however many rules there are. Those with '*' or '?' are tried one by one, but
 * only if the name contains every pair of adjacent bytes of the pattern. With the pairs hashed to
 * the bits of a word, that is one comparison, and most patterns get no further.
 */
#include "analysis/cause/rule_words.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/name/pattern.h"
#include "base/mem.h"
#include "base/text/regex.h"
#include "base/text/suffix.h"

/* Longer names keep their suffixes. */
#define NAME_SZ 4096

struct rule_word {
	const char *text; /* not terminated */
	u32 len;
	u16 list;
	u16 side;
	u64 pairs; /* of globs: pairs_of() the text */
};

struct rule_regex {
	regex_t compiled;
	u16 list;
};

int rule_words__init(struct rule_words *w)
{
	memset(w, 0, sizeof(*w));
	vec__init(&w->exact, sizeof(struct rule_word));
	vec__init(&w->globs, sizeof(struct rule_word));
	vec__init(&w->regexes, sizeof(struct rule_regex));
	return strtab__init(&w->lists);
}

void rule_words__done(struct rule_words *w)
{
	size_t i;

	for (i = 0; i < w->regexes.len; i++)
		regfree(&((struct rule_regex *)vec__at(&w->regexes, i))->compiled);
	vec__done(&w->exact);
	vec__done(&w->globs);
	vec__done(&w->regexes);
	strtab__done(&w->lists);
}

u32 rule_words__lists(const struct rule_words *w)
{
	return strtab__len(&w->lists) - 1;
}

static bool has_wildcard(const char *word, size_t len)
{
	return memchr(word, '*', len) || memchr(word, '?', len);
}

static bool is_wild(char c)
{
	return c == '*' || c == '?';
}

/* A set of the pairs of adjacent bytes, without wildcards. */
static u64 pairs_of(const char *text, size_t len)
{
	u64 pairs = 0;
	size_t i;

	for (i = 1; i < len; i++) {
		if (!is_wild(text[i - 1]) && !is_wild(text[i]))
			pairs |= 1ULL << (((u8)text[i - 1] * 29 + (u8)text[i]) % 64);
	}
	return pairs;
}

static int add_words(struct rule_words *w, enum rule_side side, const char *list, u16 number)
{
	size_t len;

	for (; *list; list += len, list += strspn(list, " ")) {
		struct rule_word *word;

		len = strcspn(list, " ");
		word = vec__push(has_wildcard(list, len) ? &w->globs : &w->exact);
		if (!word)
			return -ENOMEM;
		*word = (struct rule_word){ list, (u32)len, number, (u16)side,
					    pairs_of(list, len) };
	}
	return 0;
}

static int add_regex(struct rule_words *w, const char *text, u16 number, struct err *err)
{
	struct rule_regex *regex = vec__push(&w->regexes);
	int r;

	if (!regex)
		return err__nomem(err);
	regex->list = number;
	r = regex_compile(&regex->compiled, text, REG_NOSUB, err);
	if (r)
		w->regexes.len--;
	return r;
}

int rule_words__add(struct rule_words *w, enum rule_side side, const char *list, u16 *ret_number,
		    struct err *err)
{
	u32 before = strtab__len(&w->lists), id;
	size_t len = strlen(list);
	char *key = mem_alloc(len + 2);
	int r;

	if (!key)
		return err__nomem(err);
	key[0] = (char)('0' + side);
	memcpy(key + 1, list, len + 1);
	r = strtab__add(&w->lists, key, &id);
	mem_free(key);
	if (r)
		return err__nomem(err);
	if (id > RULE_LISTS_MAX)
		return err__set(err, -EINVAL, "more than %d different lists of names in rules",
				RULE_LISTS_MAX);
	*ret_number = (u16)(id - 1);
	if (id < before)
		return 0; /* already there */
	if (side == RULE_SIDE_REGEX)
		return add_regex(w, list, *ret_number, err);
	return add_words(w, side, list, *ret_number) ? err__nomem(err) : 0;
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int r = memcmp(a, b, a_len < b_len ? a_len : b_len);

	if (r)
		return r;
	return a_len < b_len ? -1 : a_len > b_len;
}

static int by_text(const void *a, const void *b)
{
	const struct rule_word *x = a, *y = b;
	int r = (int)x->side - (int)y->side;

	if (!r)
		r = compare_text(x->text, x->len, y->text, y->len);
	return r ? r : (int)x->list - (int)y->list;
}

void rule_words__prepare(struct rule_words *w)
{
	if (w->exact.len)
		qsort(w->exact.data, w->exact.len, sizeof(struct rule_word), by_text);
}

static void set_bit(u64 *bits, u32 number)
{
	bits[number / 64] |= 1ULL << (number % 64);
}

static void match_exact(const struct rule_words *w, enum rule_side side, const char *name,
			size_t len, u64 *bits)
{
	const struct rule_word *words = w->exact.data;
	size_t from = 0, to = w->exact.len;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int r = (int)words[mid].side - (int)side;

		if (!r)
			r = compare_text(words[mid].text, words[mid].len, name, len);
		if (r < 0)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < w->exact.len && words[from].side == side && words[from].len == len &&
	       memcmp(words[from].text, name, len) == 0;
	     from++)
		set_bit(bits, words[from].list);
}

static void match_globs(const struct rule_words *w, enum rule_side side, const char *name,
			size_t len, u64 *bits)
{
	const struct rule_word *words = w->globs.data;
	u64 pairs = pairs_of(name, len);
	size_t i;

	for (i = 0; i < w->globs.len; i++) {
		char first = words[i].text[0];

		if (words[i].side != side || (!is_wild(first) && first != name[0]) ||
		    words[i].pairs & ~pairs)
			continue;
		if (pattern_fits(words[i].text, words[i].len, name, len))
			set_bit(bits, words[i].list);
	}
}

/*
 * Compilers append suffixes to the names of kernel functions, which contain no other dot.
 * User-space names may contain dots, so suffix_strip() makes a second name of them.
 */
static size_t kernel_len(const char *name)
{
	const char *dot = strchr(name + (*name == '.'), '.');

	return dot ? (size_t)(dot - name) : strlen(name);
}

static void match_name(const struct rule_words *w, enum rule_side side, const char *name,
		       size_t len, u64 *bits)
{
	if (!len)
		return;
	match_exact(w, side, name, len, bits);
	match_globs(w, side, name, len, bits);
}

void rule_words__match(const struct rule_words *w, enum rule_side side, const char *name, u64 *bits)
{
	char buf[NAME_SZ];
	const char *plain;
	size_t i;

	match_name(w, side, name, side == RULE_SIDE_KERNEL ? kernel_len(name) : strlen(name), bits);
	if (side != RULE_SIDE_USER)
		return;
	plain = suffix_strip(name, buf, sizeof(buf));
	if (plain != name)
		match_name(w, side, plain, strlen(plain), bits);
	for (i = 0; i < w->regexes.len; i++) {
		const struct rule_regex *regex = vec__at(&w->regexes, i);

		if (regexec(&regex->compiled, name, 0, NULL, 0) == 0)
			set_bit(bits, regex->list);
	}
}

static bool list_has(const char *list, const char *name, size_t name_len)
{
	size_t len;

	for (; *list; list += len, list += strspn(list, " ")) {
		len = strcspn(list, " ");
		if (pattern_fits(list, len, name, name_len))
			return true;
	}
	return false;
}

bool rule_name_is_in(enum rule_side side, const char *list, const char *name)
{
	size_t len = side == RULE_SIDE_KERNEL ? kernel_len(name) : strlen(name);
	char buf[NAME_SZ];
	const char *plain;

	if (len && list_has(list, name, len))
		return true;
	plain = side == RULE_SIDE_USER ? suffix_strip(name, buf, sizeof(buf)) : name;
	return plain != name && list_has(list, plain, strlen(plain));
}

bool rule_list_has(const char *list, const char *name)
{
	return list_has(list, name, strlen(name));
}
