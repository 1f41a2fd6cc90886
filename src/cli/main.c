/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

/* Only the entry point, so that tests can link everything else. */
int main(int argc, char **argv)
{
	return commands_main(argc, argv);
}
