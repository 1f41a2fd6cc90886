/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services of one thread, one after the other, each gone before the next one comes: the kernel
 * gives the memory of one's address to the next.
 */
#include "objects.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define SERVICES 4
#define SERVICE_US 30000

static int stream(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		wl_die("socket");
	return fd;
}

/* An accepted socket that nobody writes to. */
static void serve(const struct sockaddr_un *un)
{
	const struct timeval most = { .tv_usec = SERVICE_US };
	int listener = stream(), client = stream(), fd;
	char byte;

	if (bind(listener, (const void *)un, sizeof(*un)) || listen(listener, 1) ||
	    connect(client, (const void *)un, sizeof(*un)))
		wl_die(un->sun_path);
	fd = accept(listener, NULL, NULL);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)))
		wl_die("accept");
	close(listener);
	if (read(fd, &byte, 1) >= 0)
		wl_die("read");
	close(client);
	close(fd);
}

static void *again_main(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < SERVICES; i++) {
		struct sockaddr_un un = { .sun_family = AF_UNIX };

		snprintf(un.sun_path, sizeof(un.sun_path), "%s/again-%d", objects_dir, i);
		unlink(un.sun_path);
		serve(&un);
		wl_emit("{\"event\":\"again\",\"tid\":%d,\"label\":\"unix %s (server)\"}",
			wl_gettid(), un.sun_path);
	}
	return NULL;
}

void again_run(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, again_main, NULL))
		wl_die("pthread_create");
	pthread_join(thread, NULL);
}
