/* SPDX-License-Identifier: Apache-2.0
 *
 * The command language: the table of commands, finding one by its beginning, help, and what is about
 * commands themselves.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"

enum { SOURCE_DEPTH_MAX = 20 };

/* Where a beginning fits several, the first wins if it is the shorter word's alias, or else is ambiguous. */
const struct command console_commands[] = {
	{"run", "r start", command_run, COMPLETE_NOTHING, false, "",
	 "Start the launches from the beginning, up to the first instruction of the first one."},
	{"continue", "c fg", command_continue, COMPLETE_NOTHING, true, "[N]",
	 "Go on until something stops the kernel.\nWith N, pass N - 1 stops. Between launches: begin the next one."},
	{"step", "s stepi si", command_step, COMPLETE_NOTHING, true, "[N]",
	 "Execute one instruction (N) of the focused warp.\nOther warps take their turns meanwhile, unless "
	 "scheduler-locking is on."},
	{"next", "n nexti ni", command_next, COMPLETE_NOTHING, true, "[N]", "Like step, but over calls."},
	{"step-line", "sl", command_step_line, COMPLETE_NOTHING, true, "[N]",
	 "Execute until the focused warp stands on another source line (of .loc; else of the text)."},
	{"next-line", "nl", command_next_line, COMPLETE_NOTHING, true, "[N]", "Like step-line, but over calls."},
	{"finish", "fin", command_finish, COMPLETE_NOTHING, true, "",
	 "Execute until the focused lane's function has returned."},
	{"until", "u advance", command_until, COMPLETE_LOCATION, true, "LOCATION",
	 "Execute until the focused warp is at LOCATION, in this function or a caller."},
	{"step-block", "sb", command_step_block, COMPLETE_NOTHING, true, "[N]",
	 "Execute one instruction of each warp of the focused block that can go on, in turn."},
	{"to-barrier", "barrier", command_to_barrier, COMPLETE_NOTHING, true, "[N]",
	 "Execute until the focused warp is about to arrive at a barrier of its block."},
	{"to-reconvergence", "reconverge", command_to_reconvergence, COMPLETE_NOTHING, true, "",
	 "Execute until all live lanes of the focused warp are together."},
	{"to-launch", "next-launch", command_to_launch, COMPLETE_NOTHING, true, "",
	 "Execute to the start of the next launch."},
	{"reverse-step", "rs reverse-stepi rsi", command_reverse_step, COMPLETE_NOTHING, true, "[N]",
	 "Go back one instruction of the focused warp."},
	{"reverse-next", "rn reverse-nexti rni", command_reverse_next, COMPLETE_NOTHING, true, "[N]",
	 "Like reverse-step, but over calls."},
	{"reverse-continue", "rc", command_reverse_continue, COMPLETE_NOTHING, true, "[N]",
	 "Go back to where a breakpoint, watchpoint or catchpoint last was met, or to the start."},
	{"reverse-finish", "rf", command_reverse_finish, COMPLETE_NOTHING, true, "",
	 "Go back to the call of the focused lane's function."},
	{"reverse-step-line", "rsl", command_reverse_step_line, COMPLETE_NOTHING, true, "[N]",
	 "Go back to the beginning of a source line."},
	{"reverse-next-line", "rnl", command_reverse_next_line, COMPLETE_NOTHING, true, "[N]",
	 "Like reverse-step-line, but over calls."},
	{"reverse-barrier", "rb", command_reverse_barrier, COMPLETE_NOTHING, true, "[N]",
	 "Go back to before the focused warp's last barrier."},
	{"goto", NULL, command_goto, COMPLETE_NOTHING, false, "POSITION|start|end",
	 "Go to a position of the launch, forwards or backwards.\nA position is the number of warp instructions "
	 "executed: 'info position' tells it."},
	{"who", NULL, command_who, COMPLETE_EXPRESSION, false, "[wrote] REGISTER|MEMORY",
	 "Go back to the instruction that last wrote a register or memory."},
	{"break", "b br brea", command_break, COMPLETE_LOCATION, false,
	 "LOCATION [if CONDITION] [block B] [warp W] [lane L]",
	 "Stop when a warp is about to execute LOCATION.\n"
	 "LOCATION: FILE:LINE or LINE (of the text, or of CUDA C through .loc), FUNCTION, LABEL, FUNCTION:LABEL,\n"
	 "FUNCTION+N (its N-th instruction), @MNEMONIC (every instruction that begins so: @ld.shared).\n"
	 "The condition must hold in an active lane. B is a number or X,Y,Z. Without LOCATION: here."},
	{"tbreak", "tb", command_tbreak, COMPLETE_LOCATION, false, "LOCATION ...", "Like break, for one stop."},
	{"watch", NULL, command_watch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES] [if CONDITION]",
	 "Stop when a register (in any lane) or memory changes.\nWHAT: %r3, shared:0x40, shared[0x40], array[3], "
	 "global:0x7f00, *(.f32*)address."},
	{"wwatch", NULL, command_wwatch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES]",
	 "Stop when a register or memory is written, changed or not."},
	{"rwatch", NULL, command_rwatch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES]", "Stop when memory is read."},
	{"awatch", NULL, command_awatch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES]",
	 "Stop when memory is read or written."},
	{"catch", "cat", command_catch, COMPLETE_CATCH, false, "WHAT [above N]",
	 "Stop at an event: fault, divergence, reconvergence, barrier, lock,\nconflict [above N] (extra wavefronts in "
	 "shared memory), sectors [above N] (of one access)."},
	{"delete", "d del", command_delete, COMPLETE_NOTHING, false, "[N...]",
	 "Delete breakpoints, watchpoints, catchpoints (all without N)."},
	{"enable", "en", command_enable, COMPLETE_NOTHING, false, "[N...]", "Let breakpoints stop again."},
	{"disable", "dis", command_disable, COMPLETE_NOTHING, false, "[N...]", "Let breakpoints not stop."},
	{"condition", "cond", command_condition, COMPLETE_NOTHING, false, "N [CONDITION]",
	 "Give breakpoint N a condition, or take it away."},
	{"ignore", NULL, command_ignore, COMPLETE_NOTHING, false, "N COUNT", "Pass breakpoint N the next COUNT times."},
	{"print", "p inspect", command_print, COMPLETE_EXPRESSION, false, "[/FORMAT] EXPRESSION",
	 "Show a value in the focused lane, and keep it as $1, $2, ...\nFORMAT: x hex, d signed, u unsigned, t binary, "
	 "c "
	 "character, f float, h two halves, b two bfloat16;\nv before it: the elements of a vector register or "
	 "array; l: all 32 lanes. 'print %r1 = 5' assigns."},
	{"lanes", "pl", command_lanes, COMPLETE_EXPRESSION, false, "[/FORMAT] EXPRESSION...",
	 "Show values in all 32 lanes as a grid."},
	{"x", NULL, command_x, COMPLETE_EXPRESSION, true, "[/NFU] ADDRESS",
	 "Show memory: N units of format F and size U (b 1, h 2, w 4, g 8 bytes).\nADDRESS: shared:0x40, local:8, "
	 "param:0, an array, or an expression (generic)."},
	{"set", NULL, command_set, COMPLETE_SETTING, false, "SETTING VALUE | [var] LEFT = RIGHT",
	 "Change a setting, a register or memory.\nSettings: scheduler-locking on|off, history on|off, history-limit "
	 "MIB, width N.\n'set lanes LEFT = RIGHT' assigns in every active lane of the warp."},
	{"show", NULL, command_show, COMPLETE_SETTING, false, "[SETTING]", "Show settings."},
	{"display", "disp", command_display, COMPLETE_EXPRESSION, false, "[/FORMAT] [EXPRESSION]",
	 "Show an expression at every stop."},
	{"undisplay", "und", command_undisplay, COMPLETE_NOTHING, false, "[N...]", "Show no longer."},
	{"backtrace", "bt where", command_backtrace, COMPLETE_NOTHING, false, "",
	 "Show the calls that the focused lane is in."},
	{"frame", "f", command_frame, COMPLETE_NOTHING, false, "[N]", "Look at call N."},
	{"up", NULL, command_up, COMPLETE_NOTHING, true, "[N]", "Look at the caller."},
	{"down", NULL, command_down, COMPLETE_NOTHING, true, "[N]", "Look at the callee."},
	{"block", NULL, command_block, COMPLETE_NOTHING, false, "[B | X,Y,Z]", "Put the focus on a block."},
	{"warp", "w", command_warp, COMPLETE_NOTHING, false, "[W]", "Put the focus on a warp of the block."},
	{"lane", NULL, command_lane, COMPLETE_NOTHING, false, "[L]", "Put the focus on a lane of the warp."},
	{"thread", "t", command_thread, COMPLETE_NOTHING, false, "[X[,Y[,Z]]]",
	 "Put the focus on a thread of the block."},
	{"focus", NULL, command_focus, COMPLETE_NOTHING, false, "", "Show the focus, and what the warp executes next."},
	{"list", "l", command_list, COMPLETE_LOCATION, true, "[LOCATION | cuda]",
	 "Show source lines: of the text, or of CUDA C."},
	{"disassemble", "disas", command_disassemble, COMPLETE_LOCATION, false, "[LOCATION]",
	 "Show a function's instructions, with the source lines they came from."},
	{"divergence", "mask div", command_divergence, COMPLETE_NOTHING, false, "",
	 "Draw the warp's lanes, and where each stands."},
	{"access", "banks sectors", command_access, COMPLETE_NOTHING, false, "[last]",
	 "Draw the memory access about to be executed: lanes to banks, or lanes to sectors.\nWith 'last': the one that "
	 "the focused warp executed last."},
	{"matrix", "fragment", command_matrix, COMPLETE_NOTHING, false, "[A|B|C|D]",
	 "Show an operand of a matrix instruction as a matrix: of the next one, else of the nearest before it."},
	{"info", "i inf", command_info, COMPLETE_INFO, false, "WHAT", "Show the state: 'help info' lists what."},
	{"help", "h", command_help, COMPLETE_COMMAND, false, "[COMMAND]", "Explain the commands, or one."},
	{"source", NULL, command_source, COMPLETE_FILE, false, "FILE", "Execute the commands of a file."},
	{"define", "def", command_define, COMPLETE_NOTHING, false, "NAME",
	 "Make a command of the lines that follow, up to 'end'. $arg0, $arg1, ... are its words."},
	{"echo", NULL, command_echo, COMPLETE_NOTHING, false, "TEXT", "Print a text."},
	{"quit", "q exit", command_quit, COMPLETE_NOTHING, false, "", "Leave."},
	{0},
};

