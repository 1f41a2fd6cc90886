/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second of CPU time for a small program, a minute for a very large one: readings of tasks must
 * not wait for that, and programs that run many times must not cost it each time.
 */
#include "async/tokio/tk_shelf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define READ_LIMIT_NS (60 * NSEC_PER_SEC)

void tk_shelf__init(struct tk_shelf *s)
{
	vec__init(&s->books, sizeof(struct tk_book *));
}

static struct tk_book *book_at(const struct tk_shelf *s, size_t i)
{
	return *(struct tk_book **)vec__at(&s->books, i);
}

static void free_book(struct tk_book *b)
{
	dwarf_child__done(&b->child);
	srcline_file__done(&b->file);
	future_table__done(&b->table);
	vec__done(&b->polls);
	mem_free(b->path);
	mem_free(b);
}

void tk_shelf__done(struct tk_shelf *s)
{
	if (!s || !s->books.elem_sz)
		return;
	for (size_t i = 0; i < s->books.len; i++)
		free_book(book_at(s, i));
	vec__done(&s->books);
}

static struct tk_book *new_book(const struct tk_book_key *key, const char *path, const u64 *polls,
				size_t len)
{
	struct tk_book *b = mem_alloc(sizeof(*b));
	u64 *to;

	if (!b)
		return NULL;
	*b = (struct tk_book){ .key = *key,
			       .path = mem_strdup(path),
			       .file = { -1, -1, 0, false } };
	vec__init(&b->polls, sizeof(u64));
	to = vec__push_n(&b->polls, len);
	if (to && b->path) {
		memcpy(to, polls, len * sizeof(*polls));
		return b;
	}
	free_book(b);
	return NULL;
}

int tk_shelf__get(struct tk_shelf *s, const struct image *img, const char *path, const u64 *polls,
		  size_t len, struct tk_book **ret)
{
	const struct symtab_options opt = { .path = path };
	struct tk_book_key key;
	struct tk_book **slot;
	struct stat st;
	int r;

	*ret = NULL;
	if (!len || fstat(img->fd, &st))
		return 0;
	key = (struct tk_book_key){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.sz = (u64)st.st_size,
		.changed_ns = (u64)st.st_mtim.tv_sec * NSEC_PER_SEC + (u64)st.st_mtim.tv_nsec,
	};
	for (size_t i = 0; i < s->books.len; i++) {
		*ret = book_at(s, i);
		if (!memcmp(&(*ret)->key, &key, sizeof(key)))
			return 0;
	}
	*ret = new_book(&key, path, polls, len);
	slot = *ret ? vec__push(&s->books) : NULL;
	if (!slot) {
		if (*ret)
			free_book(*ret);
		*ret = NULL;
		return -ENOMEM;
	}
	*slot = *ret;
	r = srcline_file__open(img, &opt, &(*ret)->file);
	if (r || (*ret)->file.go)
		(*ret)->state = TK_BOOK_NONE;
	return r == -ENOMEM ? r : 0;
}

static int finish(struct tk_book *b, int r)
{
	struct view records = view__of(b->child.answers.data, b->child.answers.len);

	future_table__init(&b->table);
	if (!r)
		r = future_table__parse(&b->table, records);
	if (r == -EINVAL && !*b->why.msg)
		err__set(&b->why, r, "its debug information is malformed");
	log_debug("futures of a program: %zu types of tasks, %zu types, %zu bytes: %s",
		  b->table.roots.len, b->table.types.len, b->child.answers.len,
		  r ? b->why.msg : "read");
	dwarf_child__done(&b->child);
	srcline_file__done(&b->file);
	b->state = r ? TK_BOOK_BAD : TK_BOOK_READ;
	return r == -ENOMEM ? r : 0;
}

/* *ret_busy: one is being read. */
static int turn(struct tk_shelf *s, u64 until_mono_ns, bool *ret_busy)
{
	int r = 0;

	*ret_busy = false;
	for (size_t i = 0; !r && i < s->books.len; i++) {
		struct tk_book *b = book_at(s, i);

		if (b->state == TK_BOOK_WAITS) {
			r = future_read(&b->child, &b->file, b->polls.data, b->polls.len,
					READ_LIMIT_NS, &b->why);
			b->state = r ? TK_BOOK_BAD : TK_BOOK_OPEN;
			r = r == -ENOMEM ? r : 0;
		}
		if (r || b->state != TK_BOOK_OPEN)
			continue;
		r = dwarf_child__gather(&b->child, until_mono_ns, &b->why);
		*ret_busy = r == -EAGAIN;
		if (*ret_busy)
			return 0;
		r = finish(b, r);
	}
	return r;
}

const struct tk_book *tk_shelf__next_bad(struct tk_shelf *s)
{
	for (size_t i = 0; i < s->books.len; i++) {
		struct tk_book *b = book_at(s, i);

		if (b->state != TK_BOOK_BAD || b->said)
			continue;
		b->said = true;
		return b;
	}
	return NULL;
}

int tk_shelf__turn(struct tk_shelf *s)
{
	bool busy;

	return turn(s, 0, &busy);
}

int tk_shelf__wait(struct tk_shelf *s, u64 limit_ns)
{
	bool busy;

	return turn(s, clock_mono_ns() + limit_ns, &busy);
}
