/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakeups that are not simply one thread's call for another one. Usage:
 *
 *   requeue COUNT ROUNDS   so many threads wait for one futex, are moved to another one without
 *                          being woken, and then woken there
 *   exit ROUNDS            a thread waits for others that end
 *   uring ROUNDS           a thread waits for a worker of io_uring, which opens a FIFO for it and
 *                          waits until another thread opens the other end
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"

static int count, rounds;
static int first_word, second_word, waiting;

static long futex(int *word, int op, int value, unsigned long value2, int *word2, int value3)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, value2, word2, value3);
}

/* The word is the number of the round: who comes late to it does not wait. */
static noinline void requeue_wait(int round)
{
	__atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
	futex(&first_word, FUTEX_WAIT, round, 0, NULL, 0);
}

static noinline void requeue_move(void)
{
	futex(&first_word, FUTEX_CMP_REQUEUE, 0, CREW_MOST, &second_word,
	      __atomic_load_n(&first_word, __ATOMIC_SEQ_CST));
}

static noinline void requeue_wake(void)
{
	futex(&second_word, FUTEX_WAKE, CREW_MOST, 0, NULL, 0);
}

/* Thread 0 moves and wakes all others. */
static void run_requeue(struct wl_thread *t)
{
	for (int i = 0; i < rounds; i++) {
		if (t != crew) {
			requeue_wait(i);
			while (__atomic_load_n(&first_word, __ATOMIC_SEQ_CST) == i)
				wl_pause(100000);
			continue;
		}
		while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) < count * (i + 1))
			wl_pause(1000000);
		wl_pause(3000000);
		requeue_move();
		wl_pause(3000000);
		__atomic_store_n(&first_word, i + 1, __ATOMIC_SEQ_CST);
		requeue_wake();
	}
}

static void *exits(void *arg)
{
	(void)arg;
	wl_pause(5000000);
	return NULL;
}

static noinline void exit_join(pthread_t other)
{
	pthread_join(other, NULL);
}

static void run_joins(struct wl_thread *t)
{
	pthread_t other;

	(void)t;
	for (int i = 0; i < rounds; i++) {
		if (pthread_create(&other, NULL, exits, NULL))
			wl_die("pthread_create");
		exit_join(other);
	}
}

/* A ring with place for one request, of which at most one is under way. */
struct ring {
	int fd;
	struct io_uring_sqe *sqe;
	unsigned *sq_tail, *sq_array, *sq_mask;
	unsigned *cq_head, *cq_mask;
	struct io_uring_cqe *cqes;
};

static char fifo[64];

static void *ring_map(const struct ring *r, size_t bytes, off_t at)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, at);

	if (p == MAP_FAILED)
		wl_die("mmap of a ring");
	return p;
}

static void ring_open(struct ring *r)
{
	struct io_uring_params params = { 0 };
	char *sq, *cq;

	r->fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	if (r->fd < 0)
		wl_die("io_uring_setup");
	sq = ring_map(r, params.sq_off.array + params.sq_entries * sizeof(unsigned),
		      IORING_OFF_SQ_RING);
	cq = ring_map(r, params.cq_off.cqes + params.cq_entries * sizeof(*r->cqes),
		      IORING_OFF_CQ_RING);
	r->sqe = ring_map(r, params.sq_entries * sizeof(*r->sqe), IORING_OFF_SQES);
	r->sq_tail = (unsigned *)(sq + params.sq_off.tail);
	r->sq_mask = (unsigned *)(sq + params.sq_off.ring_mask);
	r->sq_array = (unsigned *)(sq + params.sq_off.array);
	r->cq_head = (unsigned *)(cq + params.cq_off.head);
	r->cq_mask = (unsigned *)(cq + params.cq_off.ring_mask);
	r->cqes = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
}

/* The ring's descriptor of the FIFO, once a worker has opened it. */
static noinline int uring_wait(struct ring *r)
{
	unsigned at = *r->sq_tail & *r->sq_mask;
	int fd;

	r->sqe[at] = (struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.flags = IOSQE_ASYNC,
		.fd = AT_FDCWD,
		.addr = (unsigned long)fifo,
		.open_flags = O_RDONLY,
	};
	r->sq_array[at] = at;
	__atomic_store_n(r->sq_tail, *r->sq_tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		wl_die("io_uring_enter");
	fd = r->cqes[*r->cq_head & *r->cq_mask].res;
	__atomic_store_n(r->cq_head, *r->cq_head + 1, __ATOMIC_RELEASE);
	return fd;
}

static noinline int uring_open_other_end(void)
{
	return open(fifo, O_WRONLY);
}

static void await_round(const int *word, int round)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < round)
		wl_pause(100000);
}

/* What thread 1 does: 5 ms after the ring was asked it opens the other end. */
static void answer_uring(void)
{
	for (int i = 1; i <= rounds; i++) {
		int fd;

		await_round(&first_word, i);
		wl_pause(5000000);
		fd = uring_open_other_end();
		if (fd < 0)
			wl_die("open of the FIFO");
		close(fd);
		__atomic_store_n(&second_word, i, __ATOMIC_SEQ_CST);
	}
}

static void run_uring(struct wl_thread *t)
{
	struct ring r;

	if (t != crew) {
		answer_uring();
		return;
	}
	ring_open(&r);
	for (int i = 1; i <= rounds; i++) {
		int fd;

		__atomic_store_n(&first_word, i, __ATOMIC_SEQ_CST);
		fd = uring_wait(&r);
		if (fd < 0)
			wl_die("open of the FIFO by the ring");
		await_round(&second_word, i);
		close(fd);
	}
}

/* Exit status 77: there is no io_uring here. */
static void check_uring(void)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 1, &params);

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		exit(77);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "requeue") && atoi(argv[2]) < CREW_MOST) {
		count = atoi(argv[2]);
		rounds = atoi(argv[3]);
		crew_start(count + 1, run_requeue, "requeue");
		crew_converse(count + 1);
	} else if (argc == 3 && !strcmp(argv[1], "exit")) {
		rounds = atoi(argv[2]);
		crew_start(1, run_joins, "join");
		crew_converse(1);
	} else if (argc == 2 && !strcmp(argv[1], "has-uring")) {
		check_uring();
	} else if (argc == 3 && !strcmp(argv[1], "uring")) {
		rounds = atoi(argv[2]);
		snprintf(fifo, sizeof(fifo), "/tmp/coldspot-handover.%d", getpid());
		if (mkfifo(fifo, 0600))
			wl_die("mkfifo");
		crew_start(2, run_uring, "uring");
		crew_converse(2);
		unlink(fifo);
	} else {
		wl_die("usage: handover requeue COUNT ROUNDS | exit ROUNDS | uring ROUNDS");
	}
	return 0;
}
