/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel locks, two threads that own them in turn, and one that wants them. A kernel lock is
 * held for as long as a system call lasts: one that copies from or to a missing page is
 * held up by userfaultfd, with the lock, until the waiter is asleep. mmap_lock is released
 * there, so it is held by work: mprotect() of much memory.
 */
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 60
#define OWNERS 2
#define PAGE 4096
#define DIR_BYTES 1024

struct klock {
	const char *kind;
	void (*make)(void);
	void (*hold)(char *missing); /* a call that needs the page */
	void (*take)(void); /* and one that does not */
};

static struct {
	const struct klock *lock;
	char label[256]; /* what the waiter waits for */
	char *page; /* is missing */
	int uffd;
	int fd[2];
	char path[2][160];
	int waiter; /* tid */
	int bystander; /* likewise */
	int owner[OWNERS]; /* tids */
	int ended;
	u64 ns[OWNERS]; /* for how long the waiter had to do with each */
	sem_t turn[OWNERS];
	sem_t want;
	sem_t want_once; /* of the bystander */
	sem_t done;
} kernel;

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ULL + (u64)ts.tv_nsec;
}

/* Not alternating: confusing the owners must change the counts. */
static int owner_of(int i)
{
	return i % 3 == 2;
}

static void make_pipe(void)
{
	struct stat st;

	if (pipe(kernel.fd) || fstat(kernel.fd[0], &st))
		wl_die("pipe");
	snprintf(kernel.label, sizeof(kernel.label), "mutex of pipe:[%lu]", st.st_ino);
}

static void write_pipe(char *byte)
{
	if (write(kernel.fd[1], byte, 1) != 1)
		wl_die("write to a pipe");
}

static void take_pipe(void)
{
	write_pipe("x");
}

