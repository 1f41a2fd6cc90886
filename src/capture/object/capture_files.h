/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_CAPTURE_FILES_H
#define CAPTURE_OBJECT_CAPTURE_FILES_H

#include "base/file_id.h"
#include "base/types.h"
#include "proc/code_place.h"
#include "proc/ended.h"
#include "profile/interpreted.h"
#include "profile/object.h"

/*
 * What a drain hands to whoever makes names, and what it asks them. Each function gets `arg`;
 * give_* return 0 or a negative errno, which ends the drain.
 */
struct capture_files {
	int (*give_file)(void *arg, const struct file_id *file, int fd);
	const char *(*build_id)(void *arg, const struct file_id *file);
	int (*give_function)(void *arg, const struct interpreted_code *code);
	int (*give_code)(void *arg, struct code_place *place);
	int (*give_root)(void *arg, int fd);
	/* What is known of these programs is not asked for again. */
	void (*forget)(void *arg, const struct ended *ended);
	/* The variable at an offset of a file's data, as the linker called it; false: none is. */
	bool (*variable)(void *arg, const struct file_id *file, const char *path, u64 off,
			 struct object_variable *ret);
	void *arg;
};

#endif
