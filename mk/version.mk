# SPDX-License-Identifier: Apache-2.0
#
# The same commit gives the same text: no time, no host, no path. An archive of the source has a
# file COMMIT, and is not asked which repository it was unpacked into.
VERSION := $(shell cat VERSION)
COMMIT_WORD := $(if $(wildcard COMMIT),$(filter-out release,$(shell read -r word rest <COMMIT; \
	echo "$$word")),$(shell GIT_OPTIONAL_LOCKS=0 git -c safe.directory='*' describe --always \
	--dirty --abbrev=12 --exclude '*' 2>/dev/null))
VERSION_TEXT := $(VERSION)$(if $(COMMIT_WORD),+g$(COMMIT_WORD))
GEN += $(O)/gen/version.h

$(O)/gen/version.h: FORCE
	$(call fingerprint,$@,#define COLDSPOT_VERSION "$(VERSION_TEXT)")
