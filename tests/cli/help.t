#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help, version, man pages and completions: on standard output, with status 0.
. tests/cli/tap.sh

prints 0 '^Usage: coldspot COMMAND' --help
prints 0 '^Usage: coldspot COMMAND' -h
prints 0 '^Usage: coldspot COMMAND' help
prints 0 '^coldspot [0-9]' --version
prints 0 '^coldspot [0-9]' -V
prints 0 '^coldspot [0-9]' version

commands=$("$COLDSPOT" help --format list)
[ "$(echo "$commands" | wc -l)" -ge 5 ]
ok 'help --format list has the commands'
for command in $commands; do
	prints 0 "^Usage: coldspot $command" "$command" --help
	prints 0 "^Usage: coldspot $command" "$command" -h
	cp "$dir/out" "$dir/by-option"
	prints 0 "^Usage: coldspot $command" help "$command"
	cmp -s "$dir/out" "$dir/by-option"
	ok "help $command and $command --help are the same"
	prints 0 "^Usage: coldspot $command" "$command" --help-all
	cp "$dir/out" "$dir/by-option"
	prints 0 "^Usage: coldspot $command" help --all "$command"
	cmp -s "$dir/out" "$dir/by-option"
	ok "help --all $command and $command --help-all are the same"
done
prints 0 '^Usage: coldspot record' record -p 1 --help
prints 0 '^      --ring-size BYTES' record --help-all
prints 0 '^[0-9]* more options, and these in full: coldspot record --help-all$' record --help
! grep -q -e --ring-size "$dir/out"
ok 'rare options are in --help-all only'
prints 0 '^Usage: coldspot report \[OPTION\]... FILE...$' help report
prints 0 '^Usage: coldspot diff \[OPTION\]... BEFORE AFTER$' help diff

# roff is read by the real thing, which complains on standard error
for command in '' $commands; do
	# shellcheck disable=SC2086
	run help --format man $command
	if command -v man >/dev/null; then
		complaints=$(MANWIDTH=80 man --warnings -l "$dir/out" 2>&1 >"$dir/page") &&
			[ -z "$complaints" ] && grep -q '^EXIT STATUS' "$dir/page"
		ok "man page of coldspot $command" || echo "# $complaints"
	else
		skip "man page of coldspot $command" 'no man'
	fi
done

says 2 "coldspot help: no command 'bogus'" help bogus
says 2 'coldspot help: --format bash takes no COMMAND' help --format bash record
says 2 "coldspot help: --format: 'pdf' is not one of text, man, bash, zsh, list" help --format pdf
says 2 "coldspot help: unexpected argument 'doctor'" help record doctor
says 2 "coldspot version: unexpected argument 'now'" version now

run
[ "$status" -eq 2 ] && [ ! -s "$dir/out" ] && grep -q '^Usage: coldspot COMMAND' "$dir/err" &&
	grep -q 'record -p PID' "$dir/err"
ok 'without a command: short help on standard error, status 2' || why
says 2 "coldspot: no command 'recrod'; did you mean 'record'?" recrod
says 2 "coldspot: no command 'frobnicate'; 'coldspot help' lists them" frobnicate
says 2 "coldspot: no command ''; 'coldspot help' lists them" ''
says 2 "coldspot: unknown option '--frob' before a command" --frob
finish
