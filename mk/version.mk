# SPDX-License-Identifier: Apache-2.0
#
# The same commit gives the same text: no time, no host, no path.
VERSION := $(shell cat VERSION)
GIT_WORD := $(shell GIT_OPTIONAL_LOCKS=0 git -c safe.directory='*' describe --always --dirty \
	--exclude '*' 2>/dev/null)
VERSION_TEXT := $(VERSION)$(if $(GIT_WORD),+g$(GIT_WORD))
GEN += $(O)/gen/version.h

$(O)/gen/version.h: FORCE
	$(call fingerprint,$@,#define COLDSPOT_VERSION "$(VERSION_TEXT)")
