/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SRCLINE_PRIV_H
#define ELF_SRCLINE_PRIV_H

#include "base/sink.h"
#include "base/view.h"
#include "elf/srcline.h"

/*
 * What the reading process says to us, one record after the other: u32 index of the address, u32
 * number of calls, and for each u32 line, name, NUL, file, NUL. Believed no more than the file is.
 */

struct srcline_job {
	const struct srcline_file *file;
	const u64 *vaddrs;
	size_t len;
	struct srcline_want want;
};

/* In the reading process: all that can be said goes to `out`. -EINVAL: there is no reading it. */
int srcline_job__run(const struct srcline_job *job, struct sink *out);

void srcline_put(struct sink *out, size_t idx, const struct srcline_call *calls, size_t len);
/*
 * Takes whole records; what is behind the last one was cut off. -EINVAL for what cannot be meant;
 * errors of `fn`.
 */
int srcline_parse(struct view records, size_t addrs_len, srcline_fn fn, void *arg);

#endif
