/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file with code that nobody ran before: a copy of zlib, whose inflateBack() calls us for its
 * input, and we wait there. So the first wait of that thread since the file was mapped has it in
 * the middle of its stack.
 */
#include "life.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* z_stream, all zero: zlib.h is not installed for every architecture we build this for. */
struct stream {
	u64 word[14];
};

typedef unsigned read_fn(void *arg, const unsigned char **ret);
typedef int write_fn(void *arg, unsigned char *data, unsigned len);

#define WAIT_NS 60000000

static noinline void block_below(struct truth *t)
{
	truth__begin(t);
	wl_pause(WAIT_NS);
	truth__end(t);
}

static noinline void block_until_quit(void)
{
	wl_gate(WL_GATE_QUIT);
}

/* No input: inflateBack() gives up. Without brackets it waits through the end of the trace. */
static unsigned read_nothing(void *arg, const unsigned char **ret)
{
	if (arg)
		block_below(arg);
	else
		block_until_quit();
	*ret = NULL;
	return 0;
}

static int write_nothing(void *arg, unsigned char *data, unsigned len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 1;
}

struct zlib {
	int (*init)(struct stream *s, int bits, unsigned char *window, const char *version, int sz);
	int (*inflate)(struct stream *s, read_fn *in, void *in_arg, write_fn *out, void *out_arg);
};

static void open_copy(const char *path, struct zlib *ret)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		wl_die(path);
	*(void **)&ret->init = dlsym(lib, "inflateBackInit_");
	*(void **)&ret->inflate = dlsym(lib, "inflateBack");
	if (!ret->init || !ret->inflate)
		wl_die("inflateBack");
}

static noinline void run_in_copy(const char *path, struct truth *t)
{
	static unsigned char window[1 << 15];
	struct stream strm = { 0 };
	struct zlib z;

	open_copy(path, &z);
	if (z.init(&strm, 15, window, "1", (int)sizeof(strm)))
		wl_die("inflateBackInit");
	z.inflate(&strm, read_nothing, t, write_nothing, NULL);
	__asm__ volatile(""); /* no tail call */
}

static void copy_zlib(const char *to)
{
	char command[2 * PATH_MAX + 64];
	void *lib = dlopen("libz.so.1", RTLD_LAZY);
	Dl_info info;

	if (!lib || !dladdr(dlsym(lib, "inflateBack"), &info))
		wl_die("libz.so.1");
	snprintf(command, sizeof(command), "cp %s %s", info.dli_fname, to);
	if (system(command))
		wl_die(to);
}

static void *run_to_the_end(void *path)
{
	run_in_copy(path, NULL);
	return NULL;
}

/*
 * files COUNT DIRECTORY: a wait below each of so many new libraries, and below one more that is
 * not over at the end
 */
static void run_files(char **args)
{
	u64 count = life_number(args[0], 5), i;
	char path[PATH_MAX], text[WL_TRUTH_SZ];
	pthread_t last;

	for (i = 0; i <= count; i++) {
		snprintf(path, sizeof(path), "%s/z%llu.so", args[1], (unsigned long long)i);
		copy_zlib(path);
	}
	life_await_go();
	for (i = 0; i < count; i++) {
		struct truth t = { 0 };

		snprintf(path, sizeof(path), "%s/z%llu.so", args[1], (unsigned long long)i);
		run_in_copy(path, &t);
		wl_emit("{\"event\":\"below\",%s}", wl_truth(&t, text));
	}
	snprintf(path, sizeof(path), "%s/z%llu.so", args[1], (unsigned long long)count);
	if (pthread_create(&last, NULL, run_to_the_end, path))
		wl_die("pthread_create");
	wl_pause(WAIT_NS);
	life_await_quit();
	wl_open(WL_GATE_QUIT);
	pthread_join(last, NULL);
}

const struct life_mode life_files[] = {
	{ "files", run_files },
	{ 0 },
};
