/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakeups that are not simply one thread's call for another one. Usage:
 *
 *   requeue COUNT ROUNDS   so many threads wait for one futex, are moved to another one without
 *                          being woken, and then woken there
 *   exit ROUNDS            a thread waits for others that end
 */
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	} else {
		wl_die("usage: handover requeue COUNT ROUNDS | exit ROUNDS");
	}
	return 0;
}
