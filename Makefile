# SPDX-License-Identifier: Apache-2.0
#
# Non-recursive, out of tree only: everything is written below O. No source or header is listed by
# hand; files are found by their place (src/<layer>/[<room>/]*.c, bpf/*.bpf.c,
# tests/<suite>/test_*.c).
#
#   make V=1                                   show the commands
#   make CC=clang-16 SAN=address O=/tmp/san    another build beside the first
#   make test-unit L=base                      the tests of one layer
MAKEFLAGS += --no-builtin-rules --no-builtin-variables
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:

##= O: Directory for everything that is built
O ?= build
##= V: 1 shows the commands
V ?= 0
Q := $(if $(filter 0,$(V)),@)
QUIET := $(or $(filter-out 0,$(V)),$(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))))
msg = $(if $(QUIET),,@printf '  %-9s %s\n' '$(1)' '$(2:$(O)/%=%)')

.PHONY: all
all: $(O)/coldspot ## Build the program (default)

include mk/flags.mk
include mk/layers.mk
include mk/gen.mk
include mk/version.mk
include mk/bpf.mk
include mk/code.mk
include mk/test.mk
include mk/fuzz.mk
include mk/lint.mk
include mk/install.mk
include mk/bench.mk
include mk/web.mk
include mk/packaging.mk

.PHONY: help
help: ## Show the targets and the settings
	@awk -F ':.*## ' '/^[a-z][a-z0-9.-]*:.*## / { printf "  %-22s %s\n", $$1, $$2 }' \
		$(MAKEFILE_LIST)
	@printf '\nSettings:\n'
	@awk -F '##= |: ' '/^##= / { printf "  %-22s %s\n", $$2, $$3 }' $(MAKEFILE_LIST)

.PHONY: clean
clean: ## Remove what was built below O
	$(Q)rm -rf -- $(addprefix $(O)/,coldspot coldspot.bpf.o go_waits.bpf.o \
		compile_commands.json \
		flags-c flags-bpf src lib bpf gen tests fuzz bench man completions \
		static static-arm64 packages release coldspot.map)
	$(Q)rmdir -- $(O) 2>/dev/null || true

.PHONY: FORCE
FORCE:
