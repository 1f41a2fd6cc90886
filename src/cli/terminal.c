/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_color(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

/* The variable that sets the character set, as setlocale() looks them up; "" if none does. */
static const char *locale_name(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value;
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		value = getenv(names[i]);
		if (value && *value)
			return value;
	}
	return "";
}

/*
 * ssh passes on the names of locales that this machine may not have. Such a name often says UTF-8
 * all the same.
 */
bool terminal_ascii(void)
{
	locale_t locale;
	bool utf8;

	if (!isatty(STDOUT_FILENO) || strcasestr(locale_name(), "utf-8") ||
	    strcasestr(locale_name(), "utf8"))
		return false;
	locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	utf8 = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	if (locale)
		freelocale(locale);
	return !utf8;
}

u32 terminal_columns(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	return size.ws_col;
}
