/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_PATH_H
#define ANALYSIS_PATH_REQUEST_PATH_H

#include "analysis/path/path_table.h"
#include "analysis/path/request_table.h"

/*
 * The critical paths of all requests of a class as one table, which adds up to the sum of their
 * lengths. Its memory is in the arena; its row_of_part is of no use. -ENOMEM or 0.
 */
int request_path__build(const struct lanes *lanes, const struct request_class *c,
			struct cause_memo *memo, struct arena *a, struct path_table *ret,
			struct err *err);
/*
 * The same of each class of a table, as an array by class. -EINVAL with a sentence without wakers,
 * -ENOMEM or 0.
 */
int request_paths__build(const struct lanes *lanes, const struct request_table *table,
			 struct cause_memo *memo, struct arena *a, struct path_table **ret,
			 struct err *err);

#endif
