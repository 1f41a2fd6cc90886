/* SPDX-License-Identifier: Apache-2.0 */
/* The footer of every format describes losses in the same words. */
#include "render/words/loss_text.h"

#include <string.h>

#include "analysis/view/unnamed.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

#define PATH_SHOWN_SZ 256

/* The last part of a path. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "1,310 addresses in postgres", and how many are elsewhere. */
static size_t count_text(const struct unnamed *un, const char *path, char *buf, size_t sz)
{
	char most[32], rest[32];
	int n;

	units_format_count(un->most, most, sizeof(most));
	units_format_count(un->frames - un->most, rest, sizeof(rest));
	n = snprintf(buf, sz, "%s address%s", most, un->most == 1 ? "" : "es");
	if (un->module)
		n += snprintf(buf + n, sz - (size_t)n, " in %.100s", file_name(path));
	if (un->frames > un->most)
		n += snprintf(buf + n, sz - (size_t)n, ", and %s elsewhere,", rest);
	return (size_t)n;
}

/* A shell takes these as they are. The path comes from the recorded process. */
static bool is_plain(const char *path)
{
	return !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "/._+-,:=@%")];
}

/* What gives the functions of a stripped file their names. */
static void remedy_text(const char *path, const char *package, char *buf, size_t sz)
{
	bool has_command = path[0] == '/' && is_plain(path) && strlen(path) < PATH_SHOWN_SZ - 1;

	if (package)
		snprintf(buf, sz, " (stripped): apt install %s", package);
	else
		snprintf(buf, sz, " (stripped)%s%s", has_command ? ": coldspot doctor " : "",
			 has_command ? path : "");
}

bool names_text(const struct profile *p, const char *package, char *buf, size_t sz)
{
	struct unnamed un;
	char path[PATH_SHOWN_SZ];
	size_t len;

	buf[0] = '\0';
	if (!p->losses[LOSS_UNNAMED].events || unnamed__find(&un, p) || !un.most)
		return false;
	utf8_copy_harmless(profile__str(p, p->modules[un.module].path), path, sizeof(path));
	len = count_text(&un, path, buf, sz);
	len += (size_t)snprintf(buf + len, sz - len, " ha%s no name", un.frames == 1 ? "s" : "ve");
	if (un.reason == FRAME_NO_SYMBOL)
		remedy_text(path, package, buf + len, sz - len);
	else
		snprintf(buf + len, sz - len, "; %s", frame_reason_sentence(un.reason));
	return true;
}

/* `visits`: visits were counted, and not the waits that they found. */
static bool put_text(const struct profile_loss *loss, enum profile_loss_kind kind, bool visits,
		     char *buf, size_t sz)
{
	const char *sentence = loss->events == 1 ? loss_sentence_of_one(kind) : loss_sentence(kind);
	const char *noun = "";
	char events[32], time[32];

	buf[0] = '\0';
	if (kind == LOSS_UNNAMED || (!loss->events && !loss->ns))
		return false;
	units_format_count(loss->events, events, sizeof(events));
	units_format_ns(loss->ns, time, sizeof(time));
	if (visits && !strncmp(sentence, "wait", 4)) {
		noun = "visit";
		sentence += 4;
	}
	if (loss->ns)
		snprintf(buf, sz, "%s %s%s (%s)", events, noun, sentence, time);
	else
		snprintf(buf, sz, "%s %s%s", events, noun, sentence);
	return true;
}

bool loss_sum_text(const struct profile_loss *loss, enum profile_loss_kind kind, char *buf,
		   size_t sz)
{
	return put_text(loss, kind, false, buf, sz);
}

bool loss_text(const struct profile *p, enum profile_loss_kind kind, char *buf, size_t sz)
{
	return put_text(&p->losses[kind], kind, profile_header__is_of_proc(&p->hdr), buf, sz);
}

u32 loss_kinds(const struct profile *p)
{
	u32 n = 0;
	int i;

	for (i = 0; i < LOSS_CNT; i++)
		n += i != LOSS_UNNAMED && (p->losses[i].events || p->losses[i].ns);
	return n;
}

void losses_put(const struct profile *p, struct sink *out)
{
	char text[LOSS_TEXT_SZ];
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(p, (enum profile_loss_kind)i, text, sizeof(text)))
			sink__printf(out, "Lost: %s\n", text);
	}
	if (!loss_kinds(p))
		sink__puts(out,
			   profile__knows_losses(p) ? "Nothing lost.\n" : "Lost: not known.\n");
	if (names_text(p, NULL, text, sizeof(text)))
		sink__printf(out, "Names: %s\n", text);
}
