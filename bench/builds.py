# SPDX-License-Identifier: Apache-2.0
"""make -j4 of a small program: many processes that begin, read files and end."""
from loads import Gated, InDirectory

MAKEFILE = """\
objects := $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
\tcc -o $@ $(objects)
"""
SOURCE = """\
#include <netdb.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int part_{n}(const char *text)
{{
	regex_t r;
	int found = !regcomp(&r, "[a-z]+{n}", 0) && !regexec(&r, text, 0, NULL, 0);
	printf("%s: %d\\n", text, found);
	regfree(&r);
	return found;
}}
"""


class Build(InDirectory):
    """The tree is there as long as the block lasts, and is built anew by each run."""
    name = "make"

    def __init__(self, cpu, files):
        super().__init__()
        self.cpu = cpu
        self.files = files
        self.about = f"make -j4 of {files} C files on one CPU; the machine is traced"

    def prepare(self):
        self.write("Makefile", MAKEFILE)
        self.write("main.c", "int main(void)\n{\n\treturn 0;\n}\n")
        for n in range(self.files):
            self.write(f"part_{n}.c", SOURCE.format(n=n))

    def start(self):
        gated = Gated(["taskset", "-c", str(self.cpu), "make", "-s", "-B", "-j4", "-C", self.dir])
        gated.pid = None  # of several
        return gated