/* --- Words --------------------------------------------------------------------------------------- */

bool console_error(struct console *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(colour_on(c, "31"), c->out);
	vfprintf(c->out, format, args);
	fputs(colour_off(c), c->out);
	fputc('\n', c->out);
	va_end(args);
	c->failed = true;
	return true;
}

bool console_engine_error(struct console *c) { return console_error(c, "%s", debug_message(c->d)); }

char *console_word(char **rest)
{
	char *at = *rest;

	while (isspace((unsigned char)*at))
		at++;
	char *end = at;
	while (*end && !isspace((unsigned char)*end))
		end++;
	*rest = *end ? end + 1 : end;
	*end = 0;
	while (isspace((unsigned char)**rest))
		++*rest;
	return at;
}

bool console_number(struct console *c, const char *text, u64 *n)
{
	char *end;

	*n = strtoull(text, &end, 0);
	if (end == text || *end || *text == '-') {
		console_error(c, "a whole number expected, not '%s'", text);
		return false;
	}
	return true;
}

bool console_value(struct console *c, const char *text, u64 *n)
{
	struct debug_value v;

	if (!debug_evaluate(c->d, text, debug_focus(c->d).lane, &v)) {
		console_engine_error(c);
		return false;
	}
	memcpy(n, v.bytes, 8);
	return true;
}

