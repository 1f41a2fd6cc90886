/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view.h"

const struct view *view_of_tab(enum tab tab)
{
	static const struct view *const views[TAB_CNT] = {
		[TAB_FLAME] = &view_flame,
		[TAB_DIFF] = &view_diff,
		[TAB_OUTPUT] = &view_output,
		[TAB_COST] = &view_cost,
	};

	return views[tab] ? views[tab] : &view_table;
}
