/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_PYTHON_CODES_H
#define CAPTURE_RUNTIME_PYTHON_CODES_H

#include "abi/event.h"
#include "base/intern.h"
#include "base/types.h"
#include "proc/ended.h"
#include "profile/interpreted.h"

/*
 * What the programs told of interpreted functions, until it is given to whoever names frames; what
 * remains here is that it was. Not thread-safe.
 */
struct python_codes {
	struct intern table; /* of struct python_code */
	u64 lines_lost; /* line tables that were too long to be sent and could not be read */
	u64 full; /* functions that came when there was no room for more: they stay unnamed */
	u64 bytes; /* of texts and line tables, also of those that were given */
	u64 bytes_max;
	u32 given; /* the first ones of the table, so many */
};

/* A program that makes functions all day long must not take all memory. */
#define PYTHON_CODES_BYTES (256ULL << 20)

/* -ENOMEM or 0. */
int python_codes__init(struct python_codes *pc);
/* NULL is fine. */
void python_codes__done(struct python_codes *pc);
/*
 * Takes the record of a function, of `sz` bytes; of one received before, the first stays. To
 * be called soon: the end of a long line table is read from the memory of the process. -ENOMEM;
 * -EINVAL for what is no such record; or 0.
 */
int python_codes__take(struct python_codes *pc, const struct cs_code_event *ev, size_t sz);
/* Whether a function of a program was received. */
bool python_codes__has(const struct python_codes *pc, u64 image, u64 code);
/*
 * Gives each function once, to `fn`, until it returns something else than 0, and returns that: then
 * it is given again.
 */
int python_codes__give(struct python_codes *pc,
		       int (*fn)(void *arg, const struct interpreted_code *code), void *arg);
/* Forgets those of programs that have ended. */
void python_codes__forget(struct python_codes *pc, const struct ended *ended);

/* Room for the text of a name: "...", two bytes for each that was sent, the end. */
#define PYTHON_TEXT_SZ (3 + 2 * CS_CODE_NAME_SZ + 1)
/*
 * The characters of a name as UTF-8: `len` bytes of them (only the last CS_CODE_NAME_SZ are in
 * `chars`), `width` as in cs_code_event.file_char. `mark` says that a cut name begins with "...".
 */
void python_text(const u8 *chars, u32 len, u32 width, bool mark, char buf[PYTHON_TEXT_SZ]);

#endif
