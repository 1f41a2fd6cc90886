/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SRCLINE_PRIV_H
#define ELF_SRCLINE_PRIV_H

#include "base/sink.h"
#include "base/view.h"
#include "elf/srcline.h"

/*
 * What the child process sends, one record after the other: u32 index of the address, u32 number of
 * calls, and for each u32 line, name, NUL, file, NUL. It is trusted no more than the file is.
 */

struct srcline_job {
	const struct srcline_file *file;
	const u64 *vaddrs;
	size_t len;
	struct srcline_want want;
};

/* In the child process: writes all results to `out`. -EINVAL: the file is not readable. */
int srcline_job__run(const struct srcline_job *job, struct sink *out);

void srcline_put(struct sink *out, size_t idx, const struct srcline_call *calls, size_t len);
/*
 * Takes complete records; anything after the last one was cut off. -EINVAL for invalid data; errors
 * of `fn`.
 */
int srcline_parse(struct view records, size_t addrs_len, srcline_fn fn, void *arg);

#endif
