# SPDX-License-Identifier: Apache-2.0
#
# Reads `file TAB command` lines; prints a JSON compilation database.
function quoted(s)
{
	gsub(/\\/, "&&", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}
BEGIN { FS = "\t"; printf "[" }
{
	printf "%s\n{\"directory\": %s, ", (NR == 1 ? "" : ","), quoted(dir)
	printf "\"file\": %s, \"command\": %s}", quoted($1), quoted($2)
}
END { print "\n]" }
