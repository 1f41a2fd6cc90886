/* SPDX-License-Identifier: Apache-2.0 */
/* It is compiled at each key, because rows follow what is typed. */
#include "tui/model/filter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text/regex.h"

void filter__set(struct filter *f, const char *text)
{
	filter__done(f);
	snprintf(f->text, sizeof(f->text), "%s", text);
	if (f->text[0] != '/' || !f->text[1])
		return;
	f->wrong = regex_compile(&f->compiled, f->text + 1, REG_ICASE | REG_NOSUB, NULL);
	f->regex = !f->wrong;
}

void filter__done(struct filter *f)
{
	if (f->regex)
		regfree(&f->compiled);
	memset(f, 0, sizeof(*f));
}

bool filter__is_empty(const struct filter *f)
{
	return !f->text[0] || (f->text[0] == '/' && !f->text[1]);
}

bool filter__matches(const struct filter *f, const char *text)
{
	size_t len = strlen(f->text);

	if (filter__is_empty(f))
		return true;
	if (f->text[0] == '/')
		return f->regex && !regexec(&f->compiled, text, 0, NULL, 0);
	for (; *text; text++) {
		if (strncasecmp(text, f->text, len) == 0)
			return true;
	}
	return false;
}
