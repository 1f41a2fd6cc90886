# SPDX-License-Identifier: Apache-2.0
#
# Man pages and completions are printed by the program from its option tables.
##= PREFIX: Where `make install` puts things
PREFIX ?= /usr/local
##= DESTDIR: Put before PREFIX, for packaging
DESTDIR ?=
bindir := $(DESTDIR)$(PREFIX)/bin
datadir := $(DESTDIR)$(PREFIX)/share
docdir := $(datadir)/doc/coldspot
##= ZSH_DIR: Where zsh looks for completions
ZSH_DIR ?= $(PREFIX)/share/zsh/site-functions

# In the folders that they are in here, so that links from one to the other hold.
DOCS := $(wildcard *.md docs/*.md docs/*.json docs/*/*.md docs/pictures/*.png packaging/*.md \
	bench/results/*.md) LAYERS LICENSE $(wildcard bpf/LICENSE.*)

COMMANDS = $(shell $(O)/coldspot help --format list)

.PHONY: install uninstall man completions
man: $(O)/coldspot ## Write the man pages below O/man
	$(Q)mkdir -p $(O)/man
	$(Q)$(O)/coldspot help --format man > $(O)/man/coldspot.1
	$(Q)for c in $(COMMANDS); do \
		$(O)/coldspot help --format man $$c > $(O)/man/coldspot-$$c.1 || exit 1; done

completions: $(O)/coldspot ## Write the bash and zsh completions below O/completions
	$(Q)mkdir -p $(O)/completions
	$(Q)$(O)/coldspot help --format bash > $(O)/completions/coldspot
	$(Q)$(O)/coldspot help --format zsh > $(O)/completions/_coldspot

install: $(O)/coldspot man completions ## Install below DESTDIR PREFIX
	$(call msg,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)install -D -m 755 -t $(bindir) $(O)/coldspot
	$(Q)install -D -m 644 -t $(datadir)/man/man1 $(O)/man/*.1
	$(Q)install -D -m 644 -t $(datadir)/bash-completion/completions $(O)/completions/coldspot
	$(Q)install -D -m 644 -t $(DESTDIR)$(ZSH_DIR) $(O)/completions/_coldspot
	$(Q)for f in $(DOCS); do install -D -m 644 $$f $(docdir)/$$f || exit 1; done

uninstall: ## Remove what install put there
	$(Q)rm -f $(bindir)/coldspot $(datadir)/man/man1/coldspot.1 \
		$(datadir)/man/man1/coldspot-*.1 $(DESTDIR)$(ZSH_DIR)/_coldspot \
		$(datadir)/bash-completion/completions/coldspot
	$(Q)rm -rf $(docdir)
