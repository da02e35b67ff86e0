/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim dap: serves the debugger to an editor.
 */
#include "cli/cli.h"
#include "dap/dap.h"

struct dap_options {
	bool by_port;
	u16 port;
	enum colour_choice colour;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct dap_options *o = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &o->colour;
	if (key != 'p')
		return ARGP_ERR_UNKNOWN;
	const u64 port = front_number(state, "port", text, 0);
	if (port > 65535)
		argp_error(state, "--port: there is no port %llu", (unsigned long long)port);
	o->by_port = true;
	o->port = (u16)port;
	return 0;
}

int cli_dap(int count, char **words)
{
	static const struct argp_option options[] = {
		{"port", 'p', "PORT", 0,
		 "Listen at this port of 127.0.0.1 (0: any); it and the token that launch must carry are printed", 0},
		{0}};
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.doc = "Serves the Debug Adapter Protocol on standard input and output, for editors. The files and "
		       "options come with "
		       "the editor's launch request: docs/debugger.md shows it for VS Code and nvim-dap."};
	struct dap_options o = {0};

	front_parse(&argp, count, words, &o);
	return o.by_port ? dap_serve_port(o.port) : dap_serve_standard();
}
