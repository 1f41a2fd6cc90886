#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How scripts/demo and scripts/test become root: with sudo, without it, and when nobody is there to
# answer. `id` and `sudo` are the test's own.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
count=0
mkdir "$dir/with" "$dir/without"
for where in with without; do
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "${AS_USER:-1000}"\n' >"$dir/$where/id"
	for tool in sh sed; do
		ln -s "$(command -v "$tool")" "$dir/$where/$tool"
	done
done
# It refuses -n if NO_ANSWER is set, as where a password is wanted, and is root then.
cat >"$dir/with/sudo" <<'END'
#!/bin/sh
if [ "$1" = -n ]; then
	[ -z "${NO_ANSWER:-}" ]
	exit
fi
echo "sudo $1"
while [ "$1" != -- ]; do shift; done
shift
AS_USER=0 exec "$@"
END
cat >"$dir/script" <<END
#!/bin/sh
. "$PWD/scripts/root.sh"
become_root FIRST SECOND
echo "as \$(id -u)"
END
chmod +x "$dir"/with/* "$dir"/without/* "$dir/script"

# is PATH WANTED NAME [VARIABLE=VALUE...]: what the script says
is() {
	count=$((count + 1))
	where=$1 wanted=$2 name=$3
	shift 3
	said=$(env "$@" PATH="$dir/$where" "$dir/script" </dev/null 2>&1)
	if [ "$said" = "$wanted" ]; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		echo "$said" | sed 's/^/# /'
	fi
}

is with 'as 0' 'root stays root' AS_USER=0
is without 'as 0' 'root needs no sudo' AS_USER=0
is with 'sudo --preserve-env=FIRST,SECOND
as 0' 'a user becomes root, with the variables'
is without 'as 1000' 'a user stays one without sudo'
is with 'as 1000' 'a user stays one if nobody can answer' NO_ANSWER=1
is with 'as 1000' 'a user stays one on request' COLDSPOT_SUDO=no
echo "1..$count"
