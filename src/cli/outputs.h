/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "base/err.h"
#include "base/vec.h"
#include "render/render.h"

/*
 * The files named with -o. They are opened before the trace, so that a path that cannot be written
 * is told at once and not after ten minutes, and before rights are given up.
 */
struct outputs {
	struct vec list; /* struct output */
};

/* 0; -EINVAL with the endings that are known, if that of the path is no format's. */
int output_check(const char *path, struct err *err);

void outputs__init(struct outputs *o);
/*
 * The format is that of the ending. A file that exists keeps its content until outputs__write(); a
 * link is followed, also to a file that does not exist.
 */
int outputs__add(struct outputs *o, const char *path, struct err *err);
/* -EINVAL with a sentence: what is to be written to `path` would go over the recording. */
int output_spare(const char *path, const char *recording, struct err *err);
/* Likewise of all files. */
int outputs__spare(const struct outputs *o, const char *recording, struct err *err);
/*
 * Writes them all; one that fails does not keep the others from being written. The first error,
 * with a sentence that has all of them.
 */
int outputs__write(struct outputs *o, const struct profile *p, const struct render_options *opt,
		   struct err *err);
/* Closes; a file that was made and never written is removed. */
void outputs__done(struct outputs *o);

/*
 * What was made in memory, to a file; "-" is standard output. A file that exists keeps its content
 * until then, so that what could not be made costs nothing. What cannot be written whole is empty,
 * or removed if the file is new.
 */
int output_replace(const char *path, const struct sink *bytes, struct err *err);
/* Writes to standard output. -EPIPE when the reader went away. */
int output_print(const struct render_ops *format, const struct profile *p,
		 const struct render_options *opt, struct err *err);

#endif
