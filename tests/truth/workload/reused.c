/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One descriptor number for many things: the main thread waits once for each of so many pipes,
 * eventfds and timerfds in turn, and closes them; and one socket that is connected to one address
 * and then to another. On standard input comes "go".
 */
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "wl.h"

#define ROUNDS 40
#define PAUSE_NS 1000000

static void *feed(void *fd)
{
	wl_pause(PAUSE_NS);
	if (write(*(int *)fd, "12345678", 8) != 8)
		wl_die("write");
	return NULL;
}

static void wait_once(int fd, int *fed)
{
	pthread_t feeder;
	char bytes[8];

	if (fed && pthread_create(&feeder, NULL, feed, fed))
		wl_die("pthread_create");
	if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		wl_die("read");
	if (fed)
		pthread_join(feeder, NULL);
}

static void wait_pipe(void)
{
	struct stat st;
	int fd[2];

	if (pipe(fd) || fstat(fd[0], &st))
		wl_die("pipe");
	wait_once(fd[0], &fd[1]);
	wl_emit("{\"event\":\"pipe\",\"fd\":%d,\"label\":\"pipe:[%lu]\"}", fd[0],
		(unsigned long)st.st_ino);
	close(fd[0]);
	close(fd[1]);
}

static void wait_event(void)
{
	int fd = eventfd(0, 0);

	if (fd < 0)
		wl_die("eventfd");
	wait_once(fd, &fd);
	close(fd);
}

static void wait_timer(void)
{
	struct itimerspec after = { .it_value = { .tv_nsec = PAUSE_NS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	if (fd < 0 || timerfd_settime(fd, 0, &after, NULL))
		wl_die("timerfd");
	wait_once(fd, NULL);
	close(fd);
}

/* As linux/ipv6.h has it, which cannot be included beside netinet/in.h. */
struct in6_address {
	struct in6_addr addr;
	unsigned int prefix;
	int ifindex;
};

static struct sockaddr_in6 address(int i)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(9) };

	a.sin6_addr.s6_addr[0] = 0xfd;
	a.sin6_addr.s6_addr[15] = (unsigned char)(i + 1);
	return a;
}

/* A network of this process alone, with as many addresses as there are rounds. False: no IPv6. */
static bool make_network(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd;

	if (unshare(CLONE_NEWNET))
		wl_die("unshare");
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	if (fd < 0)
		return false;
	if (ioctl(fd, SIOCSIFFLAGS, &up) || ioctl(fd, SIOCGIFINDEX, &up))
		wl_die("lo");
	for (int i = 0; i < ROUNDS; i++) {
		struct in6_address a = { address(i).sin6_addr, 128, up.ifr_ifindex };

		if (ioctl(fd, SIOCSIFADDR, &a))
			wl_die("address");
	}
	close(fd);
	return true;
}

static int open_socket(void)
{
	struct timeval patience = { .tv_usec = PAUSE_NS / 1000 };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		wl_die("socket");
	return fd;
}

static void wait_socket(int fd, int i)
{
	struct sockaddr_in6 to = address(i);
	char byte;

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		wl_die("connect");
	if (recv(fd, &byte, 1, 0) != -1)
		wl_die("recv");
	wl_emit("{\"event\":\"socket\",\"label\":\"udp [fd00::%x]:9\"}", i + 1);
}

int main(void)
{
	bool has_ipv6 = make_network();
	int sock = has_ipv6 ? open_socket() : -1;

	if (!has_ipv6)
		wl_emit("{\"event\":\"skip\",\"kind\":\"socket\",\"why\":\"no IPv6\"}");
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	for (int i = 0; i < ROUNDS; i++) {
		wait_pipe();
		wait_event();
		wait_timer();
		if (has_ipv6)
			wait_socket(sock, i);
	}
	wl_emit("{\"event\":\"done\",\"rounds\":%d,\"tid\":%d}", ROUNDS, wl_gettid());
	wl_expect("quit");
	return 0;
}
