/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in libptxsim-mpi.so: ranks/transport.h over MPI. Nothing else of the project knows MPI.
 *
 * Calls that wait look again and again, ever less often, up to a millisecond: a rank that has nothing to do leaves the
 * processor to the others.
 */
#include <mpi.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ranks/transport.h"

enum { TAG = 18 };

/* Counts are ints. */
static const size_t PIECE = (size_t)1 << 28;

static struct transport transport;

static void wait_for(MPI_Request *request)
{
	struct timespec pause = {0, 1000};
	int done = 0;

	for (u32 tries = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done; tries++) {
		if (tries < 200)
			continue;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec += pause.tv_nsec / 2;
	}
}

static int piece_of(size_t left) { return (int)(left < PIECE ? left : PIECE); }

static void broadcast(void *bytes, size_t count)
{
	for (size_t at = 0; at < count; at += PIECE) {
		MPI_Request request;
		MPI_Ibcast((u8 *)bytes + at, piece_of(count - at), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
		wait_for(&request);
	}
}

static void send(u32 to, const void *bytes, size_t count)
{
	for (size_t at = 0; at < count; at += PIECE) {
		MPI_Request request;
		MPI_Isend((const u8 *)bytes + at, piece_of(count - at), MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD,
			  &request);
		wait_for(&request);
	}
}

static void receive(u32 from, void *bytes, size_t count)
{
	for (size_t at = 0; at < count; at += PIECE) {
		MPI_Request request;
		MPI_Irecv((u8 *)bytes + at, piece_of(count - at), MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD, &request);
		wait_for(&request);
	}
}

static bool waits(u32 *from)
{
	MPI_Status status;
	int there = 0;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
	*from = there ? (u32)status.MPI_SOURCE : 0;
	return there;
}

static void end_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

static void end(void) { MPI_Finalize(); }

static u32 count_host_ranks(void)
{
	MPI_Comm host;
	int count = 1;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
	MPI_Comm_size(host, &count);
	MPI_Comm_free(&host);
	return (u32)count;
}

__attribute__((visibility("default"))) const struct transport *ptxsim_transport_begin(void);

const struct transport *ptxsim_transport_begin(void)
{
	int level, rank, count;

	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
		return NULL;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	transport = (struct transport){.rank = (u32)rank,
				       .count = (u32)count,
				       .host_ranks = count_host_ranks(),
				       .broadcast = broadcast,
				       .send = send,
				       .receive = receive,
				       .waits = waits,
				       .abort = end_all,
				       .end = end};
	gethostname(transport.host, sizeof transport.host - 1);
	return &transport;
}
