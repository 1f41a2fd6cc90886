/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_PROBE_USDT_H
#define ELF_PROBE_USDT_H

#include "elf/image.h"

/*
 * Static probes of a program or library (USDT, SystemTap's <sys/sdt.h>): an instruction that does
 * nothing, and a note that names it. One probe may be in several places.
 */
struct usdt_note {
	const char *provider; /* these live as long as the image */
	const char *name;
	u64 pc; /* as the linker wrote them into the note */
	u64 base;
	u64 semaphore; /* 0: none */
};

/* Offsets in the file. */
struct usdt_place {
	u64 off; /* of the instruction */
	u64 semaphore_off; /* of a u16 that counts who traces the probe; 0: there is none */
};

/* Returns false to stop. */
typedef bool (*usdt_note_fn)(void *arg, const struct usdt_note *note);
typedef bool (*usdt_place_fn)(void *arg, const struct usdt_place *place);

/*
 * The notes of a section .note.stapsdt, whose addresses have 8 or 4 bytes. Notes of others and
 * those that are damaged are skipped.
 */
void usdt_notes(struct view bytes, size_t addr_sz, usdt_note_fn fn, void *arg);
/* The places of one probe, in the order of the file: those that are in code of the file. */
void usdt_find(const struct image *img, const char *provider, const char *name, usdt_place_fn fn,
	       void *arg);

#endif
