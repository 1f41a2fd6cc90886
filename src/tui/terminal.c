/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that knows ncurses. The size is read at each turn, because whether a signal ends a
 * call of ncurses depends on its version. A pair of colours is made when it is first shown.
 */
#include "tui/terminal.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tui/key.h"
#include "tui/term_color.h"

#define ESC_MS 25
#define MAX_PAIRS 255
#define DOUBLE_CLICK_NS (400 * NSEC_PER_MSEC)

struct terminal {
	SCREEN *screen;
	bool color;
	bool ascii;
	bool gone;
	struct pair {
		int text;
		int ground;
	} pairs[MAX_PAIRS]; /* number 1 and on */
	int pairs_len;
	struct mouse clicked; /* the last click, and when it was */
	u64 clicked_ns;
};

int terminal_check(struct err *err)
{
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return err__set(err, -ENOTTY,
				"standard %s is not a terminal: use `coldspot record` for output "
				"to a file or a pipe",
				isatty(STDOUT_FILENO) ? "input" : "output");
	if (!term || !*term || strcmp(term, "dumb") == 0)
		return err__set(err, -EINVAL,
				"this terminal cannot place a cursor (TERM is '%s'): use `coldspot "
				"record`",
				term ? term : "");
	return 0;
}

static void set_modes(struct terminal *t)
{
	set_escdelay(ESC_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	/* without waiting whether a press becomes a click */
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	t->color = t->color && has_colors() && start_color() == OK && COLORS >= 8;
	if (t->color)
		use_default_colors();
}

int terminal__open(const struct terminal_options *opt, struct terminal **ret, struct err *err)
{
	struct terminal *t;
	int r = terminal_check(err);

	*ret = NULL;
	if (r)
		return r;
	t = mem_alloc(sizeof(*t));
	if (!t)
		return err__nomem(err);
	setlocale(LC_CTYPE, "");
	if (MB_CUR_MAX == 1 && !opt->ascii)
		setlocale(LC_CTYPE, "C.UTF-8");
	t->color = opt->color;
	t->ascii = opt->ascii || MB_CUR_MAX == 1;
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen) {
		mem_free(t);
		return err__set(err, -EINVAL,
				"unknown terminal (TERM is '%s'): install ncurses-term, or set "
				"TERM to xterm",
				getenv("TERM"));
	}
	set_modes(t);
	*ret = t;
	return 0;
}

void terminal__close(struct terminal *t)
{
	if (!t)
		return;
	endwin();
	delscreen(t->screen);
	mem_free(t);
}

bool terminal__resize(struct terminal *t)
{
	struct winsize size;

	(void)t;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return false;
	if (!is_term_resized(size.ws_row, size.ws_col))
		return false;
	resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
	return true;
}

int terminal__screen(const struct terminal *t, struct screen *ret)
{
	return screen__init(ret, (u32)LINES, (u32)COLS, t->ascii);
}

/* The number of a pair of colours; 0, the terminal's own, if there is no further one. */
static int pair_of(struct terminal *t, int text, int ground)
{
	int i;

	for (i = 0; i < t->pairs_len; i++) {
		if (t->pairs[i].text == text && t->pairs[i].ground == ground)
			return i + 1;
	}
	if (i == MAX_PAIRS || i + 1 >= COLOR_PAIRS ||
	    init_extended_pair(i + 1, text, ground) == ERR)
		return 0;
	t->pairs[i] = (struct pair){ text, ground };
	return ++t->pairs_len;
}

static int pair_of_cause(struct terminal *t, u32 cause, u32 attr)
{
	struct color c = term_color_of_cause(cause, attr & ATTR_PALE);
	int number = term_color(c, COLORS);

	if (attr & ATTR_FILL)
		return pair_of(t, term_color_on(c, COLORS), number);
	/* black, white and grey are not seen on every background */
	return COLORS < 256 && (number == 0 || number == 7) ? 0 : pair_of(t, number, -1);
}

