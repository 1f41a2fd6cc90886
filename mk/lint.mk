# SPDX-License-Identifier: Apache-2.0
#
# Checks that need no build. Each is a script of its own; tests/lint shows that each can fail.
CLANG_FORMAT ?= $(or $(shell command -v clang-format-16),clang-format-16)
CLANG_TIDY ?= $(or $(shell command -v clang-tidy-16),clang-tidy-16)
FORMAT_FILES = $(call below,src bpf,*.c *.h) \
	$(wildcard tests/lib/*.[ch] tests/lib/*/*.[ch] tests/*/*.c tests/unit/*/*.c bench/*.c)
LINTS := layers headers sizes style docs causes

.PHONY: lint tidy format format-check $(LINTS:%=lint-%)
lint: $(LINTS:%=lint-%) ## All checks of the source: layers, headers, sizes, style, docs
lint-layers: ## Includes follow LAYERS
lint-headers: ## Every header compiles alone, guards are named by the file
lint-sizes: ## Files, functions and parameter lists stay small
lint-style: ## Comments, licence lines, columns, format, shell scripts, spelling
lint-docs: ## Files that the documentation names are there
lint-causes: ## The page and docs/rules.md know the causes that C knows
$(LINTS:%=lint-%): lint-%:
	$(call msg,CHECK,$*)
	$(Q)CC='$(CC)' CLANG='$(CLANG)' CLANG_FORMAT='$(CLANG_FORMAT)' scripts/check-$*

tidy: $(O)/compile_commands.json $(GEN) $(SKEL) $(KERNEL_TYPES) ## Run clang-tidy on src/
	$(Q)$(CLANG_TIDY) -p $(O) --quiet $(SRCS)

format: ## Rewrite the C files by .clang-format
	$(Q)$(CLANG_FORMAT) -i $(FORMAT_FILES)

format-check: ## Say which C files .clang-format would change
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(FORMAT_FILES)
