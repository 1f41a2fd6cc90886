/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of io_uring whose requests a thread of the kernel takes, and a server without clients. */
#include <linux/io_uring.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct io_uring_params params = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 10 };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	if (argc != 2 || syscall(SYS_io_uring_setup, 4, &params) < 0) {
		perror("io_uring_setup");
		return 1;
	}
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", argv[1]);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1)) {
		perror("listen");
		return 1;
	}
	for (;;)
		accept(listener, NULL, NULL);
}