const char *colour_on(const struct console *c, const char *code)
{
	static const struct {
		const char *code, *text;
	} codes[] = {{"31", "\033[31m"}, {"1", "\033[1m"},   {"2", "\033[2m"},
		     {"33", "\033[33m"}, {"36", "\033[36m"}, {"32", "\033[32m"}};

	for (size_t k = 0; c->options.colour && k < COUNT_OF(codes); k++)
		if (!strcmp(codes[k].code, code))
			return codes[k].text;
	return "";
}

const char *colour_off(const struct console *c) { return c->options.colour ? "\033[0m" : ""; }

static bool has_alias(const struct command *k, const char *word, size_t length)
{
	for (const char *at = k->aliases; at && *at;) {
		const size_t n = strcspn(at, " ");
		if (n == length && !memcmp(at, word, n))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

const struct command *console_find(const char *word, size_t length, bool *ambiguous)
{
	const struct command *found = NULL;

	*ambiguous = false;
	for (const struct command *k = console_commands; k->name; k++)
		if ((strlen(k->name) == length && !memcmp(k->name, word, length)) || has_alias(k, word, length))
			return k;
	for (const struct command *k = console_commands; k->name && length; k++)
		if (!strncmp(k->name, word, length)) {
			*ambiguous = found != NULL;
			found = found ? found : k;
		}
	return found;
}

/* --- Executing ----------------------------------------------------------------------------------- */

struct console *console_new(struct arena *arena, struct debug *d, FILE *out, const struct console_options *options)
{
	struct console *c = ARENA_NEW(arena, struct console);

	c->arena = arena;
	c->d = d;
	c->out = out;
	c->options = *options;
	if (!c->options.width)
		c->options.width = 80;
	return c;
}

bool console_failed(const struct console *c) { return c->failed; }
const struct debug_event *console_event(const struct console *c) { return &c->event; }

/* The line with $arg0, $arg1, ... put in. */
static void put_arguments(const char *line, char *const words[10], char *to, size_t size)
{
	size_t used = 0;

	for (const char *at = line; *at && used + 1 < size;) {
		if (!strncmp(at, "$arg", 4) && isdigit((unsigned char)at[4])) {
			const char *word = words[at[4] - '0'];
			const int n = snprintf(to + used, size - used, "%s", word);
			used = n < 0 || (size_t)n >= size - used ? size - 1 : used + (size_t)n;
			at += 5;
		} else {
			to[used++] = *at++;
		}
	}
	to[used] = 0;
}

static bool run_definition(struct console *c, const struct definition *f, char *rest)
{
	char *words[10], line[1024];

	for (u32 k = 0; k < COUNT_OF(words); k++)
		words[k] = console_word(&rest);
	if (c->depth >= SOURCE_DEPTH_MAX)
		return console_error(c, "commands are nested too deep");
	c->depth++;
	for (size_t k = 0; k < f->lines.count && !c->leave; k++) {
		put_arguments(f->lines.items[k], words, line, sizeof line);
		if (!console_execute(c, line, false) || c->failed)
			break;
	}
	c->depth--;
	return !c->leave;
}

static bool execute(struct console *c, char *line)
{
	bool ambiguous;
	size_t length = 0;

	while (isalnum((unsigned char)line[length]) || line[length] == '-' || line[length] == '_')
		length++;
	for (size_t k = c->definitions.count; k-- > 0;)
		if (strlen(c->definitions.items[k].name) == length &&
		    !memcmp(c->definitions.items[k].name, line, length))
			return run_definition(c, &c->definitions.items[k], line + length);
	const struct command *k = console_find(line, length, &ambiguous);
	if (!k)
		return console_error(c, "there is no command '%.*s'; try 'help'", (int)strcspn(line, " \t"), line);
	if (ambiguous)
		return console_error(c, "'%.*s' begins several commands; try 'help'", (int)length, line);
	char *rest = line + length;
	while (isspace((unsigned char)*rest))
		rest++;
	if (!k->repeats)
		c->last[0] = 0;
	return k->run(c, rest);
}

bool console_execute(struct console *c, const char *text, bool repeat)
{
	char line[1024];

	c->failed = false;
	while (isspace((unsigned char)*text))
		text++;
	if (*text == '#')
		return true;
	if (!*text && !(repeat && c->last[0]))
		return true;
	if (*text)
		snprintf(c->last, sizeof c->last, "%s", text);
	snprintf(line, sizeof line, "%s", c->last);
	for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]);)
		line[--n] = 0;
	c->leave = !execute(c, line);
	fflush(c->out);
	return !c->leave;
}

