/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static program cannot load libraries: those of the system need the C library that they were
 * built for, and a second one in the process ends it at best. The static coldspot is linked with
 * --wrap, so it calls these instead and says what it cannot do. Three parts of it load libraries:
 * our debuginfod client, SQLite for extensions, which coldspot never uses, and the C library to
 * resolve names of hosts.
 */
#include <netdb.h>
#include <stddef.h>

void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret);

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

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret)
{
	(void)host;
	(void)service;
	(void)hints;
	*ret = NULL;
	return EAI_NONAME;
}
