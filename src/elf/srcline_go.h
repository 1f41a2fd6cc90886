/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SRCLINE_GO_H
#define ELF_SRCLINE_GO_H

#include "elf/srcline.h"

/* Whether it is a Go program, whose own table contains lines. */
bool srcline_go_has(const struct image *img);
/* As srcline_read(), from that table. */
int srcline_go_read(const struct srcline_file *f, const u64 *vaddrs, size_t len,
		    const struct srcline_want *want, struct err *err);

#endif