static void set_attr(struct terminal *t, u32 attr)
{
	attr_t marks = 0;
	int pair = 0;
	u32 cause;

	if (attr & ATTR_BOLD)
		marks |= A_BOLD;
	if (attr & ATTR_DIM)
		marks |= A_DIM;
	if (attr & ATTR_REVERSE || (attr & ATTR_MATCH && !t->color))
		marks |= A_REVERSE;
	if (t->color && attr & ATTR_MATCH)
		pair = pair_of(t, COLOR_WHITE, COLOR_MAGENTA);
	else if (t->color && attr & ATTR_WARN)
		pair = pair_of(t, COLOR_YELLOW, -1);
	else if (t->color && !(attr & ATTR_REVERSE) && attr_cause(attr, &cause))
		pair = pair_of_cause(t, cause, attr);
	attr_set(marks, 0, &pair);
}

void terminal__show(struct terminal *t, const struct screen *s)
{
	const struct span *span;
	u32 y;

	erase();
	for (y = 0; y < s->rows; y++) {
		move((int)y, 0);
		for (span = s->lines[y].first; span; span = span->next) {
			set_attr(t, span->attr);
			addstr(span->text);
		}
	}
	refresh();
}

bool terminal__has_key(const struct terminal *t)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return !t->gone && poll(&in, 1, 0) > 0;
}

/* At its end a terminal can always be read, and gives nothing. */
static bool at_end(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int bytes = 0;

	if (poll(&in, 1, 0) <= 0)
		return false;
	if (in.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return !ioctl(STDIN_FILENO, FIONREAD, &bytes) && !bytes;
}

static u32 known_key(wint_t key)
{
	static const struct {
		wint_t theirs;
		u32 ours;
	} keys[] = {
		{ KEY_UP, KEY_OF_UP },
		{ KEY_DOWN, KEY_OF_DOWN },
		{ KEY_PPAGE, KEY_OF_PAGE_UP },
		{ KEY_NPAGE, KEY_OF_PAGE_DOWN },
		{ KEY_HOME, KEY_OF_HOME },
		{ KEY_END, KEY_OF_END },
		{ KEY_ENTER, KEY_OF_ENTER },
		{ KEY_BTAB, KEY_OF_BACK_TAB },
		{ KEY_LEFT, KEY_OF_LEFT },
		{ KEY_RIGHT, KEY_OF_RIGHT },
		{ KEY_F(1), KEY_OF_F1 },
		{ KEY_MOUSE, KEY_OF_MOUSE },
		{ KEY_BACKSPACE, KEY_OF_BACKSPACE },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (keys[i].theirs == key)
			return keys[i].ours;
	}
	return 0;
}

u32 terminal__key(struct terminal *t)
{
	wint_t key;
	int r = get_wch(&key);

	if (r == ERR) {
		t->gone = t->gone || at_end();
		return 0;
	}
	if (r == KEY_CODE_YES)
		return known_key(key);
	if (key == '\n')
		return KEY_OF_ENTER;
	return key == '\b' ? KEY_OF_BACKSPACE : (u32)key;
}

static bool is_second_click(struct terminal *t, const struct mouse *m)
{
	u64 now = clock_mono_ns();
	bool second = t->clicked_ns && now - t->clicked_ns <= DOUBLE_CLICK_NS &&
		      t->clicked.row == m->row && t->clicked.col == m->col;

	t->clicked = *m;
	t->clicked_ns = second ? 0 : now;
	return second;
}

bool terminal__mouse(struct terminal *t, struct mouse *ret)
{
	MEVENT event;

	if (getmouse(&event) != OK || event.y < 0 || event.x < 0)
		return false;
	ret->row = (u32)event.y;
	ret->col = (u32)event.x;
	if (event.bstate & BUTTON4_PRESSED)
		ret->kind = MOUSE_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		ret->kind = MOUSE_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_PRESSED)
		ret->kind = is_second_click(t, ret) ? MOUSE_DOUBLE_CLICK : MOUSE_CLICK;
	else
		return false;
	return true;
}

bool terminal__is_gone(const struct terminal *t)
{
	return t->gone;
}
