/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim view: the page (docs/web.md) with a file in it, served at a port of this host or written into a folder.
 *
 * What is served is a fixed list of names below a folder that is the token; nothing of a request reaches the file system.
 *
 * The browser's engine is in the page (WebAssembly), so the server has nothing to do but hand out files: one request at
 * a time, each connection closed after its answer, a few seconds' patience with a client that sends slowly.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_new.h"
#include "cli/cli.h"
#include "front/loopback.h"

enum { FILE_MOST = 64 << 20, TEXT_MOST = 4 << 20, REQUEST_MOST = 8192, PATIENCE_SECONDS = 5 };

/* A file of the page: its name in requests, its media type, its contents. */
struct part {
	const char *name, *type;
	char *bytes;
	size_t length;
};

struct view {
	struct part parts[11];
	char token[LOOPBACK_TOKEN];
	u16 port;
};

struct view_options {
	const char *file, *page, *write;
	u16 port;
	enum colour_choice colour;
};

static const struct part page_parts[] = {
	{"index.html", "text/html; charset=utf-8", NULL, 0},
	{"main.js", "text/javascript; charset=utf-8", NULL, 0},
	{"engine.worker.js", "text/javascript; charset=utf-8", NULL, 0},
	{"engine.js", "text/javascript; charset=utf-8", NULL, 0},
	{"engine.wasm", "application/wasm", NULL, 0},
	{"style.css", "text/css; charset=utf-8", NULL, 0},
	{"icon.svg", "image/svg+xml", NULL, 0},
	{"samples.json", "application/json", NULL, 0},
	{"lessons.json", "application/json", NULL, 0},
	{"isa.json", "application/json", NULL, 0},
	{"file.txt", "text/plain; charset=utf-8", NULL, 0},
};
enum { PART_PAGE = 0, PART_TEXT = COUNT_OF(page_parts) - 1 };

/* --- The page's files -------------------------------------------------------------------------------- */

/* Where the page is: as installed, or beside the program as ./dev web builds it. */
static const char *find_page(char room[4096])
{
	struct stat about;

	if (!stat(PAGE_FOLDER "/index.html", &about))
		return PAGE_FOLDER;
	const ssize_t length = readlink("/proc/self/exe", room, 4000);
	if (length <= 0)
		return PAGE_FOLDER;
	room[length] = 0;
	char *slash = strrchr(room, '/');
	strcpy(slash ? slash + 1 : room, "web");
	return room;
}

static void put_escaped(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (strchr("&<>\"'", *text))
			fprintf(to, "&#%d;", *text);
		else
			fputc(*text, to);
	}
}

/* The page's text with the file's name in it, which tells the page to load the file. */
static bool name_file(struct part *page, const char *file)
{
	static const char before[] = "<meta charset=\"utf-8\">";
	const char *slash = strrchr(file, '/'), *at = strstr(page->bytes, before);
	char *text = NULL;
	size_t size = 0;
	FILE *to = at ? open_memstream(&text, &size) : NULL;

	if (!to)
		return false;
	at += strlen(before);
	fwrite(page->bytes, 1, (size_t)(at - page->bytes), to);
	fprintf(to, "\n<meta name=\"ptxsim-file\" content=\"");
	put_escaped(to, slash ? slash + 1 : file);
	fprintf(to, "\">%s", at);
	if (fclose(to) || !text)
		return false;
	free(page->bytes);
	page->bytes = text;
	page->length = size;
	return true;
}

/* Reads all parts into memory before anything is served: later changes of files are not seen. */
static bool load(struct view *v, const struct view_options *o)
{
	char room[4096], path[4400];
	const char *folder = o->page ? o->page : find_page(room), *message;

	memcpy(v->parts, page_parts, sizeof page_parts);
	for (size_t k = 0; k < COUNT_OF(v->parts); k++) {
		struct part *p = &v->parts[k];
		snprintf(path, sizeof path, "%s/%s", folder, p->name);
		const char *name = k == PART_TEXT ? o->file : path;
		p->bytes = file_read_whole(name, k == PART_TEXT ? TEXT_MOST : FILE_MOST, &p->length, &message);
		if (p->bytes)
			continue;
		fprintf(stderr, "ptxsim view: %s: %s\n", name, message);
		if (k == PART_PAGE)
			fprintf(stderr, "ptxsim view: './dev web' builds the page; --page says where it is\n");
		return false;
	}
	if (name_file(&v->parts[PART_PAGE], o->file))
		return true;
	fprintf(stderr, "ptxsim view: %s/index.html is not the page\n", folder);
	return false;
}

/* Into a folder, which is made if it is not there. */
static bool write_page(const struct view *v, const char *folder)
{
	const char *message = NULL;

	if (mkdir(folder, 0777) && errno != EEXIST) {
		fprintf(stderr, "ptxsim view: %s: %s\n", folder, strerror(errno));
		return false;
	}
	for (size_t k = 0; k < COUNT_OF(v->parts); k++) {
		const struct part *p = &v->parts[k];
		struct file_new file;
		bool good = file_new_begin_below(&file, folder, p->name, true, &message);
		if (good) {
			fwrite(p->bytes, 1, p->length, file.to);
			good = file_new_end(&file, &message);
		}
		if (!good) {
			fprintf(stderr, "ptxsim view: %s/%s: %s\n", folder, p->name, message);
			return false;
		}
	}
	printf("%s/index.html\n", folder);
	return true;
}

