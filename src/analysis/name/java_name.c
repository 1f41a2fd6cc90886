/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/name/java_name.h"

#include <string.h>

/* Packages that come with the JDK. */
static const char *const library_packages[] = {
	"java.", "javax.", "jdk.", "sun.", "com.sun.",
};

/* Packages of well-known projects, which are the program only if nothing else is. */
static const char *const known_packages[] = {
	"ch.qos.logback.",
	"com.fasterxml.",
	"com.google.",
	"com.mongodb.",
	"com.mysql.",
	"com.zaxxer.hikari.",
	"io.grpc.",
	"io.lettuce.",
	"io.netty.",
	"io.undertow.",
	"kotlin.",
	"kotlinx.",
	"okhttp3.",
	"org.apache.http.",
	"org.apache.catalina.",
	"org.apache.coyote.",
	"org.apache.tomcat.",
	"org.eclipse.jetty.",
	"org.hibernate.",
	"org.mariadb.",
	"org.postgresql.",
	"org.springframework.",
	"reactor.",
	"redis.clients.jedis.",
	"scala.",
};

/* The class and the method, without the text around them; false if it is not such a name. */
static bool find(const char *name, const char **ret_start, size_t *ret_len)
{
	size_t len = strcspn(name, "(");
	const char *start = memrchr(name, ' ', len);

	if (!start || name[len] != '(' || name[strlen(name) - 1] != ')')
		return false;
	*ret_start = start + 1;
	*ret_len = len - (size_t)(start + 1 - name);
	return memchr(*ret_start, '.', *ret_len);
}

bool java_name_is(const char *name)
{
	const char *start;
	size_t len;

	return find(name, &start, &len);
}

bool java_name_is_library(const char *name)
{
	const char *start;
	size_t len, i;

	if (!find(name, &start, &len))
		return false;
	for (i = 0; i < ARRAY_LEN(library_packages); i++) {
		if (strncmp(start, library_packages[i], strlen(library_packages[i])) == 0)
			return true;
	}
	return memmem(start, len, "$$Lambda", 8);
}

bool java_name_is_package(const char *name, const char **ret_package, u32 *ret_len)
{
	const char *start;
	size_t len, i;

	if (!find(name, &start, &len))
		return false;
	for (i = 0; i < ARRAY_LEN(known_packages); i++) {
		if (strncmp(start, known_packages[i], strlen(known_packages[i])) != 0)
			continue;
		*ret_package = start;
		*ret_len = (u32)strlen(known_packages[i]) - 1;
		return true;
	}
	return false;
}

size_t java_name_short(const char *name, const char **ret_short)
{
	const char *start, *p;
	size_t len, dots = 0;

	if (!find(name, &start, &len)) {
		*ret_short = name;
		return strlen(name);
	}
	for (p = start + len; p > start; p--) {
		if (p[-1] == '.' && ++dots == 2)
			break;
	}
	*ret_short = p;
	return (size_t)(start + len - p);
}
