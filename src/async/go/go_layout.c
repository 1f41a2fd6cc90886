/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slice of pointers to structs that point to themselves at one offset, the first of them with
 * the number 1: that is runtime.allgs, whether there are symbols or not. With those of the version
 * known, the places of the fields behind it follow from goroutines that wait.
 */
#include "async/go/go_layout.h"

#include <errno.h>
#include <string.h>

#include "async/go/go_stack.h"
#include "base/mem.h"

#define SCAN_MAX_BYTES (256UL << 20)
/* Goroutines on which a layout is checked. */
#define PROBES 64
#define REASONS_MAX 128
#define REASON_SZ 64
#define MATCH_WORDS 4
#define FIRST_REASON "GC assist marking" /* number 1 in Go 1.18 to 1.26 */
/* Where startpc may be. */
#define START_MIN 184
#define START_MAX (GO_G_MAX - 8)

/* By the last minor version that has them: runtime2.go, struct gobuf and struct g. */
static const struct {
	u32 until;
	struct go_shape shape;
} shapes[] = {
	{ 22, { .bp = 104, .call_sp = 112, .status = 144, .goid = 152, .reason = 176 } },
	{ 24, { .bp = 104, .status = 152, .goid = 160, .reason = 184 } },
	{ GO_MINOR_MAX, { .bp = 96, .status = 144, .goid = 152, .reason = 176 } },
};

struct finder {
	struct go_layout *l;
	struct go_program *program;
	struct task_memory *mem;
	const struct task_home *home;
	u64 probes[PROBES];
	u32 probes_len;
};

static bool is_list(struct finder *f, const struct go_slice *s)
{
	u8 first[GO_G_MAX];
	u64 at;

	return s->ptr && !(s->ptr & 7) && s->len && s->len <= s->cap && s->cap <= GO_LIST_MAX &&
	       task_memory__read(f->mem, s->ptr, &at, sizeof(at)) && at && !(at & 7) &&
	       task_memory__read(f->mem, at, first, f->l->shape.goid + 8) &&
	       go_word(first, GO_G_SELF) == at && go_word(first, f->l->shape.goid) == 1 &&
	       go_word(first, GO_G_STACK_LO) < go_word(first, GO_G_STACK_HI);
}

static bool is_reasons(struct finder *f, const u64 *w)
{
	char text[sizeof(FIRST_REASON)] = "";

	return !w[1] && w[3] == sizeof(FIRST_REASON) - 1 &&
	       task_memory__read(f->mem, w[2], text, sizeof(text) - 1) &&
	       strcmp(text, FIRST_REASON) == 0;
}

/* runtime.buildVersion is the only string of that form; it is taken at once. */
static bool is_version(struct finder *f, const u64 *w)
{
	char text[GO_VERSION_SZ];

	return w[1] >= sizeof("go1.18") - 1 && w[1] < sizeof(text) &&
	       task_memory__read(f->mem, w[0], text, w[1]) && memcmp(text, "go1.", 4) == 0 &&
	       go_program__take_version(f->program, view__of(text, w[1]));
}

static bool is_list_at(struct finder *f, const u64 *w)
{
	const struct go_slice s = { w[0], w[1], w[2] };

	return is_list(f, &s);
}

/* A chunk of memory at a time, with the words that a match at its end may need. */
static bool scan(struct finder *f, const struct map_range *range,
		 bool (*matches)(struct finder *f, const u64 *words), u64 *ret)
{
	u64 words[4096 + MATCH_WORDS];
	size_t step = (ARRAY_LEN(words) - MATCH_WORDS) * sizeof(u64);

	for (u64 at = range->start; at < range->end; at += step) {
		u64 left = range->end - at;
		size_t sz = left < sizeof(words) ? left : sizeof(words), n = sz / sizeof(u64);

		if (!task_memory__read(f->mem, at, words, n * sizeof(u64)))
			continue;
		for (size_t i = 0; i + MATCH_WORDS <= n; i++) {
			if (!matches(f, words + i))
				continue;
			*ret = at + i * sizeof(u64);
			return true;
		}
	}
	return false;
}

/* Data of the program: of its file and not code, or what is zero at first and follows it. */
static bool is_data(const struct task_home *home, size_t i)
{
	const struct map_range *m = &home->maps->ranges[i], *before = i ? m - 1 : NULL;

	if (m->exec || m->end - m->start > SCAN_MAX_BYTES)
		return false;
	if (task_home__has(home, m))
		return true;
	return !m->ino && !*m->path && before && before->end == m->start &&
	       task_home__has(home, before);
}

static bool scan_data(struct finder *f, bool (*matches)(struct finder *f, const u64 *words),
		      u64 *ret)
{
	for (size_t i = 0; i < f->home->maps->len; i++) {
		if (is_data(f->home, i) && scan(f, &f->home->maps->ranges[i], matches, ret))
			return true;
	}
	return false;
}

static int find_list(struct finder *f)
{
	struct go_slice s;

	if (f->program->all) {
		f->l->all = f->program->all + f->l->bias;
		return task_memory__read(f->mem, f->l->all, &s, sizeof(s)) && is_list(f, &s) ?
			       0 :
			       -EAGAIN;
	}
	return scan_data(f, is_list_at, &f->l->all) ? 0 : -EAGAIN;
}

static int keep_reason(struct finder *f, u32 idx, u64 addr, u64 sz)
{
	char text[REASON_SZ] = "";

	if (sz >= sizeof(text) || (sz && !task_memory__read(f->mem, addr, text, sz)))
		return 0;
	f->l->reasons[idx] = arena__strdup(&f->l->strings, text);
	return f->l->reasons[idx] ? 0 : -ENOMEM;
}

