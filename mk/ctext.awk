# SPDX-License-Identifier: Apache-2.0
#
# A text file as the lines of a C string.
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\"%s\\n\"\n", $0
}
