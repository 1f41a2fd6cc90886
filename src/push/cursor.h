/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_CURSOR_H
#define PUSH_CURSOR_H

#include "base/err.h"
#include "base/view.h"
#include "store/store.h"

/*
 * Which windows of a store a target has had, in a file that is named after the target. One process
 * at a time sends to a target: it holds a lock that ends with it.
 */
struct push_cursor {
	char path[1200];
	char target[2200]; /* without secrets */
	int lock_fd; /* -1: none */
	bool is_new; /* there was no file */
	struct store_cursor at;
};

/*
 * Reads the file in `dir`, if there is one, and takes the lock. -EBUSY if another process has it;
 * -EINVAL if the file is not one of ours; or an error of the directory. Release with
 * push_cursor__done() in either case.
 */
int push_cursor__init(struct push_cursor *c, const char *dir, const char *target, struct err *err);
void push_cursor__done(struct push_cursor *c);
/* Replaces the file: after a crash there is the old one or the new one. */
int push_cursor__write(struct push_cursor *c, const struct store_cursor *at, struct err *err);

/* What is in the file. False: not that. */
bool push_cursor_parse(struct view text, struct store_cursor *ret);

#endif
