/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every change of a goroutine from waiting to runnable goes through casgstatus(), with both states
 * as constants. The compiler puts them into registers just before the call. So all of the runtime
 * is looked through for that, and no list of functions has to be right for each version: ready(),
 * injectglist() for the network, findRunnable() and the collector are among them. A chance match in
 * the middle of an instruction needs 32 bits of an address and two constants to be right.
 */
#include "async/go/go_sites.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define RUNTIME "runtime."
#define CALL 0xe8 /* call rel32 */
#define CALL_SZ 5
#define MOVE_SZ 5 /* mov imm32 to a register */
/* Both constants are so close before the call. */
#define WINDOW 32
/* No function of the runtime is larger. */
#define CODE_MAX (1 << 17)
/* There are 11 in Go 1.19 and 1.26; what has more is no runtime of Go. */
#define SITES_MAX 64

struct finding {
	const struct go_program *g;
	struct go_callees to;
	u64 park; /* address of gopark() */
	u64 ready; /* address of ready(); 0: unknown */
	u64 scanned_end; /* addresses below it were looked through */
	u8 *code;
	struct vec *sites;
};

/* Whether one of the instructions before `at` is mov $value, %REG. */
static bool moves(const u8 *code, size_t at, u8 opcode, u32 value)
{
	size_t from = at > WINDOW ? at - WINDOW : 0;

	for (size_t i = from; i + MOVE_SZ <= at; i++) {
		if (code[i] == opcode && !memcmp(code + i + 1, &value, sizeof(value)))
			return true;
	}
	return false;
}

/* mov $4, %ebx; mov $1, %ecx */
static bool ends_wait(const u8 *code, size_t at)
{
	return moves(code, at, 0xbb, CS_GO_WAITING) && moves(code, at, 0xb9, CS_GO_RUNNABLE);
}

int go_sites_scan(struct view code, u64 vaddr, const struct go_callees *to, bool parks,
		  struct vec *sites)
{
	u64 want = parks ? to->mcall : to->casgstatus;
	size_t sz = view__left(&code);

	for (size_t at = 0; at + CALL_SZ <= sz; at++) {
		struct go_site *site;
		s32 rel;

		memcpy(&rel, code.p + at + 1, sizeof(rel));
		if (code.p[at] != CALL || vaddr + at + CALL_SZ + (u64)(s64)rel != want ||
		    (!parks && !ends_wait(code.p, at)))
			continue;
		site = vec__push(sites);
		if (!site)
			return -ENOMEM;
		*site = (struct go_site){ .off = at, .is_end = !parks };
	}
	return 0;
}

static void find_callees(struct finding *f)
{
	u64 start, end;
	const char *name;

	for (size_t i = 0; i < gopclntab__len(f->g->functions); i++) {
		if (!gopclntab__func(f->g->functions, i, &start, &end, &name))
			continue;
		if (!strcmp(name, RUNTIME "mcall"))
			f->to.mcall = start;
		else if (!strcmp(name, RUNTIME "casgstatus"))
			f->to.casgstatus = start;
		else if (!strcmp(name, RUNTIME "gopark"))
			f->park = start;
		else if (!strcmp(name, RUNTIME "ready"))
			f->ready = start;
	}
}

/* What cannot be read has no sites: a file may claim anything. */
static int scan_function(struct finding *f, u64 start, u64 end)
{
	const struct image_segment *seg = image__segment_at(f->g->image, start);
	size_t first = f->sites->len;
	u64 off;
	ssize_t n;
	int r;

	if (!seg || end <= start || end - start > CODE_MAX || end - seg->vaddr > seg->file_sz)
		return 0;
	off = start - seg->vaddr + seg->off;
	n = pread(f->g->image->fd, f->code, end - start, (off_t)off);
	if (n <= 0)
		return 0;
	r = go_sites_scan(view__of(f->code, (size_t)n), start, &f->to, start == f->park, f->sites);
	for (size_t i = first; i < f->sites->len; i++)
		((struct go_site *)vec__at(f->sites, i))->off += off;
	return r;
}

/* Most waits end in ready(): its sites come last, so that they are the first to be taken off. */
static int scan_ready(struct finding *f)
{
	u64 start, end;
	const char *name;
	size_t idx;

	if (!f->ready || !gopclntab__find(f->g->functions, f->ready, &idx) ||
	    !gopclntab__func(f->g->functions, idx, &start, &end, &name))
		return 0;
	return scan_function(f, start, end);
}

static int scan(struct finding *f)
{
	u64 start, end;
	const char *name;
	int r = 0;

	for (size_t i = 0; !r && i < gopclntab__len(f->g->functions) && f->sites->len <= SITES_MAX;
	     i++) {
		/* each byte once, also in a table that is not sorted */
		if (!gopclntab__func(f->g->functions, i, &start, &end, &name) ||
		    strncmp(name, RUNTIME, sizeof(RUNTIME) - 1) || start < f->scanned_end)
			continue;
		f->scanned_end = end > start ? end : f->scanned_end;
		if (start != f->ready)
			r = scan_function(f, start, end);
	}
	return r ? r : scan_ready(f);
}

static int check(const struct finding *f, struct err *err)
{
	u32 begins = 0, ends = 0;

	for (size_t i = 0; i < f->sites->len; i++) {
		if (((const struct go_site *)vec__at(f->sites, i))->is_end)
			ends++;
		else
			begins++;
	}
	if (begins == 1 && ends && f->sites->len <= SITES_MAX)
		return 0;
	return err__set(err, -ENOTSUP,
			"the runtime of %s does not look as it should: no waits can be measured",
			*f->g->version ? f->g->version : "its version of Go");
}

int go_sites_find(const struct go_program *g, struct vec *sites, struct err *err)
{
	struct finding f = { .g = g, .sites = sites, .code = mem_alloc(CODE_MAX) };
	int r;

	if (!f.code)
		return err__nomem(err);
	vec__reset(sites);
	find_callees(&f);
	r = f.to.mcall && f.to.casgstatus && f.park ? scan(&f) : 0;
	mem_free(f.code);
	return r ? err__nomem(err) : check(&f, err);
}