/* Of a stripped file the length is not known: the table ends before what is no string. */
static int read_reasons(struct finder *f, u64 addr, u32 len)
{
	u64 words[2 * REASONS_MAX];
	u32 max = len && len < REASONS_MAX ? len : REASONS_MAX;
	int r = 0;

	f->l->reasons = arena__array(&f->l->strings, REASONS_MAX, sizeof(char *));
	if (!f->l->reasons)
		return -ENOMEM;
	while (max && !task_memory__read(f->mem, addr, words, 2 * max * sizeof(u64)))
		max--;
	for (u32 i = 0; !r && i < max; i++) {
		if (i && (!words[2 * i + 1] || words[2 * i + 1] >= REASON_SZ))
			break;
		r = keep_reason(f, i, words[2 * i], words[2 * i + 1]);
		f->l->reasons_len = i + 1;
	}
	return r;
}

static int find_reasons(struct finder *f)
{
	u64 at = f->program->reasons + f->l->bias;

	if (f->program->reasons && f->program->reasons_len)
		return read_reasons(f, at, f->program->reasons_len);
	return scan_data(f, is_reasons, &at) ? read_reasons(f, at, 0) : 0;
}

static bool read_probes(struct finder *f)
{
	struct go_slice s;

	if (!task_memory__read(f->mem, f->l->all, &s, sizeof(s)))
		return false;
	f->l->count = s.len;
	f->probes_len = s.len < PROBES ? (u32)s.len : PROBES;
	return task_memory__read(f->mem, s.ptr, f->probes, f->probes_len * sizeof(u64));
}

/* One that waits, whole; its first frame pointer lies in its stack. */
static bool read_waiting(struct finder *f, u64 at, u8 *g)
{
	const struct go_shape *s = &f->l->shape;
	u64 sp, bp;

	if (!at || !task_memory__read(f->mem, at, g, GO_G_MAX) || go_word(g, GO_G_SELF) != at ||
	    (u32)go_word(g, s->status) != GO_WAITING)
		return false;
	sp = go_word(g, GO_G_SP);
	bp = go_word(g, s->bp);
	return bp >= sp && bp < go_word(g, GO_G_STACK_HI) && sp >= go_word(g, GO_G_STACK_LO);
}

/* The start of the function of the go statement, from the outer end of its stack; 0: not known. */
static u64 start_of(struct finder *f, const u8 *g)
{
	struct host_stack stack;
	const char *name;
	u64 start;

	if (!go_stack__read(&f->l->shape, f->mem, g, &stack) || stack.len < 2)
		return 0;
	if (!go_program__function(f->program, stack.frame[stack.len - 1].ip - 1 - f->l->bias,
				  &start, &name) ||
	    strcmp(name, "runtime.goexit") != 0)
		return 0;
	if (!go_program__function(f->program, stack.frame[stack.len - 2].ip - 1 - f->l->bias,
				  &start, &name))
		return 0;
	return start + f->l->bias;
}

/* The offset at which each of them holds the start of its outermost function. */
static bool find_start(struct finder *f, u32 *ret_waiting)
{
	bool fits[GO_G_MAX / 8];
	u8 g[GO_G_MAX];
	u32 known = 0;

	*ret_waiting = 0;
	memset(fits, true, sizeof(fits));
	for (u32 i = 0; i < f->probes_len; i++) {
		u64 start;

		if (!read_waiting(f, f->probes[i], g))
			continue;
		++*ret_waiting;
		start = start_of(f, g);
		known += start != 0;
		for (u32 off = START_MIN; start && off <= START_MAX; off += 8)
			fits[off / 8] = fits[off / 8] && go_word(g, off) == start;
	}
	for (u32 off = START_MIN; known && off <= START_MAX; off += 8) {
		if (!fits[off / 8])
			continue;
		f->l->start = off;
		f->l->sz = off + 8;
		return true;
	}
	return false;
}

/* The version, and with it where the fields are. */
static int find_shape(struct finder *f, struct err *err)
{
	u64 at;
	int r;

	if (!f->program->minor)
		scan_data(f, is_version, &at);
	r = go_program__check_version(f->program, err);
	for (size_t i = ARRAY_LEN(shapes); i-- > 0;)
		f->l->shape = f->program->minor <= shapes[i].until ? shapes[i].shape : f->l->shape;
	return r;
}

static int find(struct finder *f, struct err *err)
{
	u32 waiting;
	int r;

	if (!task_home__code(f->home, f->program->image, &f->l->bias))
		return err__set(err, -EAGAIN, "its program is not mapped");
	r = find_shape(f, err);
	if (r)
		return r;
	r = find_list(f);
	if (r || !read_probes(f))
		return err__set(err, -EAGAIN, "it has no goroutines yet");
	if (!find_start(f, &waiting))
		return waiting ? err__set(err, -ENOTSUP,
					  "its goroutines do not look as those of %s should",
					  f->program->version) :
				 err__set(err, -EAGAIN, "no goroutine waits yet");
	r = find_reasons(f);
	return r ? err__nomem(err) : 0;
}

int go_layout__find(struct go_layout *l, struct go_program *g, struct task_memory *mem,
		    const struct task_home *home, struct err *err)
{
	struct finder f = { .l = l, .program = g, .mem = mem, .home = home };
	int r;

	*l = (struct go_layout){ .functions = g->functions };
	arena__init(&l->strings);
	r = find(&f, err);
	if (r)
		go_layout__done(l);
	return r;
}

void go_layout__done(struct go_layout *l)
{
	if (!l)
		return;
	arena__done(&l->strings);
	*l = (struct go_layout){ 0 };
}

const char *go_layout__reason(const struct go_layout *l, u32 reason)
{
	const char *text = reason < l->reasons_len ? l->reasons[reason] : NULL;

	return text && *text ? text : NULL;
}
