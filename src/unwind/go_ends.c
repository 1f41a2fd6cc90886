/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a few assembly functions, Go's runtime switches from the stack of a goroutine to that of the
 * thread and back. Above their frames are leftovers of other calls, and the frame pointer is that
 * of the goroutine. Continuing, by the rules that Go's linker writes or by frame pointer, gives
 * callers that never called. Go's own stack traces have a list of these functions, and so does this
 * file. Those that wait for a goroutine's function to return do have a caller, on the stack they
 * left, but no rule leads there.
 *
 * Their names are in the table that Go keeps for itself.
 */
#include "unwind/go_ends.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "elf/gopclntab.h"

/* Suffix of assembly functions in symbol tables; never seen in Go's own table. */
#define ABI0 ".abi0"

static const struct {
	const char *name;
	enum cfi_cfa cfa;
} known[] = {
	{ "runtime.rt0_go", CFI_CFA_END }, /* the first thread */
	{ "runtime.mstart", CFI_CFA_END }, /* every other */
	{ "runtime.goexit", CFI_CFA_END }, /* a goroutine */
	{ "runtime.mcall", CFI_CFA_END }, /* a goroutine yielded to the scheduler */
	{ "runtime.morestack", CFI_CFA_END },
	{ "runtime.systemstack", CFI_CFA_END },
	{ "runtime.asmcgocall", CFI_CFA_UNSUPPORTED }, /* C */
	/* the vDSO, which needs more stack than a goroutine may have */
	{ "runtime.nanotime1", CFI_CFA_UNSUPPORTED },
	{ "runtime.walltime", CFI_CFA_UNSUPPORTED },
	{ "time.now", CFI_CFA_UNSUPPORTED },
};

static bool find_known(const char *name, enum cfi_cfa *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++) {
		size_t len = strlen(known[i].name);

		if (strncmp(name, known[i].name, len) || (name[len] && strcmp(name + len, ABI0)))
			continue;
		*ret = known[i].cfa;
		return true;
	}
	return false;
}

/*
 * Without the last byte, which is padding: Go puts the address of systemstack_switch on stacks as
 * if it had called there, and return addresses are looked up one byte earlier. That byte is in
 * another function.
 */
static int add(struct known_code *k, const struct image *img, u64 start, u64 end, enum cfi_cfa cfa)
{
	const struct cfi_rule rule = { .cfa = (u8)cfa };

	return end > start ? known_code__add(k, img, start, end - 1, &rule, false) : 0;
}

int go_ends__add(struct known_code *k, const struct image *img, bool *ret_is_go)
{
	struct gopclntab *gp = NULL;
	size_t i, len;
	u32 found = 0;
	int r;

	*ret_is_go = false;
	if (img->machine != EM_X86_64 && img->machine != EM_AARCH64)
		return 0;
	r = gopclntab__open(img, &gp, NULL);
	if (r)
		return r == -ENOMEM ? r : 0;
	*ret_is_go = true;
	len = gopclntab__len(gp);
	for (i = 0; !r && i < len && found < GO_ENDS_MAX; i++) {
		const char *name;
		enum cfi_cfa cfa;
		u64 start, end;

		if (!gopclntab__func(gp, i, &start, &end, &name) || !find_known(name, &cfa))
			continue;
		r = add(k, img, start, end, cfa);
		found++;
	}
	gopclntab__free(gp);
	return r;
}
