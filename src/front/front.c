/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front ends share.
 */
#include "front/front.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

bool front_open(struct session *s)
{
	if (session_open(s))
		return true;
	if (errno == ENOMEM) {
		front_no_memory();
		return false;
	}
	fprintf(stderr, "ptxsim: PTXSIM_VARIANT names no variant that runs on this host: '%s'\n",
		getenv("PTXSIM_VARIANT") ? getenv("PTXSIM_VARIANT") : "");
	return false;
}

bool front_read_files(struct session *s, char *const *paths, size_t count)
{
	bool ok = true;

	for (size_t k = 0; k < count; k++) {
		const char *message;
		if (session_add_file(s, paths[k], &message))
			continue;
		fprintf(stderr, "ptxsim: %s: %s\n", file_name_shown(paths[k]), message);
		ok = false;
	}
	return ok;
}

void front_print_diagnostics(const struct session *s, enum colour_choice colour)
{
	fflush(stdout);
	diags_print(&s->diags, stderr, colour_for(colour, stderr));
}

int front_no_memory(void)
{
	fprintf(stderr, "ptxsim: no memory left\n");
	return CLI_WRONG;
}

int front_in_session(int (*body)(struct session *s, void *options), void *options, enum colour_choice colour)
{
	struct session s;
	int status;

	if (!front_open(&s))
		return CLI_WRONG;
	if (SESSION_ENTER(&s)) {
		status = front_no_memory();
	} else {
		status = body(&s, options);
		front_print_diagnostics(&s, colour);
	}
	session_close(&s);
	return status;
}

void front_set_limits(const struct launch_choices *c, struct session *s, struct script *script)
{
	s->bounds = c->bounds;
	if (c->memory_limit)
		s->memory_limit = c->memory_limit;
	for (u32 k = 0; k < c->source_folder_count; k++)
		VEC_PUSH(&s->arena, &s->sources.folders, c->source_folders[k]);
	script->file_most = s->memory_limit;
	script->allow_paths = c->allow_paths;
	script->overwrite = c->overwrite;
}
