/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl is loaded with dlopen(): with it come a dozen libraries, for LDAP, Kerberos, SSH and
 * others, which a recording should not need to start. Any of the builds that distributions have
 * will do; Debian's two differ in the library for TLS.
 */
#include "push/curl.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static const char *const sonames[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

/* dlsym() returns a data pointer; copying its bytes is the way to read a function pointer in C. */
static bool take(void *handle, const char *name, void *ret_function)
{
	void *symbol = dlsym(handle, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool take_all(struct curl *c)
{
	return take(c->handle, "curl_global_init", &c->global_init) &&
	       take(c->handle, "curl_easy_init", &c->easy_init) &&
	       take(c->handle, "curl_easy_setopt", &c->easy_setopt) &&
	       take(c->handle, "curl_easy_perform", &c->easy_perform) &&
	       take(c->handle, "curl_easy_getinfo", &c->easy_getinfo) &&
	       take(c->handle, "curl_easy_reset", &c->easy_reset) &&
	       take(c->handle, "curl_easy_strerror", &c->easy_strerror) &&
	       take(c->handle, "curl_easy_cleanup", &c->easy_cleanup) &&
	       take(c->handle, "curl_version_info", &c->version_info) &&
	       take(c->handle, "curl_slist_append", &c->slist_append) &&
	       take(c->handle, "curl_slist_free_all", &c->slist_free_all);
}

int curl__load(struct curl *c, struct err *err)
{
	char why[200] = "";

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < ARRAY_LEN(sonames) && !c->handle; i++) {
		/* it and its libraries keep global state, and do not support being unloaded */
		c->handle = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		if (!c->handle && !i)
			snprintf(why, sizeof(why), "%s", dlerror());
	}
	if (!c->handle)
		return err__set(err, -EOPNOTSUPP,
				"cannot load libcurl, which packages call libcurl3-gnutls or "
				"libcurl: %s",
				why);
	if (!take_all(c) || c->global_init(CURL_GLOBAL_DEFAULT))
		return err__set(err, -EOPNOTSUPP,
				"this libcurl does not begin: install another one");
	return 0;
}