static void make_file(void)
{
	snprintf(kernel.path[0], sizeof(kernel.path[0]), "%s/kernel-file", objects_dir);
	kernel.fd[0] = open(kernel.path[0], O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (kernel.fd[0] < 0)
		wl_die("open");
	snprintf(kernel.label, sizeof(kernel.label), "i_rwsem of %.150s", kernel.path[0]);
}

static void write_file(char *byte)
{
	if (pwrite(kernel.fd[0], byte, 1, 0) != 1)
		wl_die("pwrite");
}

static void take_file(void)
{
	write_file("x");
}

static void make_dir(void)
{
	snprintf(kernel.path[0], sizeof(kernel.path[0]), "%s/kernel-dir", objects_dir);
	snprintf(kernel.path[1], sizeof(kernel.path[1]), "%.140s/made", kernel.path[0]);
	unlink(kernel.path[1]);
	mkdir(kernel.path[0], 0700);
	kernel.fd[0] = open(kernel.path[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (kernel.fd[0] < 0)
		wl_die("open a directory");
	snprintf(kernel.label, sizeof(kernel.label), "i_rwsem of %.150s", kernel.path[0]);
}

/* As a reader of the lock. */
static void read_dir(char *missing)
{
	lseek(kernel.fd[0], 0, SEEK_SET);
	if (syscall(SYS_getdents64, kernel.fd[0], missing, DIR_BYTES) <= 0)
		wl_die("getdents64");
}

static void take_dir(void)
{
	int fd = open(kernel.path[1], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || unlink(kernel.path[1]))
		wl_die("create");
	close(fd);
}

static const struct klock klocks[] = {
	{ "kernel-mutex", make_pipe, write_pipe, take_pipe },
	{ "kernel-write-lock", make_file, write_file, take_file },
	{ "kernel-read-lock", make_dir, read_dir, take_dir },
};

static void *kernel_owner_main(void *arg)
{
	int me = (int)(long)arg;
	char name[16];

	snprintf(name, sizeof(name), "kowner-%d", me);
	prctl(PR_SET_NAME, name);
	__atomic_store_n(&kernel.owner[me], wl_gettid(), __ATOMIC_RELEASE);
	for (;;) {
		sem_wait(&kernel.turn[me]);
		if (__atomic_load_n(&kernel.ended, __ATOMIC_ACQUIRE))
			return NULL;
		kernel.lock->hold(kernel.page);
		sem_post(&kernel.done);
	}
}

static void *kernel_waiter_main(void *arg)
{
	u64 begin_ns;
	int i;

	(void)arg;
	prctl(PR_SET_NAME, "kwaiter");
	__atomic_store_n(&kernel.waiter, wl_gettid(), __ATOMIC_RELEASE);
	for (i = 0; i < ROUNDS; i++) {
		sem_wait(&kernel.want);
		begin_ns = now_ns();
		kernel.lock->take();
		kernel.ns[owner_of(i)] += now_ns() - begin_ns;
		sem_post(&kernel.done);
	}
	return NULL;
}

/* Waits for the lock once, and then, while others do, for something else. */
static void *bystander_main(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "kbystander");
	__atomic_store_n(&kernel.bystander, wl_gettid(), __ATOMIC_RELEASE);
	sem_wait(&kernel.want_once);
	kernel.lock->take();
	sem_post(&kernel.done);
	while (!__atomic_load_n(&kernel.ended, __ATOMIC_ACQUIRE))
		wl_pause(300000);
	return NULL;
}

static int open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { .len = PAGE },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return -1;
	kernel.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)kernel.page;
	if (kernel.page == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The thread that wants the lock is woken by `want`. */
static void play_round(int i, int tid, sem_t *want)
{
	static char bytes[PAGE];
	struct uffdio_copy copy = { .dst = (unsigned long)kernel.page,
				    .src = (unsigned long)bytes,
				    .len = PAGE };
	struct uffd_msg msg;

	sem_post(&kernel.turn[owner_of(i)]);
	if (read(kernel.uffd, &msg, sizeof(msg)) != sizeof(msg))
		wl_die("read of userfaultfd");
	sem_post(want);
	if (wl_in_state(tid, 'D'))
		wl_die("nobody waits for the kernel's lock");
	wl_pause(1000000);
	if (ioctl(kernel.uffd, UFFDIO_COPY, &copy))
		wl_die("UFFDIO_COPY");
	sem_wait(&kernel.done);
	sem_wait(&kernel.done);
	if (madvise(kernel.page, PAGE, MADV_DONTNEED))
		wl_die("madvise");
}

static void emit_owner(const char *kind, int h)
{
	wl_emit("{\"event\":\"kernel-owner\",\"kind\":\"%s\",\"tid\":%d,\"owner\":%d,"
		"\"label\":\"%s\",\"ns\":%llu}",
		kind, kernel.waiter, kernel.owner[h], kernel.label,
		(unsigned long long)kernel.ns[h]);
}

static void play(const struct klock *lock)
{
	pthread_t waiter, bystander, owner[OWNERS];
	int i, h;

	kernel.lock = lock;
	kernel.waiter = kernel.bystander = kernel.ended = 0;
	memset(kernel.ns, 0, sizeof(kernel.ns));
	sem_init(&kernel.want, 0, 0);
	sem_init(&kernel.want_once, 0, 0);
	sem_init(&kernel.done, 0, 0);
	lock->make();
	pthread_create(&waiter, NULL, kernel_waiter_main, NULL);
	pthread_create(&bystander, NULL, bystander_main, NULL);
	for (h = 0; h < OWNERS; h++) {
		sem_init(&kernel.turn[h], 0, 0);
		pthread_create(&owner[h], NULL, kernel_owner_main, (void *)(long)h);
	}
	while (!__atomic_load_n(&kernel.waiter, __ATOMIC_ACQUIRE) ||
	       !__atomic_load_n(&kernel.bystander, __ATOMIC_ACQUIRE))
		wl_pause(200000);
	play_round(0, kernel.bystander, &kernel.want_once);
	for (i = 0; i < ROUNDS; i++)
		play_round(i, kernel.waiter, &kernel.want);
	__atomic_store_n(&kernel.ended, 1, __ATOMIC_RELEASE);
	pthread_join(waiter, NULL);
	pthread_join(bystander, NULL);
	wl_emit("{\"event\":\"bystander\",\"kind\":\"%s\",\"tid\":%d,\"label\":\"%s\"}", lock->kind,
		kernel.bystander, kernel.label);
	for (h = 0; h < OWNERS; h++) {
		sem_post(&kernel.turn[h]);
		pthread_join(owner[h], NULL);
		emit_owner(lock->kind, h);
	}
}

#define MAPPED (64UL << 20)
#define TURNS 45
#define TURN_NS 15000000ULL

static struct {
	char *memory;
	int cpu;
	int turn; /* whose; -1: nobody's any more */
	int ended;
	int stop;
} mapped;

static void protect_all(void)
{
	u64 until = now_ns() + TURN_NS;

	do {
		if (mprotect(mapped.memory, MAPPED, PROT_READ) ||
		    mprotect(mapped.memory, MAPPED, PROT_READ | PROT_WRITE))
			wl_die("mprotect");
	} while (now_ns() < until);
}

static void *mmap_owner_main(void *arg)
{
	int me = (int)(long)arg;

	prctl(PR_SET_NAME, me ? "mowner-1" : "mowner-0");
	wl_pin(0, mapped.cpu);
	__atomic_store_n(&kernel.owner[me], wl_gettid(), __ATOMIC_RELEASE);
	for (;;) {
		sem_wait(&kernel.turn[me]);
		if (__atomic_load_n(&mapped.ended, __ATOMIC_ACQUIRE))
			return NULL;
		protect_all();
		sem_post(&kernel.done);
	}
}

/* On the CPU of the owners: who runs there itself cannot spin until the owner is done. */
static void *mmap_waiter_main(void *arg)
{
	int before, after;
	void *memory;
	u64 begin_ns;

	(void)arg;
	prctl(PR_SET_NAME, "mwaiter");
	wl_pin(0, mapped.cpu);
	__atomic_store_n(&kernel.waiter, wl_gettid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&mapped.stop, __ATOMIC_ACQUIRE)) {
		before = __atomic_load_n(&mapped.turn, __ATOMIC_ACQUIRE);
		begin_ns = now_ns();
		memory = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED || munmap(memory, PAGE))
			wl_die("mmap");
		after = __atomic_load_n(&mapped.turn, __ATOMIC_ACQUIRE);
		if (before >= 0 && before == after)
			kernel.ns[before] += now_ns() - begin_ns;
		wl_pause(300000);
	}
	return NULL;
}

