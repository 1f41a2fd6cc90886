# SPDX-License-Identifier: Apache-2.0
#
# Reads LAYERS; prints, users first, one word per layer: layer=itself,and,all,it,reaches with users
# before what they use, which is the order a linker wants.
/^#/ || NF == 0 || $1 == "uses" || $1 == "rooms" { next }
{
	name = $1
	sub(/:$/, "", name)
	order[++n] = name
	reach[name, name] = 1
	for (i = 2; i <= NF; i++)
		for (j = 1; j < n; j++)
			if (reach[$i, order[j]])
				reach[name, order[j]] = 1
}
END {
	for (i = n; i >= 1; i--) {
		line = order[i] "="
		sep = ""
		for (j = i; j >= 1; j--)
			if (reach[order[i], order[j]]) {
				line = line sep order[j]
				sep = ","
			}
		print line
	}
}
