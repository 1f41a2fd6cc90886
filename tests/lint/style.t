#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/lint/tree.sh
. tests/lint/tree.sh

# spoil TEXT: adds a line to a C file of the tree
spoil() {
	printf '%b\n' "$1" >>"$tree/src/proc/maps.c"
}

new_tree
accepts style "a clean tree"

new_tree
spoil 'int x; // why'
refuses style 'src/proc/maps.c:8: a // comment' "a // comment"

new_tree
spoil 'const char *u = "http://x"; /* see http://y */\n/*\n * and http://z\n */'
accepts style "// in strings and in block comments"

new_tree
spoil 'int x; '
refuses style 'blanks at the end of the line' "a trailing blank"

new_tree
sed -i 1d "$tree/src/proc/maps.c"
refuses style 'is not the licence line' "no licence line"

new_tree
sed -i '1s/GPL-2.0-only OR BSD-2-Clause/Apache-2.0/' "$tree/bpf/lib/maps.bpf.h"
refuses style 'is not the licence line' "the wrong licence in bpf"

new_tree
spoil "/* TO""DO: later */"
refuses style 'unfinished business' "unfinished business"

new_tree
spoil "/* $(awk 'BEGIN { for (i = 0; i < 95; i++) printf "x" }') */"
refuses style '101 columns' "101 columns"

new_tree
spoil "\t\t/* $(awk 'BEGIN { for (i = 0; i < 79; i++) printf "x" }') */"
refuses style '101 columns' "101 columns with tabs of 8"

new_tree
cp "$tree/src/proc/maps.c" "$tree/src/proc/utils.c"
refuses style 'src/proc/utils.c: name what it owns' "a file name that says nothing"

for words in "to be ha""d" "it is tol""d" "are tol""d" "of which n""o" "but fo""r" "is non""e" \
	"for eve""r" "heard o""f" "a short wa""y" "the dea""d" "are to b""e" "is ha""d" \
	"of who""m" "by turn""s" "made a""new"; do
	new_tree
	spoil "/* $words x */"
	refuses style "src/proc/maps.c:8: not plain English" "'$words'"
done

new_tree
spoil '/* holds for every one of several shortcuts, and told once; NULL if there is none */'
mkdir "$tree/docs"
echo 'A wait to begin had begun.' >"$tree/docs/page.md"
accepts style "words that only begin like a refused phrase"
echo 'Waits but fo''r one.' >"$tree/docs/page.md"
refuses style 'docs/page.md:1: not plain English' "a refused phrase in a page"

# commit SUBJECT: the tree as one commit
commit() {
	git -C "$tree" init -q
	git -C "$tree" -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$1"
}

new_tree
commit "$(awk 'BEGIN { for (i = 0; i < 72; i++) printf "x" }')"
accepts style "a subject of 72 characters"
commit "$(awk 'BEGIN { for (i = 0; i < 73; i++) printf "x" }')"
refuses style 'subject has 73 characters' "a subject of 73 characters"
rm -rf "$tree/.git"

if command -v clang-format-16 >/dev/null; then
	new_tree
	cp .clang-format "$tree/"
	accepts style "C in the format"
	spoil 'int f( int x ){ return x; }'
	refuses style 'not in the format' "C out of the format"
fi

if command -v shellcheck >/dev/null; then
	new_tree
	# shellcheck disable=SC2016
	echo 'echo $1' >>"$tree/scripts/hello"
	refuses style 'shellcheck has something to say' "a script that shellcheck dislikes"
fi

if command -v codespell >/dev/null; then
	new_tree
	spoil "/* re""cieve */"
	refuses style 'misspelt words' "a misspelt word"
fi

finish
