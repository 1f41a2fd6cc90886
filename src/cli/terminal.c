/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SHEET_LINES 60

bool terminal_color(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

void terminal_size(u32 *ret_columns, u32 *ret_lines)
{
	struct winsize size = { 0 };
	bool screen = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);

	if (!screen)
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	*ret_columns = size.ws_col;
	*ret_lines = screen ? size.ws_row : SHEET_LINES;
}
