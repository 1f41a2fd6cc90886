/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stripping removes symbols, but neither the version (debug/buildinfo) nor the table of functions.
 * What is missing even so is found in memory: see go_layout.c.
 */
#include "async/go/go_program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf/lookup.h"

#define BUILDINFO_MAX (1 << 20)
/* Bytes of the header of .go.buildinfo before inline strings. */
#define BUILDINFO_HEAD 32
#define BUILDINFO_MAGIC "\xff Go buildinf:"
#define BUILDINFO_INLINE 2 /* flag: strings follow the header */
#define REASON_SZ 16 /* a string: address and length */
#define REASONS_MAX 256

bool go_program__take_version(struct go_program *g, struct view text)
{
	unsigned int minor;

	if (!view__copy(&text, g->version, sizeof(g->version)) ||
	    sscanf(g->version, "go1.%u", &minor) != 1) {
		g->version[0] = '\0';
		return false;
	}
	g->minor = minor;
	return true;
}

bool go_buildinfo_version(struct view info, struct view *ret)
{
	const void *magic = view__bytes(&info, sizeof(BUILDINFO_MAGIC) - 1);
	u8 flags;
	u64 sz;

	if (!magic || memcmp(magic, BUILDINFO_MAGIC, sizeof(BUILDINFO_MAGIC) - 1) != 0)
		return false;
	view__u8(&info); /* size of a pointer */
	flags = view__u8(&info);
	view__bytes(&info, BUILDINFO_HEAD - sizeof(BUILDINFO_MAGIC) - 1);
	sz = view__uleb(&info);
	*ret = view__sub(&info, 0, sz);
	return flags & BUILDINFO_INLINE && !info.bad && !ret->bad;
}

/* Who ships the file may have removed or emptied it. */
static void find_version(struct go_program *g)
{
	struct view info, text;

	if (image__section(g->image, ".go.buildinfo", BUILDINFO_MAX, &info) &&
	    go_buildinfo_version(info, &text))
		go_program__take_version(g, text);
}

static bool take_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct go_program *g = arg;

	if (strcmp(name, "runtime.allgs") == 0) {
		g->all = vaddr;
	} else if (strcmp(name, "runtime.waitReasonStrings") == 0) {
		g->reasons = vaddr;
		g->reasons_len = (u32)(sz / REASON_SZ);
		if (sz / REASON_SZ > REASONS_MAX)
			g->reasons_len = 0;
	}
	return !g->all || !g->reasons;
}

int go_program__check_version(const struct go_program *g, struct err *err)
{
	if (!g->minor)
		return err__set(err, -ENOTSUP,
				"its version of Go is not known, so its goroutines cannot be read: "
				"versions 1.%u to 1.%u can",
				GO_MINOR_MIN, GO_MINOR_MAX);
	if (g->minor < GO_MINOR_MIN || g->minor > GO_MINOR_MAX)
		return err__set(err, -ENOTSUP,
				"goroutines of %s cannot be read: those of Go 1.%u to 1.%u can",
				g->version, GO_MINOR_MIN, GO_MINOR_MAX);
	return 0;
}

static int check(struct go_program *g, struct err *err)
{
	if (g->image->machine != EM_X86_64)
		return err__set(err, -ENOTSUP, "goroutines can be read on x86-64 only");
	find_version(g);
	return *g->version ? go_program__check_version(g, err) : 0;
}

int go_program__open(struct go_program *g, int fd, const char *path, struct err *err)
{
	int r;

	*g = (struct go_program){ 0 };
	r = image__open(fd, path, &g->image, err);
	if (r)
		return r;
	r = gopclntab__open(g->image, &g->functions, err);
	if (!r)
		r = check(g, err);
	if (!r)
		lookup_symbols(g->image, LOOKUP_SYMTAB, take_symbol, g);
	if (r)
		go_program__done(g);
	return r;
}

void go_program__done(struct go_program *g)
{
	if (!g)
		return;
	gopclntab__free(g->functions);
	image__free(g->image);
	*g = (struct go_program){ 0 };
}

bool go_program__function(const struct go_program *g, u64 vaddr, u64 *ret_start,
			  const char **ret_name)
{
	size_t idx;
	u64 end;

	return gopclntab__find(g->functions, vaddr, &idx) &&
	       gopclntab__func(g->functions, idx, ret_start, &end, ret_name);
}
