#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes C source with the text of the report's page: page.html, page.css, and the scripts one after the other.
# embed.sh FOLDER > page_text.c
set -eu

# variable NAME FILE...
variable() {
	name=$1
	shift
	printf 'const char %s[] =\n' "$name"
	cat "$@" | sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/\\n"/'
	printf ';\n'
}

cd "$1"
printf '/* Made by embed.sh. */\n#include "report/page.h"\n'
variable page_html page.html
variable page_css page.css
variable page_js core.js summary.js source.js pictures.js timeline.js compare.js start.js
