/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a line, and the lines of a stack. Frames are created without a name; each name
 * is kept for later.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "lib/literal_priv.h"

int lit__fault(struct lit *l, const char *what, const char *word)
{
	return err__set(l->err, -EINVAL, "line %u: %s '%s'", l->line_no, what, word);
}

/* The next word of a line; NULL at its end. */
char *lit_next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");
	size_t len = strcspn(word, " \t");

	if (!len)
		return NULL;
	*rest = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

char *lit_rest_of(char **rest)
{
	char *text = *rest + strspn(*rest, " \t");

	*rest = text + strlen(text);
	return text;
}

/* Resolves \xHH, \*N;c and \\ into `buf` of NAME_MAX_SZ bytes. */
int lit__unescape(struct lit *l, const char *from, char *buf)
{
	size_t len = 0;

	while (*from && len < NAME_MAX_SZ - 1) {
		char *end;

		if (from[0] == '\\' && from[1] == 'x') {
			char hex[3] = { from[2], from[2] ? from[3] : '\0', '\0' };

			buf[len++] = (char)strtoul(hex, &end, 16);
			if (end != hex + 2)
				return lit__fault(l, "bad escape", from);
			from += 4;
		} else if (from[0] == '\\' && from[1] == '*') {
			size_t n = strtoul(from + 2, &end, 10);

			if (*end != ';' || !end[1] || n >= NAME_MAX_SZ - len)
				return lit__fault(l, "bad escape", from);
			memset(buf + len, end[1], n);
			len += n;
			from = end + 2;
		} else {
			buf[len++] = *from++;
		}
	}
	buf[len] = '\0';
	return 0;
}

int lit__number(struct lit *l, const char *text, u64 *ret)
{
	char *end;

	*ret = strtoull(text, &end, 0);
	return *text && !*end ? 0 : lit__fault(l, "not a number:", text);
}

static int module_of(struct lit *l, const char *name, u32 *ret_module)
{
	u32 i;

	*ret_module = 0;
	if (strcmp(name, "-") == 0)
		return 0;
	for (i = 0; i < l->modules_len; i++) {
		if (strcmp(l->module_names[i], name) == 0) {
			*ret_module = l->module_ids[i];
			return 0;
		}
	}
	return lit__fault(l, "unknown module", name);
}

static int reason_of(struct lit *l, const char *word, enum frame_reason *ret)
{
	static const char *const words[FRAME_REASON_CNT] = {
		"named",     "not_tried", "no_mapping",	   "process_gone", "file_gone", "file_bad",
		"no_symbol", "anon",	  "kernel_hidden", "code_unread",  "no_memory",
	};
	int i;

	for (i = 0; i < FRAME_REASON_CNT; i++) {
		if (strcmp(words[i], word) == 0) {
			*ret = (enum frame_reason)i;
			return 0;
		}
	}
	return lit__fault(l, "unknown reason", word);
}

/* The frame and its later name go below *stack. */
static int push_frame(struct lit *l, u32 module, u64 addr, u32 flags, const struct naming *n,
		      u32 *stack)
{
	struct naming *naming = vec__push(&l->namings);
	int r;

	if (!naming)
		return err__nomem(l->err);
	*naming = *n;
	r = builder__frame(l->b, module, addr, flags, FRAME_NOT_TRIED, &naming->frame);
	return r ? r : builder__stack(l->b, *stack, naming->frame, stack);
}

/* Frames without a module get an address from their name, so that equal names are one frame. */
static u64 addr_of_name(const char *name)
{
	u64 h = 1469598103934665603ULL;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 1099511628211ULL;
	return h >> 20;
}

static int named_frame(struct lit *l, const char *text, u32 flags, u32 *stack)
{
	struct naming n = { .name = mem_alloc(NAME_MAX_SZ), .reason = FRAME_NAMED };
	int r = n.name ? lit__unescape(l, text, n.name) : err__nomem(l->err);

	if (r) {
		mem_free(n.name);
		return r;
	}
	return push_frame(l, 0, addr_of_name(n.name), flags, &n, stack);
}

