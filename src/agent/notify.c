/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol is a datagram of lines to a unix socket: not worth a library. */
#include "agent/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/units.h"

static int connect_to(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len < 2 || len >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
		return -1;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@') /* a name that is in no file system */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&to,
			       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len))) {
		close(fd);
		return -1;
	}
	return fd;
}

void notify__init(struct notify *n)
{
	const char *usec = getenv("WATCHDOG_USEC");
	u64 us = 0;

	*n = (struct notify){ .fd = connect_to(getenv("NOTIFY_SOCKET")) };
	if (usec && !units_parse_u64(usec, 1, ~0ULL / NSEC_PER_USEC, &us, NULL))
		n->watchdog_ns = us * NSEC_PER_USEC;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
}

void notify__done(struct notify *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

void notify__send(const struct notify *n, const char *lines)
{
	if (n->fd >= 0)
		(void)send(n->fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void notify__alive(struct notify *n, u64 now_ns)
{
	if (!n->watchdog_ns || now_ns < n->next_ns)
		return;
	n->next_ns = now_ns + n->watchdog_ns / 2;
	notify__send(n, "WATCHDOG=1");
}
