/* SPDX-License-Identifier: Apache-2.0
 *
 * Serving at a port of 127.0.0.1. Any process of the host, and any page in a browser, can reach such a port: what asks
 * must prove that it was told the token, which is new with each start.
 */
#ifndef PTXSIM_FRONT_LOOPBACK_H
#define PTXSIM_FRONT_LOOPBACK_H

#include "base/types.h"

enum { LOOPBACK_TOKEN = 33 }; /* bytes of a token's text */

/* False with errno: the host has no random bytes. */
bool loopback_token(char token[LOOPBACK_TOKEN]);
/* A socket that listens there; *port 0 takes any, and becomes the one taken. -1 with errno. */
int loopback_listen(u16 *port);

#endif
