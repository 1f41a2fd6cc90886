/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_CURSOR_H
#define PUSH_CURSOR_H

#include "base/err.h"
#include "base/view.h"
#include "store/store.h"

/* Where a target is in a store. All zero: before the first window. */
struct push_place {
	struct store_cursor at;
	u64 begin_wall_ns; /* of the window there, or of the first one of the file; 0: not known */
};

/*
 * Which windows of a store a target has had, in a file that is named after the target, and after
 * the store if it is in another directory. One process at a time sends to a target: it holds a lock
 * that ends with it.
 */
struct push_cursor {
	char path[1200];
	char target[2200]; /* without secrets */
	int lock_fd; /* -1: none */
	bool is_new; /* there was no file */
	struct push_place place;
};

/*
 * Reads the file in `dir`, if there is one, and takes the lock. `store` is the path of the store,
 * or "" if that is `dir`. -EBUSY if another process has the lock; -EINVAL if the file is not one of
 * ours; or an error of the directory. Release with push_cursor__done() in either case.
 */
int push_cursor__init(struct push_cursor *c, const char *dir, const char *store, const char *target,
		      struct err *err);
void push_cursor__done(struct push_cursor *c);
/* Replaces the file: after a crash there is the old one or the new one. */
int push_cursor__write(struct push_cursor *c, const struct push_place *place, struct err *err);

/* What is in the file. False: not that. */
bool push_cursor_parse(struct view text, struct push_place *ret);

#endif
