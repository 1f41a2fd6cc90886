/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdebuginfod speaks the protocol and keeps the cache that gdb and perf share. It is loaded with
 * dlopen(), because it pulls in libcurl and a dozen other libraries, which a profiler should not
 * need to start.
 *
 * By default it gives a server 90 seconds per file. So before each request, its timeout variable is
 * set to what is left of our time limit.
 */
#include "elf/debuginfod.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strtab.h"

/* The functions that we use, as the library declares them. */
struct client_library {
	void *handle;
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find;
};

struct debuginfod {
	char *urls;
	struct client_library lib;
	debuginfod_client *client;
	u64 left_ns; /* of the time limit for all queries */
	bool tried; /* tried to load the library */
	bool over; /* no more queries */
	char *trouble; /* why not; NULL: out of memory */
	struct strtab asked; /* build IDs */
	struct vec missing; /* bool by id in `asked`: no server has it */
};

int debuginfod__new(const char *urls, u64 limit_ns, struct debuginfod **ret, struct err *err)
{
	struct debuginfod *d = mem_alloc(sizeof(*d));

	if (!d)
		return err__nomem(err);
	d->left_ns = limit_ns;
	d->urls = mem_strdup(urls);
	vec__init(&d->missing, sizeof(bool));
	if (!d->urls || strtab__init(&d->asked)) {
		debuginfod__free(d);
		return err__nomem(err);
	}
	*ret = d;
	return 0;
}

void debuginfod__free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->lib.end(d->client);
	if (d->lib.handle)
		dlclose(d->lib.handle);
	strtab__done(&d->asked);
	vec__done(&d->missing);
	mem_free(d->trouble);
	mem_free(d->urls);
	mem_free(d);
}

/* dlsym() returns a data pointer; a union is the way to read it as a function pointer in C. */
static bool take(void *handle, const char *name, void *ret_function)
{
	void *symbol = dlsym(handle, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool load(struct client_library *lib)
{
	/* Its libraries keep global state and do not support being unloaded. */
	lib->handle = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return lib->handle && take(lib->handle, "debuginfod_begin", &lib->begin) &&
	       take(lib->handle, "debuginfod_end", &lib->end) &&
	       take(lib->handle, "debuginfod_find_debuginfo", &lib->find);
}

static void give_up(struct debuginfod *d, const char *whom, const char *why)
{
	char line[512];

	d->over = true;
	snprintf(line, sizeof(line), "no debug files from debuginfod: %.200s: %.200s", whom, why);
	log_debug("%s", line);
	mem_free(d->trouble);
	d->trouble = mem_strdup(line);
}

static bool begin(struct debuginfod *d)
{
	if (d->tried)
		return d->client;
	d->tried = true;
	if (load(&d->lib) && !setenv(DEBUGINFOD_URLS_ENV_VAR, d->urls, 1))
		d->client = d->lib.begin();
	if (!d->client)
		give_up(d, DEBUGINFOD_SONAME, d->lib.handle ? "it does not begin" : dlerror());
	return d->client;
}

/* One query; a descriptor or an error. */
static int ask(struct debuginfod *d, const char *build_id)
{
	u64 begin_ns = clock_mono_ns(), took_ns;
	char seconds[24], *path = NULL;
	int fd;

	snprintf(seconds, sizeof(seconds), "%llu", (d->left_ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC);
	if (setenv(DEBUGINFOD_MAXTIME_ENV_VAR, seconds, 1))
		return -ENOMEM;
	fd = d->lib.find(d->client, (const unsigned char *)build_id, 0, &path);
	took_ns = clock_mono_ns() - begin_ns;
	d->left_ns -= took_ns < d->left_ns ? took_ns : d->left_ns;
	free(path);
	return fd;
}

/* Whether no server has it, as far as is known; NULL when out of memory. */
static bool *missing_of(struct debuginfod *d, const char *build_id)
{
	u32 id;

	if (strtab__add(&d->asked, build_id, &id))
		return NULL;
	while (d->missing.len <= id) {
		if (!vec__push(&d->missing))
			return NULL;
	}
	return vec__at(&d->missing, id);
}

int debuginfod__find(struct debuginfod *d, const char *build_id, int *ret_fd)
{
	bool *missing = missing_of(d, build_id);
	int fd;

	if (!missing)
		return -ENOMEM;
	if (d->over || *missing || !*build_id)
		return -ENOENT;
	d->over = !begin(d);
	fd = d->over ? -ENOENT : ask(d, build_id);
	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	*missing = true;
	/* a server that does not have the file is fine, one that does not respond is not */
	if (!d->over && (fd != -ENOENT || !d->left_ns)) {
		give_up(d, d->urls, d->left_ns ? err_str(fd) : "it takes too long");
	}
	return -ENOENT;
}

const char *debuginfod__trouble(const struct debuginfod *d)
{
	return d ? d->trouble : NULL;
}
