/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_SITES_H
#define ASYNC_GO_GO_SITES_H

#include "async/go/go_program.h"
#include "base/err.h"
#include "base/vec.h"
#include "base/view.h"
#include "capture/program/go_probes.h"

/*
 * Where waits of goroutines begin and end in the code of a Go program, for x86-64: only calls,
 * which the kernel emulates when they are probed. Sources: gopark(), ready(), injectglist() and
 * others in runtime/proc.go of Go 1.18 to 1.26; arch/x86/kernel/uprobes.c.
 */

/* Addresses of functions of the runtime. */
struct go_callees {
	u64 mcall;
	u64 casgstatus;
};

/*
 * Looks through the code of one function, which begins at `vaddr`: appends a struct go_site for
 * each call of mcall() (`parks`: in gopark()), or else of casgstatus() with the constants of a wait
 * that ends. `off` of a site is its distance from the function. Pure; -ENOMEM or 0.
 */
int go_sites_scan(struct view code, u64 vaddr, const struct go_callees *to, bool parks,
		  struct vec *sites);
/*
 * The same of a program, with offsets in its file. -ENOTSUP with a sentence if its runtime does not
 * look as expected; -ENOMEM; or an error of reading the file.
 */
int go_sites_find(const struct go_program *g, struct vec *sites, struct err *err);

#endif
