/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that was deleted and begun anew has the same path and the same names of files. Taken as
 * the old one, its windows up to the cursor would never be sent.
 */
#include "push/pusher_priv.h"
#include "push/target.h"
#include "store/store.h"

/* The first window of the file after this number. 1, 0 if there is none, or -ENOMEM. */
static int find_in_file(struct store *s, const struct store_day *file, u32 after, u64 *ret_begin_ns,
			u32 *ret_window, struct err *err)
{
	const struct store_cursor before = { *file, after };
	struct store_window w;
	int r = store__next(s, &before, &w, err);

	if (r <= 0 || store_day_compare(&w.at.file, file))
		return r < 0 ? r : 0;
	*ret_begin_ns = w.begin_wall_ns;
	*ret_window = w.at.window;
	return 1;
}

static bool is_listed(const struct store *s, const struct store_day *file)
{
	for (size_t i = 0; i < store__files_len(s); i++) {
		const struct store_day listed = store__file(s, i).file;

		if (!store_day_compare(&listed, file))
			return true;
	}
	return false;
}

/* The file of the cursor has no window there: whether that makes the store another one. */
static int lacks(struct store *s, const struct store_day *file, struct err *err)
{
	struct store_day first;
	u64 begin_ns;
	u32 window;
	int r = find_in_file(s, file, 0, &begin_ns, &window, err);

	/* others can be read; if not, the file is damaged, or was just made */
	if (r || is_listed(s, file) || !store__files_len(s))
		return r;
	/* the oldest files are removed first */
	first = store__file(s, 0).file;
	return store_day_compare(&first, file) < 0;
}

/* 1, 0 or -ENOMEM. */
static int is_another(const struct push_place *place, struct store *s, struct err *err)
{
	const struct store_cursor *at = &place->at;
	u32 after = at->window ? at->window - 1 : 0, window = 0;
	u64 begin_ns = 0;
	int r = find_in_file(s, &at->file, after, &begin_ns, &window, err);

	if (r < 0)
		return r;
	if (!r || (at->window && window != at->window))
		return lacks(s, &at->file, err);
	return begin_ns != place->begin_wall_ns;
}

int pusher__check_store(struct pusher *p, struct store *s, struct err *err)
{
	int r;

	/* before the first window, or of a version that did not write it */
	if (!p->cursor.place.begin_wall_ns)
		return 0;
	r = is_another(&p->cursor.place, s, err);
	if (r <= 0)
		return r;
	pusher__say(p, PUSH_INFO, "the store was begun anew: %s gets all of its %s", p->url.name,
		    push_target_takes(p->url.target));
	r = push_cursor__write(&p->cursor, &(struct push_place){ 0 }, err);
	return r ? r : PUSHER_WENT_ON;
}
