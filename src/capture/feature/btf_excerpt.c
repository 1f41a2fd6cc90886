/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A kernel describes itself in 130,000 types; we need a few hundred of them. libbpf takes 20 ms to
 * read all of them, and another millisecond for each struct that it searches by name. One pass that
 * compares a name only if its first letters match takes two.
 */
#include "capture/feature/btf_excerpt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>

#include "base/mem.h"

#define WANTED_BITS 13

struct wanted {
	const char **sorted;
	size_t len;
	u8 heads[(1 << WANTED_BITS) / 8]; /* one bit for the first letters of each name */
};

struct scan {
	struct btf_excerpt *x;
	struct view strings;
	struct view types;
	u32 *offs; /* where type n begins */
	u32 *here; /* its number in the excerpt, or 0 */
	u32 cnt;
	u32 percpu[BTF_PERCPU_CNT]; /* ids of the variables; 0: not met yet */
};

static const char *const percpu_names[BTF_PERCPU_CNT] = {
	[BTF_PERCPU_RUNQUEUES] = "runqueues",
	[BTF_PERCPU_PREEMPT_COUNT] = "__preempt_count",
	[BTF_PERCPU_PCPU_HOT] = "pcpu_hot",
};

/*
 * Its bit in wanted.heads; `left` bytes may be read. Without a branch per letter, which would
 * otherwise take most of the time of a pass.
 */
