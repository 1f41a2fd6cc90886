/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static program cannot load libraries: those of the system need the C library that they were
 * built for, and a second one in the process ends it at best. The static coldspot is linked with
 * --wrap, so it calls these instead and says what it cannot do. Two parts of it load libraries: our
 * debuginfod client, and SQLite for extensions, which coldspot never uses.
 */
#include <stddef.h>

void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int __wrap_dlclose(void *handle)
{
	(void)handle;
	return -1;
}

char *__wrap_dlerror(void)
{
	static char why[] = "the static coldspot cannot load it; install coldspot from a package";

	return why;
}
