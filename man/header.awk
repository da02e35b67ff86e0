# SPDX-License-Identifier: Apache-2.0
# ptxsim(3) out of the public headers: what they say of each group of declarations, behind the declarations. Variable: version.
function escaped(s) {
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	return s ~ /^[.']/ ? "\\&" s : s
}
function flush_group(  n, k, lines) {
	if (declarations != "") {
		printf ".PP\n.nf\n"
		n = split(declarations, lines, "\n")
		for (k = 1; k < n; k++)
			print escaped(lines[k])
		printf ".fi\n"
		if (comment != "")
			printf ".RS 4\n%s.RE\n", comment
	} else if (comment != "") {
		printf ".PP\n%s", comment
	}
	declarations = comment = ""
}
function add_comment(line) {
	if (line ~ /^ \*\/$/)
		return
	sub(/^\/\* ?/, "", line)
	sub(/^ \* ?/, "", line)
	sub(/ *\*\/ *$/, "", line)
	if (line ~ /^ *SPDX/)
		return
	if (line == "") {
		comment = comment == "" ? "" : comment (verbatim ? ".fi\n" : "") ".PP\n"
		verbatim = 0
	} else if (line ~ /^    /) {
		comment = comment (verbatim ? "" : ".nf\n") escaped(line) "\n"
		verbatim = 1
	} else {
		comment = comment (verbatim ? ".fi\n" : "") escaped(line) "\n"
		verbatim = 0
	}
}
BEGIN {
	printf ".TH PTXSIM 3 \"\" \"ptxsim %s\" \"Library Functions\"\n", version
	printf ".SH NAME\nptxsim \\- run GPU code with no GPU, from C and C++\n.SH SYNOPSIS\n"
	printf ".nf\n#include <ptxsim.h>\n#include <ptxsim_observe.h>\n#include <ptxsim_script.h>\n\n"
	printf "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs ptxsim)\n.fi\n"
}
FNR == 1 {
	flush_group()
	name = FILENAME
	sub(/.*\//, "", name)
	print ".SH " toupper(name)
}
in_comment {
	add_comment($0)
	if (/\*\//) in_comment = 0
	next
}
depth == 0 && open == 0 && /^\/\* ---/ {
	flush_group()
	sub(/^\/\* -+ */, "")
	sub(/ *-+ \*\/.*/, "")
	print ".SS " $0
	next
}
depth == 0 && open == 0 && /^\/\*/ {
	flush_group()
	add_comment($0)
	in_comment = !/\*\//
	next
}
/^#define PTXSIM_[A-Z_]*(MAJOR|MINOR)/ { declarations = declarations $0 "\n"; next }
/^#define/ { skipping = 1 }
skipping { skipping = /\\$/; next }
/^#/ || /^extern "C"/ || (depth == 0 && /^}$/) { next }
/^$/ { if (depth == 0) flush_group(); next }
{
	gsub(/\t/, "    ")
	declarations = declarations $0 "\n"
	bare = $0
	gsub(/\/\*.*\*\//, "", bare)
	depth += gsub(/{/, "{", bare) - gsub(/}/, "}", bare)
	open = !(depth == 0 && bare ~ /;[ ]*$/)
	if (bare ~ /;[ ]*$/ && depth == 0)
		open = 0
}
END {
	flush_group()
	print ".SH SEE ALSO\n.BR ptxsim (1)"
}
