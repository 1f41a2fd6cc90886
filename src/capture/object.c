/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A kernel function that is declared weak may be missing, but to be sure of that libbpf 1.1 asks
 * for the BTF of all modules, which takes CAP_SYS_ADMIN before Linux 6.2 had the function. So there
 * are two objects, and the skeleton of the first serves both.
 */
#include "capture/object.h"

#include <errno.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "base/mem.h"
#include "gen/coldspot.skel.h"
#include "gen/coldspot_plain.skel.h"

struct coldspot *object_open(bool kfuncs)
{
	struct coldspot *skel = mem_alloc(sizeof(*skel));
	int r;

	if (!skel) {
		errno = ENOMEM;
		return NULL;
	}
	r = coldspot__create_skeleton(skel);
	/* Only read; libbpf's struct says otherwise. */
	if (!r && !kfuncs)
		skel->skeleton->data =
			(void *)(uintptr_t)coldspot_plain__elf_bytes(&skel->skeleton->data_sz);
	if (!r)
		r = bpf_object__open_skeleton(skel->skeleton, NULL);
	if (!r)
		return skel;
	coldspot__destroy(skel);
	errno = -r;
	return NULL;
}
