/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim dap --port: an editor over a loopback port. Any process of the host, and any page in a browser, can reach
 * such a port; what launches programs must prove that it was told the token, which is new with each start.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dap/dap.h"
#include "front/loopback.h"

struct port {
	char token[LOOPBACK_TOKEN];
	atomic_bool busy; /* an editor is served */
};

struct connection {
	struct port *port;
	int socket;
};

static int listen_at(u16 port, const char *token)
{
	const u16 wanted = port;
	const int fd = loopback_listen(&port);

	if (fd < 0) {
		fprintf(stderr, "ptxsim dap: port %u: %s\n", wanted, strerror(errno));
		return -1;
	}
	printf("listening at 127.0.0.1:%u, token %s\n", port, token);
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

	if (!loopback_token(p.token)) {
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
