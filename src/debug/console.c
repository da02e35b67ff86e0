/* SPDX-License-Identifier: Apache-2.0
 *
 * The command language: the table of commands, finding one by its beginning, help, and what is about
 * commands themselves.
 *
 * Front ends (terminal, full screen, editors, page) give lines to console_execute() and read what it prints; c->failed
 * and c->event say what came of it. A command's help is its text in the table, so that `help`, completion and the man
 * page agree.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debug/arithmetic.h"
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
	{"until", "u advance", command_until, COMPLETE_LOCATION, true, "[LOCATION]",
	 "Execute until the focused warp is at LOCATION, in this function or a caller.\nWithout LOCATION: until it is "
	 "on a "
	 "later line than now, past the end of a loop."},
	{"step-block", "sb", command_step_block, COMPLETE_NOTHING, true, "[N]",
	 "Execute one instruction of each warp of the focused block that can go on, in turn."},
	{"to-barrier", "barrier", command_to_barrier, COMPLETE_NOTHING, true, "[N]",
	 "Execute until the focused warp is about to arrive at a barrier of its block."},
	{"to-warp", NULL, command_to_warp, COMPLETE_NOTHING, true, "[N]",
	 "Execute until another warp than the focused one comes next."},
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
	{"reverse-warp", "rw", command_reverse_warp, COMPLETE_NOTHING, true, "[N]",
	 "Go back to the last instruction of another warp than the focused one."},
	{"goto", NULL, command_goto, COMPLETE_NOTHING, false, "POSITION|start|end",
	 "Go to a position of the launch, forwards or backwards.\nA position is the number of warp instructions "
	 "executed: 'info position' tells it."},
	{"who", NULL, command_who, COMPLETE_EXPRESSION, false, "[wrote] REGISTER|MEMORY",
	 "Go back to the instruction that last wrote a register or memory."},
	{"break", "b br brea", command_break, COMPLETE_LOCATION, false,
	 "LOCATION [if CONDITION] [block B] [warp W] [lane L]",
	 "Stop when a warp is about to execute LOCATION.\n"
	 "LOCATION: FILE:LINE (of the PTX, or of CUDA C through .loc; without code there, the next line with some),\n"
	 "LINE (of the PTX, or of the CUDA C that 'list' has just shown), FUNCTION (scale<float>, or scale),\n"
	 "LABEL, FUNCTION:LABEL, FUNCTION+N (its N-th instruction), @MNEMONIC (every instruction that begins so:\n"
	 "@ld.shared). The condition must hold in an active lane. B is a number or X,Y,Z. Without LOCATION: here."},
	{"tbreak", "tb", command_tbreak, COMPLETE_LOCATION, false, "LOCATION ...", "Like break, for one stop."},
	{"commands", NULL, command_commands, COMPLETE_NOTHING, false, "[N]",
	 "What to do when breakpoint N (the last one) has stopped the kernel: the lines that follow, up to 'end'.\nIf "
	 "the "
	 "first one is 'silent', the stop itself is not shown."},
	{"watch", NULL, command_watch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES] [if CONDITION]",
	 "Stop when a register (in any lane) or memory changes.\nWHAT: %r3, shared:0x40, shared[0x40], array[3], "
	 "global:0x7f00, *(.f32*)address."},
	{"wwatch", NULL, command_wwatch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES]",
	 "Stop when a register or memory is written, changed or not."},
	{"rwatch", NULL, command_rwatch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES]", "Stop when memory is read."},
	{"awatch", NULL, command_awatch, COMPLETE_EXPRESSION, false, "WHAT[, BYTES]",
	 "Stop when memory is read or written."},
	{"catch", "cat", command_catch, COMPLETE_CATCH, false, "WHAT [above N]",
	 "Stop at an event, or at an access that costs more than it should.\nWHAT: fault, divergence, reconvergence, "
	 "barrier, lock, conflict [above N] (extra wavefronts in\nshared memory), sectors [above N] (of one access)."},
	{"delete", "d del", command_delete, COMPLETE_NOTHING, false, "[N...]",
	 "Delete breakpoints, watchpoints, catchpoints (all without N)."},
	{"enable", "en", command_enable, COMPLETE_NOTHING, false, "[N...]", "Let breakpoints stop again."},
	{"disable", "dis", command_disable, COMPLETE_NOTHING, false, "[N...]", "Let breakpoints not stop."},
	{"condition", "cond", command_condition, COMPLETE_NOTHING, false, "N [CONDITION]",
	 "Give breakpoint N a condition, or take it away."},
	{"ignore", NULL, command_ignore, COMPLETE_NOTHING, false, "N COUNT", "Pass breakpoint N the next COUNT times."},
	{"print", "p inspect", command_print, COMPLETE_EXPRESSION, false, "[/FORMAT] EXPRESSION",
	 "Show a value in the focused lane, and keep it as $1, $2, ...\nEXPRESSION is C's: variables of the source (of "
	 "modules by nvcc -G), threadIdx.x, %r3, %tid.x, variables and\nparameters of the PTX, buffers, shared[0x40], "
	 "*pointer, a.b, p->b, a[3], *p@4 (four that follow one another).\nFORMAT: x hex, d signed, u unsigned, t "
	 "binary, "
	 "c character, f float, h two halves, b two bfloat16;\nv before it: the elements of a vector register; l: all "
	 "32 "
	 "lanes. 'print %r1 = 5' assigns."},
	{"printf", NULL, command_printf, COMPLETE_EXPRESSION, false, "\"FORMAT\", EXPRESSION, ...",
	 "Print values as C's printf does; %s writes any value."},
	{"ptype", "pt", command_ptype, COMPLETE_EXPRESSION, false, "EXPRESSION|TYPE",
	 "Show a type of the source, with its members."},
	{"whatis", NULL, command_whatis, COMPLETE_EXPRESSION, false, "EXPRESSION|TYPE", "Show the name of a type."},
	{"lanes", "pl", command_lanes, COMPLETE_EXPRESSION, false, "[/FORMAT] EXPRESSION...",
	 "Show values in all 32 lanes as a grid."},
	{"x", NULL, command_x, COMPLETE_EXPRESSION, true, "[/NFU] ADDRESS",
	 "Show memory: N units of format F and size U (b 1, h 2, w 4, g 8 bytes).\nADDRESS: shared:0x40, local:8, "
	 "param:0, an array, a pointer, or a number (generic). F s: text up to its NUL.\nF i: N instructions, from a "
	 "LOCATION or from here."},
	{"set", NULL, command_set, COMPLETE_SETTING, false, "SETTING VALUE | [var] LEFT = RIGHT",
	 "Change a setting, a register or memory.\nSettings: scheduler-locking on|off, history on|off, history-limit "
	 "MIB, width N.\n'set lanes LEFT = RIGHT' assigns in every active lane of the warp."},
	{"show", NULL, command_show, COMPLETE_SETTING, false, "[SETTING]", "Show settings."},
	{"display", "disp", command_display, COMPLETE_EXPRESSION, false, "[/FORMAT] [EXPRESSION]",
	 "Show an expression at every stop."},
	{"undisplay", "und", command_undisplay, COMPLETE_NOTHING, false, "[N...]", "Show no longer."},
	{"backtrace", "bt where", command_backtrace, COMPLETE_NOTHING, false, "[N]",
	 "Show the calls that the focused lane is in, the innermost N."},
	{"frame", "f", command_frame, COMPLETE_NOTHING, false, "[N]", "Look at call N."},
	{"up", NULL, command_up, COMPLETE_NOTHING, true, "[N]", "Look at the caller."},
	{"down", NULL, command_down, COMPLETE_NOTHING, true, "[N]", "Look at the callee."},
	{"block", NULL, command_block, COMPLETE_NOTHING, false, "[B | X,Y,Z]", "Put the focus on a block."},
	{"warp", "w", command_warp, COMPLETE_NOTHING, false, "[W]", "Put the focus on a warp of the block."},
	{"lane", NULL, command_lane, COMPLETE_NOTHING, false, "[L]", "Put the focus on a lane of the warp."},
	{"thread", "t", command_thread, COMPLETE_NOTHING, false, "[X[,Y[,Z]]]",
	 "Put the focus on a thread of the block."},
	{"cuda", NULL, command_cuda, COMPLETE_CUDA, false, "[block B] [thread T] [warp W] [lane L]",
	 "Put the focus there, in cuda-gdb's words: 'cuda block 1 thread 3', 'cuda block (1,0,0) thread "
	 "(3,0,0)'.\n'info "
	 "cuda kernels|blocks|warps|lanes|threads' shows what there is."},
	{"focus", NULL, command_focus, COMPLETE_NOTHING, false, "", "Show the focus, and what the warp executes next."},
	{"list", "l", command_list, COMPLETE_LOCATION, true, "[LOCATION | LINE | FIRST,LAST | - | cuda | ptx | sass]",
	 "Show source lines: of CUDA C where it is found, else of the text that runs.\nAgain, it goes on; with '-', "
	 "back. 'list cuda', 'list ptx' and, of machine code, 'list sass' choose."},
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
	{"save", NULL, command_save, COMPLETE_FILE, false, "breakpoints FILE",
	 "Write the breakpoints as commands, which 'source FILE' executes."},
	{"shell", "!", command_shell, COMPLETE_FILE, false, "COMMAND", "Execute a command of the host's shell."},
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

/* Cuts the first word off *rest, in place. */
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

	if (*text == '$')
		return console_value(c, text, n);
	*n = strtoull(text, &end, 0);
	if (end == text || *end || *text == '-') {
		console_error(c, "a whole number expected, not '%s'", text);
		return false;
	}
	return true;
}

