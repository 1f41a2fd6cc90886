/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUTS_H
#define APP_OUTPUTS_H

#include "base/err.h"
#include "base/vec.h"
#include "render/render.h"

/*
 * The files given by -o. They are opened before the trace, so that a path that cannot be written is
 * reported at once rather than after ten minutes, and before privileges are dropped.
 */
struct outputs {
	struct vec list; /* struct output */
};

/* 0; -EINVAL listing the known extensions if `path` has none of them. */
int output_check(const char *path, struct err *err);

void outputs__init(struct outputs *o);
/*
 * The extension selects the format. An existing file keeps its content until outputs__write().
 * Symbolic links are followed, also to a file that does not exist.
 */
int outputs__add(struct outputs *o, const char *path, struct err *err);
/* -EINVAL with a message if writing to `path` would overwrite the recording. */
int output_spare(const char *path, const char *recording, struct err *err);
/* The same for all files. */
int outputs__spare(const struct outputs *o, const char *recording, struct err *err);
/*
 * Writes them all; a failure does not stop the others. Returns the first error, with a message that
 * includes all of them.
 */
int outputs__write(struct outputs *o, const struct profile *p, const struct render_options *opt,
		   struct err *err);
/* Closes; removes files that were created but never written. */
void outputs__done(struct outputs *o);

/*
 * Writes bytes from memory to a file; "-" is standard output. An existing file keeps its content
 * until then, so an earlier failure costs nothing. A file that cannot be written completely is
 * emptied, or removed if it is new.
 */
int output_replace(const char *path, const struct sink *bytes, struct err *err);
/*
 * The same to a descriptor, for text that people read; `ascii` for a terminal without UTF-8
 * (utf8_put_ascii()).
 */
int output_text(int fd, const struct sink *text, bool ascii, struct err *err);
/* Writes to a descriptor, which stays open. -EPIPE if the reader closed the pipe. */
int output_put(int fd, const struct render_ops *format, const struct profile *p,
	       const struct render_options *opt, struct err *err);

#endif
