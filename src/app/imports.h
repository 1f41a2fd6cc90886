/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_IMPORTS_H
#define APP_IMPORTS_H

#include "base/vec.h"
#include "import/import.h"

/*
 * The files (const char *) of other tools in one profile, which the caller frees; "-" is standard
 * input. A perf.data file is read through `perf script`. Of `opt` the name is set here. Errors are
 * those of import_read() and profile_merge(), and -ENOENT if a program is not installed.
 */
int imports_load(const struct vec *files, const struct import_options *opt, struct profile **ret,
		 struct err *err);

#endif
