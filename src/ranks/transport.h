/* SPDX-License-Identifier: Apache-2.0
 *
 * How the processes of a run talk to one another: what the plug-in libptxsim-mpi.so gives, the only part that is
 * linked with an MPI library. All calls come from one thread of a process. A failure of the network or of another
 * process ends the whole run, with the MPI library's message and a status that is not 0: no call tells of one.
 */
#ifndef PTXSIM_RANKS_TRANSPORT_H
#define PTXSIM_RANKS_TRANSPORT_H

#include "base/types.h"

struct transport {
	u32 rank, count;
	u32 host_ranks; /* processes of this run on this host */
	char host[64];
	/* From rank 0 to all others: all call it, with the same number of bytes. */
	void (*broadcast)(void *bytes, size_t count);
	void (*send)(u32 to, const void *bytes, size_t count);
	void (*receive)(u32 from, void *bytes, size_t count);
	/* Whether a message waits, and whose. */
	bool (*waits)(u32 *from);
	/* Ends all processes. */
	void (*abort)(int status);
	/* All call it, last. */
	void (*end)(void);
};

/* What the plug-in exports, under this name; NULL: the library does not start. Call it once. */
typedef const struct transport *transport_begin_fn(void);
#define TRANSPORT_BEGIN "ptxsim_transport_begin"

/* Loads and starts the plug-in. NULL: it is not there, or does not start; *why says so, in memory from malloc. */
const struct transport *transport_begin(char **why);

#endif
