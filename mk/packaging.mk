# SPDX-License-Identifier: Apache-2.0
#
# What users install. All of it is made of the newest commit, in directories of its own, and written
# to O/packages; packaging/README.md says what each is. Only `static` builds this tree as it is.
PACKAGES := $(O)/packages

.PHONY: dist deb static
dist: ## Write the source of the newest commit as an archive: the same bytes everywhere
	$(Q)packaging/dist $(PACKAGES)

deb: ## Build Debian packages of the newest commit, and check them with lintian
	$(Q)packaging/deb $(PACKAGES)

static: ## Build one file that runs on every Linux of this architecture
	$(Q)$(MAKE) -s STATIC=1 O=$(O)/static all
	$(Q)mkdir -p $(PACKAGES)
	$(Q)$(OBJCOPY) --strip-all $(O)/static/coldspot $(PACKAGES)/coldspot-$(ARCH_WORD)
	@echo $(abspath $(PACKAGES))/coldspot-$(ARCH_WORD)

# What CI has time for, and all of it.
.PHONY: test-packages test-packaging
test-packages: deb ## The source archive and the Debian package: what is in them
	$(call run_tests,packages,tests/packaging/dist.t tests/packaging/deb.t)

test-packaging: deb static ## All packages, where they run (root; fetches Debian releases)
	$(call run_tests,packaging,$(wildcard tests/packaging/*.t))