static int repeated_frame(struct lit *l, char **rest, u32 flags, u32 *stack)
{
	char *count = lit_next_word(rest), *pattern = lit_rest_of(rest),
	     *sign = strchr(pattern, '%');
	char name[256];
	u64 n = 0, i;
	int r = lit__number(l, count + 1, &n);

	if (!r && !sign)
		r = lit__fault(l, "no '%' in", pattern);
	for (i = 0; i < n && !r; i++) {
		snprintf(name, sizeof(name), "%.*s%llu%s", (int)(sign - pattern), pattern, i,
			 sign + 1);
		r = named_frame(l, name, flags, stack);
	}
	return r;
}

static int placed_frame(struct lit *l, char **rest, u32 flags, u32 *stack)
{
	char *module = lit_next_word(rest), *addr = lit_next_word(rest), *word;
	struct naming n = { .reason = FRAME_NAMED };
	u32 module_id;
	u64 addr_n;
	int r = addr ? module_of(l, module + 1, &module_id) :
		       lit__fault(l, "no address in", module);

	if (!r)
		r = lit__number(l, addr, &addr_n);
	if (r)
		return r;
	*rest += strspn(*rest, " \t");
	if (**rest == '!') {
		r = reason_of(l, lit_rest_of(rest) + 1, &n.reason);
	} else {
		if (**rest == '+') {
			word = lit_next_word(rest);
			r = lit__number(l, word + 1, &n.off);
		}
		n.name = mem_alloc(NAME_MAX_SZ);
		if (!r)
			r = n.name ? lit__unescape(l, lit_rest_of(rest), n.name) :
				     err__nomem(l->err);
	}
	if (r) {
		mem_free(n.name);
		return r;
	}
	return push_frame(l, module_id, addr_n, flags, &n, stack);
}

/* Of the last wait or waker; NULL: there is none. */
static u32 *stack_at_hand(struct lit *l, bool kernel)
{
	struct profile_wait *w;

	if (l->in_waker)
		return kernel ? &l->waker.kstack : &l->waker.ustack;
	if (!l->waits.len)
		return NULL;
	w = vec__at(&l->waits, l->waits.len - 1);
	return kernel ? &w->kstack : &w->ustack;
}

int lit__frame_line(struct lit *l, bool kernel, char **rest)
{
	u32 flags = kernel ? FRAME_KERNEL : 0, *stack = stack_at_hand(l, kernel);

	if (!stack)
		return lit__fault(l, "a frame without a wait:", *rest);
	*rest += strspn(*rest, " \t");
	if (**rest == '@')
		return placed_frame(l, rest, flags, stack);
	if (**rest == '*')
		return repeated_frame(l, rest, flags, stack);
	return named_frame(l, lit_rest_of(rest), flags, stack);
}

static struct profile_wait *last_wait(struct lit *l)
{
	return l->waits.len ? vec__at(&l->waits, l->waits.len - 1) : NULL;
}

int lit__cut_line(struct lit *l)
{
	struct profile_wait *w = last_wait(l);

	if (!w)
		return lit__fault(l, "no wait before", "kcut");
	return builder__stack_flags(l->b, w->kstack, STACK_CUT);
}

int lit__truncated_line(struct lit *l, char **rest)
{
	struct profile_wait *w = last_wait(l);
	char *name = lit_next_word(rest), *module = lit_next_word(rest);
	u32 module_id = 0, frame, end = 0;
	int r;

	while (name && end < STACK_END_CNT && strcmp(stack_end_name((enum stack_end)end), name))
		end++;
	if (!w || !name || end == STACK_END_CNT)
		return lit__fault(l, "bad end of a stack", name ? name : "");
	r = module ? module_of(l, module + 1, &module_id) : 0;
	if (!r)
		r = builder__truncated(l->b, module_id, (enum stack_end)end, &frame);
	return r ? r : builder__stack(l->b, w->ustack, frame, &w->ustack);
}
