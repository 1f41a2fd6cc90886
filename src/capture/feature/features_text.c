/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/features_priv.h"

#include <string.h>

/*
 * Parsers for the small texts in /proc and /sys that reveal features. Pure: bytes in, answer out,
 * so that tests can simulate other kernels.
 */

bool features_text_lockdown(struct view text, char *buf, size_t sz)
{
	struct view word;

	while (view__token(&text, &word)) {
		if (!view__accept(&word, '[') || view__left(&word) < 2 || word.end[-1] != ']')
			continue;
		word.end--;
		return view__copy(&word, buf, sz);
	}
	return false;
}

bool features_text_resume_symbol(struct view line, char *buf, size_t sz)
{
	static const char name[] = "finish_task_switch";
	struct view addr, type, symbol, tail;

	if (!view__token(&line, &addr) || !view__token(&line, &type) ||
	    !view__token(&line, &symbol) || view__left(&symbol) < sizeof(name) - 1 ||
	    memcmp(symbol.p, name, sizeof(name) - 1))
		return false;
	tail = symbol;
	view__bytes(&tail, sizeof(name) - 1);
	if (view__left(&tail)) {
		if (view__left(&tail) < 6 || memcmp(tail.p, ".isra.", 6))
			return false;
		view__bytes(&tail, 6);
		view__dec(&tail);
		if (tail.bad || view__left(&tail))
			return false;
	}
	return view__copy(&symbol, buf, sz);
}

bool features_text_has_address(struct view text)
{
	struct view line;

	while (view__line(&text, &line)) {
		if (view__hex(&line) && !line.bad)
			return true;
	}
	return false;
}

static bool has_word(struct view line, const char *wanted)
{
	struct view word;

	while (view__token(&line, &word)) {
		if (view__eq(&word, wanted))
			return true;
	}
	return false;
}

bool features_text_cpu_flags(struct view text, const char *const *words, bool *ret_found)
{
	struct view line, rest, word;

	*ret_found = false;
	while (view__line(&text, &line)) {
		rest = line;
		if (!view__token(&rest, &word) || !view__eq(&word, "flags"))
			continue;
		*ret_found = true;
		for (; *words; words++) {
			if (!has_word(line, *words))
				return false;
		}
		return true;
	}
	return false;
}

void features_text_release(const char *release, u32 ret_version[3])
{
	struct view v = view__of_str(release);
	u32 i;

	memset(ret_version, 0, 3 * sizeof(*ret_version));
	for (i = 0; i < 3; i++) {
		u64 n = view__dec(&v);

		if (v.bad)
			return;
		ret_version[i] = (u32)n;
		if (!view__accept(&v, '.'))
			return;
	}
}
