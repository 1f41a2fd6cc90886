# SPDX-License-Identifier: Apache-2.0
#
# Reads `cc -E -dM` of <asm/unistd.h>; prints `[number] = "name",` for every system call.
#
# Some machines define a name by another macro (__NR_fcntl is __NR3264_fcntl on arm64), so values
# are followed. The headers may be older than the running kernel: from 424 on the numbers are the
# same on every machine, so the calls that came after Debian 12's headers are given here.
BEGIN {
	late = "cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue " \
	       "statmount listmount lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal " \
	       "setxattrat getxattrat listxattrat removexattrat open_tree_attr file_getattr " \
	       "file_setattr"
	n = split(late, names, " ")
	for (i = 1; i <= n; i++)
		call[450 + i] = names[i]
}
$1 == "#define" && $2 ~ /^__NR/ && NF == 3 { value[$2] = $3 }
END {
	for (macro in value) {
		if (macro !~ /^__NR_/ || macro ~ /^__NR_(syscalls|arch_specific_syscall)$/)
			continue
		v = value[macro]
		for (i = 0; i < 4 && v in value; i++)
			v = value[v]
		if (v ~ /^[0-9]+$/)
			call[v] = substr(macro, 6)
	}
	for (nr in call)
		printf "[%d] = \"%s\",\n", nr, call[nr]
}
