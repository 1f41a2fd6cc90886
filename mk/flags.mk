# SPDX-License-Identifier: Apache-2.0
#
# Compilers, flags and libraries. Flags live in a fingerprint file that every object depends on, so
# that a changed flag rebuilds what it touches.
##= CC: C compiler, gcc or clang-16
ifeq ($(filter-out undefined default,$(origin CC)),)
CC := gcc
endif
ifeq ($(filter-out undefined default,$(origin AR)),)
AR := ar
endif
OBJCOPY ?= objcopy
##= SAN: Sanitizers of the user side, e.g. address,undefined
SAN ?=
##= STATIC: 1 links every library into the program, so that it needs no file of the system
STATIC ?=
##= DEVELOPER: 1 adds -Werror (CI=true does too)
DEVELOPER ?= $(CI)
PKG_CONFIG ?= pkg-config

LINKED_IN := $(filter-out 0 false no,$(STATIC))
DEVELOPING := $(filter-out 0 false no,$(DEVELOPER))
MACHINE := $(shell $(CC) -dumpmachine)
ARCH_WORD := $(firstword $(subst -, ,$(MACHINE)))
##= TARGET_ARCH: x86 or arm64
TARGET_ARCH ?= $(or $(patsubst aarch64%,arm64,$(filter aarch64%,$(ARCH_WORD))),x86)

PKGS := libbpf libelf libdw liblzma zlib sqlite3 libzstd jansson ncursesw libmicrohttpd
ifneq ($(filter-out help clean format format-check lint lint-%,$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell $(PKG_CONFIG) --exists $(PKGS) 2>&1 && echo yes),yes)
$(error pkg-config does not find all of: $(PKGS). `sudo scripts/deps build` installs them)
endif
endif
# packaging/static/no_tls.c has what libmicrohttpd calls of GnuTLS.
NOT_STATIC := $(if $(LINKED_IN),$(addprefix -l,gnutls p11-kit idn2 unistring tasn1 hogweed nettle \
	gmp))
LIBS := $(filter-out $(NOT_STATIC),$(shell $(PKG_CONFIG) $(if $(LINKED_IN),--static) --libs \
	$(PKGS) 2>/dev/null)) -liberty -lm -pthread
LIBS_TEST := -lcmocka $(LIBS)

WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wimplicit-fallthrough \
	$(if $(DEVELOPING),-Werror)
HARDEN := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all,\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
OPT ?= $(if $(SAN),-O1,-O2)

CPPFLAGS_ALL := -D_GNU_SOURCE -Isrc -I$(O) $(CPPFLAGS)
CFLAGS_ALL := -std=gnu11 -g $(OPT) -fPIE -fno-common -fno-omit-frame-pointer -pthread \
	-ffile-prefix-map=$(CURDIR)/= $(WARNINGS) $(HARDEN) $(CFLAGS)
LDFLAGS_ALL := $(if $(LINKED_IN),-static-pie,-pie) -Wl,--as-needed \
	$(if $(SAN),-fsanitize=$(SAN),-Wl,-z,relro,-z,now) $(LDFLAGS)
BANNED := -include src/base/banned.h
DEPS = -MMD -MP -MF $(@:.o=.d)

# $(1): file, $(2): text. Written only when the text is not what the file holds.
fingerprint = @mkdir -p $(dir $(1)); echo '$(2)' | cmp -s - $(1) || echo '$(2)' > $(1)

$(O)/flags-c: FORCE
	$(call fingerprint,$@,$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LIBS_TEST))
