/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library's locks. Its functions keep no frame pointer, so the walk by frame pointers loses
 * the function that called it: block_*() is there to be lost, run_*() is what a test can ask for.
 */
#include "waits.h"

#include <errno.h>

/* Holds the lock over a pause, so that the other one always finds it taken. */
static noinline void block_mutex_hold(struct wl_thread *t)
{
	pthread_mutex_lock(&t->pair->mutex);
	truth__begin(&t->truth);
	wl_pause(t->pair->pause_ns);
	truth__end(&t->truth);
	pthread_mutex_unlock(&t->pair->mutex);
}

static noinline void run_mutex_hold(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		block_mutex_hold(t);
		wl_pause(t->pair->pause_ns / 4);
	}
}

static noinline void block_mutex(struct wl_thread *t)
{
	truth__begin(&t->truth);
	pthread_mutex_lock(&t->pair->mutex);
	truth__end(&t->truth);
	pthread_mutex_unlock(&t->pair->mutex);
}

static noinline void run_mutex(struct wl_thread *t)
{
	int i;

	/* always begins in the middle of a hold */
	for (i = 0; i < t->pair->rounds; i++) {
		wl_pause(t->pair->pause_ns / 8);
		block_mutex(t);
	}
}

static noinline void block_condvar(struct wl_thread *t)
{
	pthread_mutex_lock(&t->pair->mutex);
	while (!t->pair->word) {
		truth__begin(&t->truth);
		pthread_cond_wait(&t->pair->cond, &t->pair->mutex);
		truth__end(&t->truth);
	}
	t->pair->word--;
	pthread_mutex_unlock(&t->pair->mutex);
}

static noinline void run_condvar(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_condvar(t);
}

static noinline void run_condvar_feed(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		wl_pause(t->pair->pause_ns);
		pthread_mutex_lock(&t->pair->mutex);
		t->pair->word++;
		pthread_mutex_unlock(&t->pair->mutex);
		pthread_cond_signal(&t->pair->cond);
	}
}

static noinline void block_semaphore(struct wl_thread *t)
{
	truth__begin(&t->truth);
	while (sem_wait(&t->pair->sem) && errno == EINTR)
		;
	truth__end(&t->truth);
}

static noinline void run_semaphore(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_semaphore(t);
}

static noinline void run_semaphore_feed(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		wl_pause(t->pair->pause_ns);
		sem_post(&t->pair->sem);
	}
}

static int setup_mutex(struct wl_pair *p)
{
	return -pthread_mutex_init(&p->mutex, NULL);
}

static int setup_condvar(struct wl_pair *p)
{
	int r = setup_mutex(p);

	return r ? r : -pthread_cond_init(&p->cond, NULL);
}

static int setup_semaphore(struct wl_pair *p)
{
	return sem_init(&p->sem, 0, 0) ? -errno : 0;
}

const struct waits_kind waits_lock[] = {
	{ "mutex",
	  20,
	  20000000,
	  setup_mutex,
	  0,
	  { { "mutex", run_mutex }, { "mutex-hold", run_mutex_hold } } },
	{ "condvar",
	  30,
	  15000000,
	  setup_condvar,
	  0,
	  { { "condvar", run_condvar }, { "condvar-feed", run_condvar_feed } } },
	{ "semaphore",
	  30,
	  16000000,
	  setup_semaphore,
	  0,
	  { { "semaphore", run_semaphore }, { "semaphore-feed", run_semaphore_feed } } },
	{ 0 },
};
