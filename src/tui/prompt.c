/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/prompt.h"

#include <stdio.h>
#include <string.h>

#include "base/sink.h"
#include "base/text/utf8.h"
#include "tui/key.h"

void prompt__begin(struct prompt *p, enum prompt_for what, const char *text)
{
	p->what = what;
	snprintf(p->text, sizeof(p->text), "%s", text);
}

static void cut_last_character(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	if (len)
		text[len - 1] = '\0';
}

/* A character that does not fit is left out as a whole. */
static void append(struct prompt *p, u32 key)
{
	size_t len = strlen(p->text);
	struct sink one;

	sink__init_mem(&one);
	utf8_put(&one, key);
	if (!one.error && len + one.len < sizeof(p->text)) {
		memcpy(p->text + len, one.buf, one.len);
		p->text[len + one.len] = '\0';
	}
	sink__done(&one);
}

enum prompt_state prompt__key(struct prompt *p, u32 key)
{
	if (key == KEY_OF_ENTER)
		return PROMPT_ENTERED;
	if (key == KEY_OF_ESC)
		return PROMPT_CANCELLED;
	if (key == KEY_OF_BACKSPACE)
		cut_last_character(p->text);
	else if (key >= ' ' && key < KEY_OF_UP)
		append(p, key);
	else
		return PROMPT_NOT_ITS;
	return PROMPT_TYPED;
}