bool console_source(struct console *c, const char *path)
{
	FILE *f = fopen(path, "r"), *before = c->source;
	char line[1024];

	if (!f)
		return console_error(c, "%s: cannot be read", path);
	if (c->depth >= SOURCE_DEPTH_MAX) {
		fclose(f);
		return console_error(c, "files are nested too deep");
	}
	c->depth++;
	c->source = f;
	while (!c->leave && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\r\n")] = 0;
		console_execute(c, line, false);
	}
	c->source = before;
	c->depth--;
	fclose(f);
	return !c->leave;
}

/* --- Commands about commands ---------------------------------------------------------------------- */

static void print_indented(FILE *out, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");
		fprintf(out, "  %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

COMMAND(help)
{
	bool ambiguous;

	if (!*rest) {
		for (const struct command *k = console_commands; k->name; k++)
			fprintf(c->out, "%-18s %.*s\n", k->name, (int)strcspn(k->doc, "\n"), k->doc);
		fprintf(c->out, "Beginnings of names will do. 'help COMMAND' tells more.\n");
		return true;
	}
	const struct command *k = console_find(rest, strcspn(rest, " "), &ambiguous);
	if (!k || ambiguous)
		return console_error(c, "there is no command '%s'", rest);
	fprintf(c->out, "%s%s%s\n", k->name, *k->arguments ? " " : "", k->arguments);
	if (k->aliases)
		fprintf(c->out, "  also: %s\n", k->aliases);
	print_indented(c->out, k->doc);
	if (!strcmp(k->name, "info"))
		for (u32 n = 0; info_name(n); n++)
			fprintf(c->out, "  %-13s %s\n", info_name(n), info_doc(n));
	return true;
}

COMMAND(source) { return *rest ? console_source(c, rest) : console_error(c, "a file's name expected"); }

static char *read_definition_line(struct console *c, char line[1024])
{
	if (c->source) {
		if (!fgets(line, 1024, c->source))
			return NULL;
		line[strcspn(line, "\r\n")] = 0;
		return line;
	}
	const char *text = c->options.read ? c->options.read(c->options.read_context, ">") : NULL;
	if (!text)
		return NULL;
	snprintf(line, 1024, "%s", text);
	return line;
}

COMMAND(define)
{
	const char *name = console_word(&rest);
	struct definition f = {0};
	char line[1024];

	if (!*name)
		return console_error(c, "a name expected");
	f.name = arena_copy_text(c->arena, name, strlen(name));
	while (read_definition_line(c, line)) {
		const char *at = line + strspn(line, " \t");
		if (!strcmp(at, "end"))
			break;
		VEC_PUSH(c->arena, &f.lines, arena_copy_text(c->arena, at, strlen(at)));
	}
	VEC_PUSH(c->arena, &c->definitions, f);
	return true;
}

COMMAND(echo)
{
	fprintf(c->out, "%s\n", rest);
	return true;
}

COMMAND(quit)
{
	(void)c;
	(void)rest;
	return false;
}
