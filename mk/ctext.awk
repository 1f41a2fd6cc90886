# SPDX-License-Identifier: Apache-2.0
#
# A text file as the lines of a C string. A question mark is escaped because two and a parenthesis
# would be a trigraph.
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\?/, "\\?")
	gsub(/\t/, "\\t")
	printf "\"%s\\n\"\n", $0
}