static u32 head_bit(const char *name, size_t left)
{
	u64 head = 0, nul;

	if (left < sizeof(head))
		memcpy(&head, name, left);
	else
		memcpy(&head, name, sizeof(head));
	/* The lowest bit that is set here is the highest of the first NUL. */
	nul = (head - 0x0101010101010101ULL) & ~head & 0x8080808080808080ULL;
	if (nul)
		head &= (nul & -nul) - 1;
	return (u32)(head * 0x9e3779b97f4a7c15ULL >> (64 - WANTED_BITS));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int wanted__init(struct wanted *w, const char *const *const *lists)
{
	size_t cnt = 0;

	memset(w, 0, sizeof(*w));
	for (size_t i = 0; lists[i]; i++)
		for (size_t j = 0; lists[i][j]; j++)
			cnt++;
	w->sorted = mem_array(cnt ? cnt : 1, sizeof(*w->sorted));
	if (!w->sorted)
		return -ENOMEM;
	for (size_t i = 0; lists[i]; i++) {
		for (size_t j = 0; lists[i][j]; j++) {
			u32 bit = head_bit(lists[i][j], strlen(lists[i][j]) + 1);

			w->heads[bit / 8] |= (u8)(1 << bit % 8);
			w->sorted[w->len++] = lists[i][j];
		}
	}
	qsort(w->sorted, w->len, sizeof(*w->sorted), compare_names);
	return 0;
}

static bool wanted__has(const struct wanted *w, const char *name, size_t left)
{
	u32 bit = head_bit(name, left);

	return w->heads[bit / 8] & 1 << bit % 8 &&
	       bsearch(&name, w->sorted, w->len, sizeof(*w->sorted), compare_names);
}

/* "" for none. The section ends in a NUL. */
static const char *name_at(const struct scan *s, u32 off)
{
	return off < view__left(&s->strings) ? (const char *)s->strings.p + off : "";
}

/* What follows the head of a type: some bytes, and some for each element. */
struct tail {
	bool known;
	u8 fixed;
	u8 each;
};

static const struct tail tails[32] = {
	[BTF_KIND_INT] = { .known = true, .fixed = sizeof(u32) },
	[BTF_KIND_PTR] = { .known = true },
	[BTF_KIND_ARRAY] = { .known = true, .fixed = sizeof(struct btf_array) },
	[BTF_KIND_STRUCT] = { .known = true, .each = sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { .known = true, .each = sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { .known = true, .each = sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { .known = true },
	[BTF_KIND_TYPEDEF] = { .known = true },
	[BTF_KIND_VOLATILE] = { .known = true },
	[BTF_KIND_CONST] = { .known = true },
	[BTF_KIND_RESTRICT] = { .known = true },
	[BTF_KIND_FUNC] = { .known = true },
	[BTF_KIND_FUNC_PROTO] = { .known = true, .each = sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { .known = true, .fixed = sizeof(struct btf_var) },
	[BTF_KIND_DATASEC] = { .known = true, .each = sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { .known = true },
	[BTF_KIND_DECL_TAG] = { .known = true, .fixed = sizeof(struct btf_decl_tag) },
	[BTF_KIND_TYPE_TAG] = { .known = true },
	[BTF_KIND_ENUM64] = { .known = true, .each = sizeof(struct btf_enum64) },
};

static const struct tail *tail_of(u32 info)
{
	return &tails[BTF_INFO_KIND(info)];
}

static size_t tail_sz(u32 info)
{
	const struct tail *t = tail_of(info);

	return t->fixed + (t->each ? BTF_INFO_VLEN(info) * (size_t)t->each : 0);
}

/* Kinds that are searched by name. */
#define NAMED_KINDS                                                                                \
	(1U << BTF_KIND_STRUCT | 1U << BTF_KIND_UNION | 1U << BTF_KIND_TYPEDEF |                   \
	 1U << BTF_KIND_FUNC | 1U << BTF_KIND_ENUM | 1U << BTF_KIND_ENUM64)

/* *ret_here: its number in the excerpt; added if missing. */
static int add(struct scan *s, u32 id, u32 *ret_here)
{
	u32 *slot;

	if (!s->here[id]) {
		slot = vec__push(&s->x->ids);
		if (!slot)
			return -ENOMEM;
		*slot = id;
		s->here[id] = (u32)s->x->ids.len - 1;
	}
	*ret_here = s->here[id];
	return 0;
}

/* The same for what another type refers to. */
static int need(struct scan *s, u32 id, u32 *ret_here)
{
	*ret_here = 0;
	if (!id)
		return 0;
	return id < s->cnt ? add(s, id, ret_here) : -EINVAL;
}

static bool is_wanted(const struct scan *s, const struct wanted *w, u32 off)
{
	size_t len = view__left(&s->strings);

	return off < len && wanted__has(w, (const char *)s->strings.p + off, len - off);
}

static void see_variable(struct scan *s, u32 name_off)
{
	const char *name = name_at(s, name_off);

	for (u32 i = 0; i < BTF_PERCPU_CNT; i++)
		if (!strcmp(name, percpu_names[i]))
			s->percpu[i] = s->cnt;
}

/* The section of a CPU's variables comes after them. */
static void see_section(struct scan *s, u32 name_off, struct view vars)
{
	struct btf_var_secinfo var;
	const void *p;

	if (strcmp(name_at(s, name_off), ".data..percpu"))
		return;
	while ((p = view__bytes(&vars, sizeof(var)))) {
		memcpy(&var, p, sizeof(var));
		for (u32 i = 0; i < BTF_PERCPU_CNT; i++)
			if (s->percpu[i] && s->percpu[i] == var.type)
				s->x->percpu_offs[i] = var.offset;
	}
}

/* Where each type begins; those with a wanted name come first in the excerpt. */
static int find_wanted(struct scan *s, const struct wanted *w)
{
	/* Most are longer than a head; memory that is not written to is not allocated. */
	size_t most = view__left(&s->types) / sizeof(struct btf_type) + 1;
	struct view at = s->types;
	u32 here;

	s->offs = mem_array(most, sizeof(*s->offs));
	s->here = mem_array(most, sizeof(*s->here));
	if (!s->offs || !s->here)
		return -ENOMEM;
	for (s->cnt = 1; view__left(&at); s->cnt++) {
		const void *head = view__bytes(&at, sizeof(struct btf_type));
		const void *tail;
		struct btf_type t;

		if (!head)
			return -EINVAL;
		memcpy(&t, head, sizeof(t));
		s->offs[s->cnt] = (u32)((const u8 *)head - s->types.p);
		tail = tail_of(t.info)->known ? view__bytes(&at, tail_sz(t.info)) : NULL;
		if (!tail)
			return -EINVAL;
		if (BTF_INFO_KIND(t.info) == BTF_KIND_VAR)
			see_variable(s, t.name_off);
		if (BTF_INFO_KIND(t.info) == BTF_KIND_DATASEC)
			see_section(s, t.name_off, view__of(tail, tail_sz(t.info)));
		if (NAMED_KINDS >> BTF_INFO_KIND(t.info) & 1 && is_wanted(s, w, t.name_off) &&
		    add(s, s->cnt, &here))
			return -ENOMEM;
	}
	return 0;
}

static int add_string(struct scan *s, u32 off, u32 *ret_off)
{
	const char *name = name_at(s, off);
	size_t len = strlen(name);
	char *copy;

	*ret_off = 0;
	if (!len)
		return 0;
	*ret_off = (u32)s->x->strings.len;
	copy = vec__push_n(&s->x->strings, len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name, len);
	return 0;
}

/* A pointer to anything but a function is a pointer. */
static int need_pointed(struct scan *s, u32 id, u32 *ret_here)
{
	struct btf_type t;

	*ret_here = 0;
	if (!id)
		return 0;
	if (id >= s->cnt)
		return -EINVAL;
	memcpy(&t, s->types.p + s->offs[id], sizeof(t));
	return BTF_INFO_KIND(t.info) == BTF_KIND_FUNC_PROTO ? need(s, id, ret_here) : 0;
}

/* The last word of the head: a size, or another type. */
static int copy_head(struct scan *s, struct btf_type *t)
{
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
		return need_pointed(s, t->type, &t->type);
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_ARRAY:
		t->type = 0;
		return 0;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_TYPE_TAG:
		return need(s, t->type, &t->type);
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return -EINVAL; /* no type contains these */
	default:
		return 0;
	}
}

/* Element by element; each begins with a name, except an array's. */
static int copy_tail(struct scan *s, u32 info, struct view tail, u8 *to)
{
	u32 kind = BTF_INFO_KIND(info), sz = tail_of(info)->each, words[3];
	struct btf_array a;
	int r = 0;

	switch (kind) {
	case BTF_KIND_ARRAY:
		memcpy(&a, tail.p, sizeof(a));
		r = need(s, a.type, &a.type);
		r = r ? r : need(s, a.index_type, &a.index_type);
		memcpy(to, &a, sizeof(a));
		return r;
	case BTF_KIND_INT:
		memcpy(to, tail.p, sizeof(u32));
		return 0;
	case BTF_KIND_FUNC_PROTO:
		return 0; /* arguments without name and type */
	default:
		break;
	}
	for (; !r && view__left(&tail); to += sz) {
		memcpy(words, view__bytes(&tail, sz), sz);
		r = add_string(s, words[0], &words[0]);
		if (!r && (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION))
			r = need(s, words[1], &words[1]);
		memcpy(to, words, sz);
	}
	return r;
}

static int copy_type(struct scan *s, u32 id)
{
	struct view at = s->types;
	struct btf_type t;
	size_t tail, where;
	u8 *to;
	int r;

	view__bytes(&at, s->offs[id]);
	memcpy(&t, view__bytes(&at, sizeof(t)), sizeof(t));
	tail = tail_sz(t.info);
	r = copy_head(s, &t);
	r = r ? r : add_string(s, t.name_off, &t.name_off);
	if (r)
		return r;
	where = s->x->types.len;
	to = vec__push_n(&s->x->types, sizeof(t) + tail);
	if (!to)
		return -ENOMEM;
	memcpy(to, &t, sizeof(t));
	/* Nothing is added to these bytes until the next type. */
	return copy_tail(s, t.info, view__sub(&at, 0, tail),
			 (u8 *)vec__at(&s->x->types, where) + sizeof(t));
}

static int find_sections(struct scan *s, struct view whole)
{
	struct view head = whole, body;
	struct btf_header h;
	const void *p = view__bytes(&head, sizeof(h));

	if (!p)
		return -EINVAL;
	memcpy(&h, p, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof(h))
		return -EINVAL;
	body = view__sub(&whole, h.hdr_len, view__left(&whole) - h.hdr_len);
	if (h.hdr_len > view__left(&whole) || body.bad)
		return -EINVAL;
	s->types = view__sub(&body, h.type_off, h.type_len);
	s->strings = view__sub(&body, h.str_off, h.str_len);
	if (s->types.bad || s->strings.bad || !h.str_len || s->strings.end[-1])
		return -EINVAL;
	return 0;
}

static int take(struct scan *s, struct view whole, const struct wanted *w)
{
	int r = find_sections(s, whole);

	if (r)
		return r;
	/* void, and the empty name */
	if (!vec__push(&s->x->ids) || !vec__push(&s->x->strings))
		return -ENOMEM;
	r = find_wanted(s, w);
	/* The types inside them are appended. */
	for (u32 i = 1; !r && i < s->x->ids.len; i++)
		r = copy_type(s, *(u32 *)vec__at(&s->x->ids, i));
	s->x->types_cnt = s->cnt;
	return r;
}

int btf_excerpt__init(struct btf_excerpt *x, struct view whole, const char *const *const *names,
		      struct err *err)
{
	struct scan s = { .x = x };
	struct wanted w;
	int r = wanted__init(&w, names);

	vec__init(&x->types, 1);
	vec__init(&x->strings, 1);
	vec__init(&x->ids, sizeof(u32));
	for (u32 i = 0; i < BTF_PERCPU_CNT; i++)
		x->percpu_offs[i] = -1;
	r = r ? r : take(&s, whole, &w);
	mem_free(s.offs);
	mem_free(s.here);
	mem_free(w.sorted);
	if (!r)
		return 0;
	btf_excerpt__done(x);
	return r == -ENOMEM ? err__nomem(err) :
			      err__set(err, r, "not BTF, or newer than this coldspot");
}

void btf_excerpt__done(struct btf_excerpt *x)
{
	if (!x)
		return;
	vec__done(&x->types);
	vec__done(&x->strings);
	vec__done(&x->ids);
}

int btf_excerpt__write(const struct btf_excerpt *x, struct vec *ret_bytes)
{
	const struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (u32)x->types.len,
		.str_off = (u32)x->types.len,
		.str_len = (u32)x->strings.len,
	};
	u8 *to = vec__push_n(ret_bytes, sizeof(h) + x->types.len + x->strings.len);

	if (!to)
		return -ENOMEM;
	memcpy(to, &h, sizeof(h));
	if (x->types.len)
		memcpy(to + sizeof(h), x->types.data, x->types.len);
	memcpy(to + sizeof(h) + x->types.len, x->strings.data, x->strings.len);
	return 0;
}

u32 btf_excerpt__id(const struct btf_excerpt *x, u32 id)
{
	return id < x->ids.len ? *(u32 *)vec__at(&x->ids, id) : 0;
}
