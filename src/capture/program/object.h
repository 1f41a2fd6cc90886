/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_OBJECT_H
#define CAPTURE_PROGRAM_OBJECT_H

#include <stdarg.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "capture/feature/btf_excerpt.h"

struct coldspot;

/*
 * Our BPF object, opened but not loaded; free it with coldspot__destroy(). It is relocated for the
 * kernel whose types are in `btf`; close *ret_btf_fd after the object is loaded.
 */
int object_open(const struct btf_excerpt *btf, struct coldspot **ret, int *ret_btf_fd,
		struct err *err);
/* For libbpf_set_print(): what libbpf says becomes lines of the debug log. */
int object_print_to_log(enum libbpf_print_level level, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
