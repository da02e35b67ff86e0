# SPDX-License-Identifier: Apache-2.0
# fish completion for ptxsim, which knows its words itself: `ptxsim complete`. Files complete besides.

function __ptxsim_words
	set -l before (commandline -opc)
	$before[1] complete $before[2..] (commandline -ct) 2>/dev/null | sort -u
end
complete -c ptxsim -a '(__ptxsim_words)'
