/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_SETTING_H
#define AGENT_SETTING_H

#include "base/err.h"
#include "base/sink.h"
#include "base/text/toml.h"
#include "base/types.h"

/* One setting: its name, where in a struct it is, how it is written, and its bounds. */
enum setting_kind {
	SETTING_TEXT, /* char[sz] */
	SETTING_TIME, /* u64, and the next */
	SETTING_PERCENT, /* millionths */
	SETTING_BYTES,
	SETTING_NUMBER,
	SETTING_FLAG, /* bool */
	SETTING_URLS, /* char[][SETTING_URL_SZ]: of push/url.h; "" after the last */
};

#define SETTING_URL_SZ 1024

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t off;
	size_t sz;
	u64 min, max; /* not of 0, if `or_none`; of a text: min bytes */
	bool or_none;
	bool restart; /* a change needs a new recording */
	const char *example; /* for messages */
};

/* Sets it in the struct `base`. -EINVAL with a message that begins with its name. */
int setting__take(const struct setting *set, const struct toml_item *item, void *base,
		  struct err *err);
/* Writes "name = value" and the end of the line, as setting__take() reads it. */
void setting__put(const struct setting *set, const void *base, struct sink *out);
bool setting__is_equal(const struct setting *set, const void *a, const void *b);
/* -EINVAL with a message, which offers one of these with a similar name. */
int setting_unknown(const struct setting *settings, size_t len, const char *name, struct err *err);

#endif
