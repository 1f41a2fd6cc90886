/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_HTTP_STREAM_H
#define WEB_HTTP_STREAM_H

#include <sys/types.h>

#include "web/source/web.h"

/* Server-sent events for one viewer: windows as they come, and what changes in the status. */
struct stream;

/*
 * From the window after that one. `fd`: the socket, borrowed, to notice that the viewer has left.
 * NULL when out of memory.
 */
struct stream *stream__new(struct web *w, u64 after, int fd);
void stream__free(struct stream *s);
/*
 * The next bytes, at most `max`; waits for them. 0: it is over, because the server stops
 * or the viewer has left. -ENOMEM.
 */
ssize_t stream__read(struct stream *s, char *buf, size_t max);

#endif
