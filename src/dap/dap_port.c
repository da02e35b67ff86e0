/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim dap --port: an editor over a loopback port. Any process of the host, and any page in a browser, can reach
 * such a port; what launches programs must prove that it was told the token, which is new with each start.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dap/dap.h"

enum { TOKEN_BYTES = 16 };

struct port {
	char token[2 * TOKEN_BYTES + 1];
	atomic_bool busy; /* an editor is served */
};

struct connection {
	struct port *port;
	int socket;
};

static bool make_token(char token[2 * TOKEN_BYTES + 1])
{
	u8 bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return false;
	for (size_t k = 0; k < sizeof bytes; k++)
		sprintf(token + 2 * k, "%02x", bytes[k]);
	return true;
}

static int listen_at(u16 port, const char *token)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) ||
	    bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&at, &size)) {
		fprintf(stderr, "ptxsim dap: port %u: %s\n", port, strerror(errno));
		return -1;
	}
	printf("listening at 127.0.0.1:%u, token %s\n", ntohs(at.sin_port), token);
	if (!fflush(stdout))
		return fd;
	close(fd); /* nobody knows the token */
	return -1;
}

static void end_reading(void *socket) { shutdown(*(const int *)socket, SHUT_RDWR); }

static void *serve_connection(void *context)
{
	struct connection *c = context;
	const int second = dup(c->socket);
	FILE *in = fdopen(c->socket, "r"), *out = second < 0 ? NULL : fdopen(second, "w");
	const struct dap_transport t = {
		.in = in, .out = out, .token = c->port->token, .ends = true, .end = end_reading, .context = &c->socket};

	if (in && out)
		dap_serve(&t);
	if (out)
		fclose(out);
	else if (second >= 0)
		close(second);
	if (in)
		fclose(in);
	else
		close(c->socket);
	atomic_store(&c->port->busy, false);
	free(c);
	return NULL;
}

/* Serves the connection in a thread of its own, so that others can be refused meanwhile. */
static bool start_serving(struct port *p, int socket)
{
	struct connection *c = malloc(sizeof *c);
	pthread_t thread;

	if (!c)
		return false;
	*c = (struct connection){p, socket};
	atomic_store(&p->busy, true);
	if (!pthread_create(&thread, NULL, serve_connection, c)) {
		pthread_detach(thread);
		return true;
	}
	atomic_store(&p->busy, false);
	free(c);
	return false;
}

int dap_serve_port(u16 port)
{
	static struct port p; /* threads may outlive this call when it fails */

	if (!make_token(p.token)) {
		perror("ptxsim dap");
		return CLI_WRONG;
	}
	const int fd = listen_at(port, p.token);
	if (fd < 0)
		return CLI_WRONG;
	for (;;) {
		const int socket = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (socket < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (socket < 0) {
			perror("ptxsim dap");
			return CLI_WRONG;
		}
		if (atomic_load(&p.busy)) {
			close(socket);
		} else if (!start_serving(&p, socket)) {
			close(socket);
			front_no_memory();
		}
	}
}
