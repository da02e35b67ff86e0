# SPDX-License-Identifier: Apache-2.0
# One command's page out of ptxsim.1: its lines of the synopsis, and its section. Variables: command, version.
function page_head() {
	printf ".TH PTXSIM\\-%s 1 \"\" \"ptxsim %s\" \"User Commands\"\n", toupper(command), version
	printf ".SH NAME\nptxsim\\-%s \\- %s\n.SH SYNOPSIS\n", command, short
	if (synopsis == "")
		synopsis = ".B ptxsim " command "\n.RI [ WORD ...]\n"
	printf "%s.SH DESCRIPTION\n", synopsis
}
/^\.SH/ { part = $2; inside = 0 }
part == "SYNOPSIS" && /^\.B ptxsim/ {
	mine = $3 == command
	if (mine && synopsis != "")
		synopsis = synopsis ".br\n"
}
part == "SYNOPSIS" && mine && !/^\.SH/ && !/^\.br/ { synopsis = synopsis $0 "\n" }
part == "COMMANDS" && /^\.SS/ { section = $2; in_options = 0; inside = section == command; next }
part == "COMMANDS" && inside && /^\.\\" in short: / { short = substr($0, 15); page_head(); next }
# What another command's page says of options; that command comes first in ptxsim.1.
part == "COMMANDS" && /^\.TP/ { in_options = 1 }
part == "COMMANDS" && in_options && !inside { options[section] = options[section] $0 "\n" }
inside && /^\.\\" with the options of / { with = $NF; next }
inside { print }
END {
	if (short == "") {
		print "ptxsim.1 has no section about " command > "/dev/stderr"
		exit 1
	}
	if (with != "")
		printf ".SH LAUNCH OPTIONS\n%s", options[with]
	print ".SH COMMON OPTIONS\n.TP\n.BR \\-h \", \" \\-\\-help\nprints the options"
	# exec has a command line of its own: what follows PROGRAM is the program's.
	if (command != "exec") {
		print ".TP\n.B \\-\\-usage\nprints a short form of the options\n.TP\n.BR \\-\\-color [=auto|always|never]"
		print "says whether messages are coloured: by default on a terminal, unless the environment's\n.B NO_COLOR\nis set"
	}
	if (command == "exec") {
		print ".SH EXIT STATUS\nthe program's own; if a check found something and the program ended with 0, that of"
		print ".BR \\-\\-error\\-exitcode ;\n2: the program could not be started, or what was found could not be printed."
	} else {
		print ".SH EXIT STATUS\n0 success; 1 a kernel failed, a check found something, or an expectation did not hold; 2 wrong"
		print "usage, a file that cannot be read, or an error in a text."
	}
	print ".SH SEE ALSO\n.BR ptxsim (1)"
}
