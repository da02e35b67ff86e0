/* SPDX-License-Identifier: Apache-2.0
 *
 * Loopback ports and their tokens.
 */
#include "front/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

bool loopback_token(char token[LOOPBACK_TOKEN])
{
	u8 bytes[(LOOPBACK_TOKEN - 1) / 2];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return false;
	for (size_t k = 0; k < sizeof bytes; k++)
		sprintf(token + 2 * k, "%02x", bytes[k]);
	return true;
}

int loopback_listen(u16 *port)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) || bind(fd, (struct sockaddr *)&at, sizeof at) ||
	    listen(fd, 8) || getsockname(fd, (struct sockaddr *)&at, &size)) {
		const int why = errno;
		close(fd);
		errno = why;
		return -1;
	}
	*port = ntohs(at.sin_port);
	return fd;
}
