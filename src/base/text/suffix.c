/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strips known suffixes from the end, one after the other: compilers stack them
 * ("f.part.0.constprop.0.cold"). What is not in the table stays; "f.0" may be a name.
 */
#include "base/text/suffix.h"

#include <ctype.h>
#include <string.h>

#define HASH_DIGITS 16

/* Suffixes of gcc and clang after a dot. A number may follow, after another dot. */
static const char *const words[] = {
	"constprop", "isra", "part", "cold", "llvm", "lto_priv", "ipa-cp", "clone", "specialized",
};

static bool is_word(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++) {
		if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
			return true;
	}
	return false;
}

/* Where the last part begins, including its dot; `len` if there is none. */
static size_t last_part(const char *name, size_t len)
{
	size_t at = len;

	while (at > 0 && name[at - 1] != '.')
		at--;
	return at > 1 ? at - 1 : len;
}

static bool all_digits(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
	}
	return len > 0;
}

/* The length without one ".word" or ".word.123" at the end. */
static size_t without_clone(const char *name, size_t len)
{
	size_t dot = last_part(name, len), before;

	if (dot == len)
		return len;
	if (is_word(name + dot + 1, len - dot - 1))
		return dot;
	if (!all_digits(name + dot + 1, len - dot - 1))
		return len;
	before = last_part(name, dot);
	return before < dot && is_word(name + before + 1, dot - before - 1) ? before : len;
}

static bool is_hash(const char *text)
{
	size_t i;

	if (*text != 'h')
		return false;
	for (i = 1; i <= HASH_DIGITS; i++) {
		if (!isxdigit((unsigned char)text[i]) || isupper((unsigned char)text[i]))
			return false;
	}
	return true;
}

/* The length without "::h" and 16 hex digits; *ret_mangled: "17h...E", which E must then end. */
static size_t without_hash(const char *name, size_t len, bool *ret_mangled)
{
	size_t readable = HASH_DIGITS + 3, mangled = HASH_DIGITS + 4;

	if (len > readable && memcmp(name + len - readable, "::", 2) == 0 &&
	    is_hash(name + len - readable + 2))
		return len - readable;
	*ret_mangled = len > mangled + 4 && memcmp(name, "_ZN", 3) == 0 && name[len - 1] == 'E' &&
		       memcmp(name + len - mangled, "17", 2) == 0 &&
		       is_hash(name + len - mangled + 2);
	return *ret_mangled ? len - mangled : len;
}

/* The length without one " [clone .x]" at the end. */
static size_t without_bracket(const char *name, size_t len)
{
	static const char begin[] = " [clone ";
	size_t at = len;

	if (!len || name[len - 1] != ']')
		return len;
	while (at > 0 && name[at] != '[')
		at--;
	if (at < 2 || len - (at - 1) < sizeof(begin) - 1 ||
	    memcmp(name + at - 1, begin, sizeof(begin) - 1) != 0)
		return len;
	return at - 1;
}

const char *suffix_strip(const char *name, char *buf, size_t sz)
{
	size_t len = strlen(name), was, all = len;
	bool mangled = false;

	do {
		was = len;
		len = without_bracket(name, len);
		len = without_clone(name, len);
		if (!mangled)
			len = without_hash(name, len, &mangled);
	} while (len < was && len);
	if (len == all || !len || len + 2 > sz)
		return name;
	memmove(buf, name, len);
	if (mangled)
		buf[len++] = 'E';
	buf[len] = '\0';
	return buf;
}
