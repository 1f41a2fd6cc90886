/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/object/anon_kind.h"

#include <string.h>

#include "base/types.h"

/* The kernel's names: fs/eventfd.c and so on, all of them. */
static const struct {
	const char *name;
	enum object_kind kind;
} kinds[] = {
	{ "[eventfd]", OBJECT_EVENTFD },   { "[timerfd]", OBJECT_TIMERFD },
	{ "[signalfd]", OBJECT_SIGNALFD }, { "inotify", OBJECT_INOTIFY },
	{ "[eventpoll]", OBJECT_EPOLL },   { "[io_uring]", OBJECT_IO_URING },
};

enum object_kind anon_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return OBJECT_ANON;
}