/* --- Serving ----------------------------------------------------------------------------------------- */

/* All of the bytes, or false if the browser has gone. */
static bool send_all(int to, const char *bytes, size_t length)
{
	while (length) {
		const ssize_t n = send(to, bytes, length, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		bytes += n;
		length -= (size_t)n;
	}
	return true;
}

static void answer(int to, const char *status, const char *type, const char *bytes, size_t length)
{
	char head[512];

	const int n = snprintf(head, sizeof head,
			       "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
			       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
			       "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
			       status, type, length);
	if (send_all(to, head, (size_t)n))
		send_all(to, bytes, length);
}

/* Whether the request's Host line names this server. A page of another host whose name was made to lead here (DNS
 * rebinding) sends its own name in that line and gets nothing. */
static bool names_this_host(const struct view *v, const char *request)
{
	const char *line = strcasestr(request, "\r\nhost:");
	char host[64];
	unsigned port = 0;

	if (!line || sscanf(line + 7, " %63[a-z0-9.]:%u", host, &port) != 2 || port != v->port)
		return false;
	return !strcmp(host, "127.0.0.1") || !strcmp(host, "localhost");
}

/* The part that a request is for, or NULL: "GET /TOKEN/NAME", without a name the page itself. All characters of the
 * token are compared, whichever differs first, so that the time taken says nothing about it. */
static const struct part *wanted(const struct view *v, const char *request)
{
	const size_t token = sizeof v->token - 1;
	u8 differs = 0;

	if (strncmp(request, "GET /", 5) || strlen(request) < 5 + token + 1)
		return NULL;
	for (size_t k = 0; k < token; k++)
		differs |= (u8)(v->token[k] ^ request[5 + k]);
	const char *name = request + 5 + token;
	if (differs || *name++ != '/')
		return NULL;
	const size_t length = strcspn(name, " ?\r\n");
	for (size_t k = 0; k < COUNT_OF(v->parts); k++)
		if (length ? strlen(v->parts[k].name) == length && !strncmp(v->parts[k].name, name, length)
			   : k == PART_PAGE)
			return &v->parts[k];
	return NULL;
}

/* Reads a request up to its empty line and answers it. Longer requests than REQUEST_MOST find nothing. */
static void serve_one(const struct view *v, int socket)
{
	const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
	char request[REQUEST_MOST + 1];
	size_t have = 0;
	ssize_t n = 1;

	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	request[0] = 0;
	while (!strstr(request, "\r\n\r\n") && have < REQUEST_MOST && n > 0) {
		n = recv(socket, request + have, REQUEST_MOST - have, 0);
		have += n > 0 ? (size_t)n : 0;
		request[have] = 0;
	}
	const struct part *p = names_this_host(v, request) ? wanted(v, request) : NULL;
	if (p)
		answer(socket, "200 OK", p->type, p->bytes, p->length);
	else
		answer(socket, "404 Not Found", "text/plain", "not found\n", 10);
}

/* Prints the address, then serves until a signal ends the process. */
static int serve(struct view *v)
{
	const int fd = loopback_token(v->token) ? loopback_listen(&v->port) : -1;

	if (fd < 0) {
		fprintf(stderr, "ptxsim view: port %u: %s\n", v->port, strerror(errno));
		return CLI_WRONG;
	}
	printf("http://127.0.0.1:%u/%s/\n", v->port, v->token);
	if (fflush(stdout))
		return CLI_WRONG;
	for (;;) {
		const int socket = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (socket >= 0) {
			serve_one(v, socket);
			close(socket);
		} else if (errno != EINTR && errno != ECONNABORTED) {
			perror("ptxsim view");
			return CLI_WRONG;
		}
	}
}

/* --- The command ------------------------------------------------------------------------------------- */

enum { OPTION_PAGE = 256, OPTION_WRITE };

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct view_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->colour;
		return 0;
	case 'p': {
		const u64 port = front_number(state, "port", text, 0);
		if (port > 65535)
			argp_error(state, "--port: there is no port %llu", (unsigned long long)port);
		o->port = (u16)port;
		return 0;
	}
	case OPTION_PAGE:
		o->page = text;
		return 0;
	case OPTION_WRITE:
		o->write = text;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "one file at a time");
		o->file = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cli_view(int count, char **words)
{
	static const struct argp_option options[] = {
		{"port", 'p', "PORT", 0, "Serve at this port of 127.0.0.1 (default: any that is free)", 0},
		{"write", OPTION_WRITE, "FOLDER", 0, "Write the page into this folder instead, for a web server", 0},
		{"page", OPTION_PAGE, "FOLDER", 0,
		 "Take the page from this folder (default: as installed, or build/web)", 0},
		{0}};
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {.options = options,
					 .parser = parse_option,
					 .children = children,
					 .args_doc = "FILE",
					 .doc = "Shows a kernel in the browser, forwards and backwards in time: prints "
						"the address of the page with "
						"the file in it, and serves it to this host until it is interrupted."};
	struct view_options o = {0};
	struct view v = {0};

	front_parse(&argp, count, words, &o);
	v.port = o.port;
	int status = CLI_WRONG;
	if (load(&v, &o))
		status = !o.write ? serve(&v) : write_page(&v, o.write) ? CLI_OK : CLI_WRONG;
	for (size_t k = 0; k < COUNT_OF(v.parts); k++)
		free(v.parts[k].bytes);
	return status;
}