static int first_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &set))
		cpu++;
	return cpu;
}

static void play_mmap_lock(void)
{
	pthread_t waiter, owner[OWNERS];
	int i, h;

	mapped.memory = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (mapped.memory == MAP_FAILED)
		wl_die("mmap of much memory");
	mapped.cpu = first_cpu();
	mapped.turn = -1;
	snprintf(kernel.label, sizeof(kernel.label), "mmap_lock of %d", getpid());
	sem_init(&kernel.done, 0, 0);
	kernel.waiter = 0;
	memset(kernel.ns, 0, sizeof(kernel.ns));
	for (h = 0; h < OWNERS; h++) {
		sem_init(&kernel.turn[h], 0, 0);
		pthread_create(&owner[h], NULL, mmap_owner_main, (void *)(long)h);
	}
	pthread_create(&waiter, NULL, mmap_waiter_main, NULL);
	while (!__atomic_load_n(&kernel.waiter, __ATOMIC_ACQUIRE))
		wl_pause(200000);
	for (i = 0; i < TURNS; i++) {
		__atomic_store_n(&mapped.turn, owner_of(i), __ATOMIC_RELEASE);
		sem_post(&kernel.turn[owner_of(i)]);
		sem_wait(&kernel.done);
	}
	__atomic_store_n(&mapped.turn, -1, __ATOMIC_RELEASE);
	__atomic_store_n(&mapped.stop, 1, __ATOMIC_RELEASE);
	pthread_join(waiter, NULL);
	__atomic_store_n(&mapped.ended, 1, __ATOMIC_RELEASE);
	for (h = 0; h < OWNERS; h++) {
		sem_post(&kernel.turn[h]);
		pthread_join(owner[h], NULL);
		emit_owner("kernel-mmap-lock", h);
	}
	munmap(mapped.memory, MAPPED);
}

void kernel_owners_run(void)
{
	size_t i;

	/* What was not opened has a path only on the file system where the program works. */
	if (chdir(objects_dir))
		wl_die("chdir");
	kernel.uffd = open_uffd();
	for (i = 0; i < sizeof(klocks) / sizeof(klocks[0]); i++) {
		if (kernel.uffd >= 0)
			play(&klocks[i]);
		else
			wl_emit("{\"event\":\"skip\",\"kind\":\"%s\",\"why\":\"no userfaultfd\"}",
				klocks[i].kind);
	}
	play_mmap_lock();
}