/* Any expression with an integer value, in the focused lane. */
bool console_value(struct console *c, const char *text, u64 *n)
{
	struct debug_value v;

	if (!debug_evaluate(c->d, text, debug_focus(c->d).lane, &v)) {
		console_engine_error(c);
		return false;
	}
	if (type_class(v.type) == 'f') {
		console_error(c, "a whole number expected, not '%s'", text);
		return false;
	}
	*n = (u64)value_integer(&v);
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

/* An exact name or alias wins; else the beginning of exactly one command's name. */
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
	c->confirm = c->pagination = true;
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

/* Executes lines with $arg0, ... put in; up to the first that fails. */
static bool run_lines(struct console *c, const struct console_lines *lines, size_t first, char *const words[10],
		      bool from_file)
{
	const bool before = c->from_file;
	char line[1024];

	if (c->depth >= SOURCE_DEPTH_MAX)
		return console_error(c, "commands are nested too deep");
	c->depth++;
	c->from_file |= from_file;
	for (size_t k = first; k < lines->count && !c->leave && !c->hit; k++) {
		put_arguments(lines->items[k], words, line, sizeof line);
		if (!console_execute(c, line, false) || c->failed)
			break;
	}
	c->from_file = before;
	c->depth--;
	return !c->leave;
}

static bool run_definition(struct console *c, const struct definition *f, char *rest)
{
	char *words[10];

	for (u32 k = 0; k < COUNT_OF(words); k++)
		words[k] = console_word(&rest);
	return run_lines(c, &f->lines, 0, words, f->from_file);
}

/* Definitions of the user's win over commands. A command that does not repeat clears the line that an empty one would
 * repeat. */
static bool execute(struct console *c, char *line)
{
	bool ambiguous;
	size_t length = *line == '!';

	while (!(*line == '!') && (isalnum((unsigned char)line[length]) || line[length] == '-' || line[length] == '_'))
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
	if (!*k->arguments && *rest)
		return console_error(c, "'%s' takes no argument here, but is given '%s'", k->name, rest);
	return k->run(c, rest);
}

/* What the breakpoint that has stopped the kernel is to do; a stop on the way goes on with that one's.
 * Not within another command's lines (depth): there they would run in the middle of it. */
static void run_point_commands(struct console *c)
{
	char nothing[1] = "", *words[10];

	for (u32 k = 0; k < COUNT_OF(words); k++)
		words[k] = nothing;
	while (c->hit && !c->leave && !c->depth) {
		const struct point_commands *p = console_point_commands(c, c->hit);
		c->hit = 0;
		if (p)
			run_lines(c, &p->lines, console_is_silent(p), words, p->from_file);
	}
}

/* Into the lines that are being collected; true: it was taken. */
static bool collect(struct console *c, const char *text)
{
	if (!c->collecting)
		return false;
	while (isspace((unsigned char)*text))
		text++;
	if (!strcmp(text, "end")) {
		c->collecting = NULL;
		return true;
	}
	VEC_PUSH(c->arena, c->collecting, arena_copy_text(c->arena, text, strlen(text)));
	return true;
}

/* False: the user wants to leave. Lines between `commands` or `define` and `end` are collected, not executed. */
bool console_execute(struct console *c, const char *text, bool repeat)
{
	char line[1024];

	c->failed = false;
	if (collect(c, text))
		return true;
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
	run_point_commands(c);
	fflush(c->out);
	return !c->leave;
}

/* Commands that only a person may give (shell, save) are refused below: from_file. */
bool console_source(struct console *c, const char *path)
{
	FILE *f = fopen(path, "r"), *before = c->source;
	const bool from_file = c->from_file;
	char line[1024];

	if (!f && errno == ENOMEM)
		arena_out_of_memory(c->arena);
	if (!f)
		return console_error(c, "%s: cannot be read", path);
	if (c->sourced >= SOURCE_DEPTH_MAX) {
		fclose(f);
		return console_error(c, "files are nested too deep");
	}
	const u32 depth = c->depth;
	c->source = f;
	c->from_file = true;
	/* Each line is a command of its own, after which breakpoints' commands are executed. */
	c->sourced++;
	c->depth = 0;
	while (!c->leave && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\r\n")] = 0;
		console_execute(c, line, false);
	}
	c->source = before;
	c->from_file = from_file;
	c->sourced--;
	c->depth = depth;
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

void console_collect(struct console *c, struct console_lines *lines)
{
	char line[1024];

	c->collecting = lines;
	if (!c->source && !c->options.read)
		return;
	while (c->collecting && read_definition_line(c, line))
		collect(c, line);
	c->collecting = NULL;
}

COMMAND(define)
{
	const char *name = console_word(&rest);

	if (!*name || *rest)
		return console_error(c, "one name expected");
	const struct definition f = {.name = arena_copy_text(c->arena, name, strlen(name)), .from_file = c->from_file};
	VEC_PUSH(c->arena, &c->definitions, f);
	console_collect(c, &c->definitions.items[c->definitions.count - 1].lines);
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
