/* SPDX-License-Identifier: Apache-2.0 */
/* A place has one form for all languages: the function, then file and line in parentheses. */
#include "analysis/name/place_words.h"

#include <string.h>

#include "analysis/name/java_name.h"
#include "analysis/name/label.h"

#define DIGITS "0123456789"

static void put_placed(struct sink *out, const char *function, size_t function_len,
		       const char *file, size_t file_len)
{
	const char *slash = memrchr(file, '/', file_len);
	const char *base = slash ? slash + 1 : file;

	sink__put(out, function, function_len);
	sink__puts(out, " (");
	sink__put(out, base, file_len - (size_t)(base - file));
}

/* Where ":200" at the end begins; the end if there is none. */
static const char *find_line(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (colon && colon[1] && !colon[1 + strspn(colon + 1, DIGITS)])
		return colon;
	return name + strlen(name);
}

const char *place_words_python_function(const char *name, size_t *ret_len)
{
	const char *line = find_line(name);
	const char *colon = memrchr(name, ':', (size_t)(line - name));

	*ret_len = colon ? (size_t)(line - colon - 1) : 0;
	return colon ? colon + 1 : NULL;
}

void place_words_python(struct sink *out, const char *name)
{
	size_t len;
	const char *function = place_words_python_function(name, &len);

	if (!function) {
		sink__puts(out, name);
		return;
	}
	put_placed(out, function, len, name, (size_t)(function - 1 - name));
	sink__printf(out, "%s)", function + len);
}

void place_words_js(struct sink *out, const char *name)
{
	const char *column = find_line(name), *function = strchr(name, ':'), *file, *line;

	file = strchr(name, ' ');
	line = memrchr(name, ':', (size_t)(column - name));
	if (!function || !file || file < function || !line || line < file) {
		sink__puts(out, name);
		return;
	}
	function++;
	function += strspn(function, "*~^+");
	if (function == file)
		put_placed(out, "(anonymous)", strlen("(anonymous)"), file + 1,
			   (size_t)(line - file - 1));
	else
		put_placed(out, function, (size_t)(file - function), file + 1,
			   (size_t)(line - file - 1));
	sink__put(out, line, (size_t)(column - line));
	sink__puts(out, ")");
}

void place_words_java(struct sink *out, const char *name)
{
	const char *start;
	size_t len = java_name_short(name, &start);

	sink__put(out, start, len);
}

void place_words_call(struct sink *out, const char *name)
{
	static const char *const marks[] = { "__GI_", "__libc_", "__new_", "_" };
	const char *plain = name;
	size_t i;

	for (i = 0; i < ARRAY_LEN(marks); i++) {
		while (strncmp(plain, marks[i], strlen(marks[i])) == 0) {
			plain += strlen(marks[i]);
			i = 0;
		}
	}
	sink__puts(out, *plain ? plain : name);
}
