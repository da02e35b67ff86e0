/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-replay [FOLDER]: all that is kept in the corpus, a folder for each target, must do no harm: what once did, and
 * what fuzzing has found to reach the most. Packed corpora (NAME.pack) are a line with a length before each input.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz_text.h"

enum { SECONDS = 60 };

int main(int count, char **words)
{
	const char *message, *source = getenv("srcdir");
	char pattern[4096];
	size_t length;
	glob_t found;

	if (count == 2)
		snprintf(pattern, sizeof pattern, "%s/*", words[1]);
	else
		snprintf(pattern, sizeof pattern, "%s/tests/fuzz/corpus/*", source ? source : ".");
	if (glob(pattern, 0, NULL, &found)) {
		fprintf(stderr, "fuzz-replay: nothing at %s\n", pattern);
		return 2;
	}
	for (size_t k = 0; k < found.gl_pathc; k++) {
		char *text = file_read_whole(found.gl_pathv[k], 1 << 26, &length, &message);
		if (!text)
			return 2;
		printf("%s\n", found.gl_pathv[k]);
		fflush(stdout);
		alarm(SECONDS);
		fuzz_text(text, length);
		free(text);
	}
	globfree(&found);
	return 0;
}
