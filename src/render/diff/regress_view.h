/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_REGRESS_VIEW_H
#define RENDER_DIFF_REGRESS_VIEW_H

#include "analysis/regress/regress.h"
#include "base/sink.h"

/* Regressions to bytes, as diff_view.h. */
struct regress_view {
	const struct regress *found;
	const char *store; /* as typed */
	u64 from_ns; /* the range in question, CLOCK_REALTIME */
	u64 to_ns;
	u32 rows; /* of each table; 0: 15 [text] */
	bool color; /* ANSI colours [text] */
};

void regress_text_put(const struct regress_view *v, struct sink *out);
/* docs/regressions.md describes the keys and columns. */
void regress_json_put(const struct regress_view *v, struct sink *out);
void regress_csv_put(const struct regress_view *v, struct sink *out);

#endif
