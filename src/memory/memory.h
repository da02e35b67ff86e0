/* SPDX-License-Identifier: Apache-2.0
 *
 * Global memory: allocations with guest addresses, each backed by host bytes, with guard gaps
 * between them so that running off one end never lands in the next. Lookups are by binary
 * search; the executor remembers hits. Allocations may be added and removed while kernels run, by
 * kernels too: memory_look is safe beside that; memory_find, whose answer is a place in the list, only
 * where nobody adds or removes anything.
 */
#ifndef PTXSIM_MEMORY_MEMORY_H
#define PTXSIM_MEMORY_MEMORY_H

#include <pthread.h>

#include "base/types.h"

struct code;

enum allocation_flag {
	ALLOCATION_READ_ONLY = 1,  /* constant memory */
	ALLOCATION_HEAP = 2,       /* made by the kernel's own malloc */
	ALLOCATION_BORROWED = 4,   /* host bytes belong to the caller */
	ALLOCATION_CONST = 8,      /* a .const variable */
	ALLOCATION_VARIABLE = 16,  /* a module-scope variable */
	ALLOCATION_UNWRITTEN = 32, /* came with nothing written to it */
	ALLOCATION_HOST = 64,      /* the host may write to it while kernels run */
	ALLOCATION_PIECE =
		128, /* pointers may go from here to others, which may be the same memory at another address */
};

/* Where memory was given or given back: a lane of a kernel, or the host (code is NULL). For messages; memory
 * itself asks nothing of it. */
struct memory_act {
	const struct code *code; /* decode/program.h; must outlive the memory */
	u32 insn;                /* of its decoded instructions */
	u64 block;               /* linear */
	u32 thread;              /* linear in its block */
};

struct allocation {
	u64 base, size; /* guest address of the first byte; bytes */
	u8 *host;
	const char *name; /* for messages; borrowed */
	u32 flags;
	u16 closed_to; /* memory/peers.h */
	u16 read_only_for;
	struct memory_act by; /* of ALLOCATION_HEAP: who asked for it */
};

/* How far past the end of what was asked for an access may reach. The hardware checks pages only. */
enum memory_bounds {
	BOUNDS_DEFAULT, /* as BOUNDS_WORD for module-scope variables, whose last word compilers' own functions read
	                   whole, and as BOUNDS_OBJECT for the rest */
	BOUNDS_OBJECT,  /* not at all */
	BOUNDS_WORD,    /* a read that begins inside may end past the end: it is aligned, so it stays in the last word
	                   of its size */
	BOUNDS_ALLOCATION, /* buffers end where the driver's would, at a multiple of 512 bytes, variables at one of
	                      256; reads as for BOUNDS_WORD */
};

/* "object", "word" or "allocation"; false: none of them. */
bool memory_bounds_read(const char *text, enum memory_bounds *bounds);

/* What an allocation was, and who released it. */
struct released {
	u64 base, size;
	const char *name;
	u32 flags;
	struct memory_act by;
};

/* An address range that is no memory, but stands for the same place of several allocations (multimem). */
struct multicast {
	u64 base, size;
	u64 *members; /* guest addresses */
	u32 count;
};

/* Host bytes of device heaps that were freed: a kernel's threads may still hold pointers to them. */
enum { MEMORY_CLASSES = 48 };
struct spare_bytes {
	struct spare_bytes *next;
};

struct memory {
	pthread_rwlock_t lock;   /* of the lists; zeros are a lock that is free */
	struct allocation *list; /* sorted by base; one of size 0 is an emptied place */
	u32 count, capacity, empty;
	struct multicast *multicasts;
	u32 multicast_count;
	struct released *released; /* the newest ones, in a ring of up to `released_room` */
	u32 released_count, released_room;
	u64 next;                                  /* where the next allocation goes */
	u64 packed;                                /* bytes that the driver would have packed into its chunk */
	u64 limit;                                 /* first guest address that is not to be used */
	u64 heap_bytes;                            /* of allocations with ALLOCATION_HEAP */
	struct spare_bytes *spare[MEMORY_CLASSES]; /* for further ones: host bytes, by the logarithm of their number */
	u64 total_bytes;                           /* of allocations whose bytes are memory\'s own */
	bool host_refused;                         /* the host had no memory for an allocation */
	u64 budget;                                /* what total_bytes may come to */
	enum memory_bounds bounds;
	u64 generation; /* grows when an allocation is removed: remembered hits are void */
	/* Whether the modelled hardware has a page at the address, though no allocation holds it: reads find the host's
	 * bytes of that address there. Safe from any thread. NULL: reads end where allocations do. */
	bool (*has_page)(u64 address);
	/* With has_page: the bytes that the hardware's allocator takes for an allocation of that many. */
	u64 (*whole_bytes)(u64 bytes);
};

/* `first` is where allocations start, `limit` where they must end, `budget` how many bytes they may have in all. */
void memory_init(struct memory *m, u64 first, u64 limit, u64 budget, enum memory_bounds bounds);
void memory_free(struct memory *m);

/* Allocates `size` zeroed bytes (0 counts as 1) aligned to `align` (a power of two, at least 256
 * is used). Returns the guest address, or 0 if host memory or the address range is exhausted. */
u64 memory_allocate(struct memory *m, u64 size, u64 align, const char *name, u32 flags);
/* Likewise, for a program's buffer: its address has the lowest 16 bits that the driver would give it, were the buffers
 * allocated in this order in a fresh process. They decide in which tag banks its lines lie. */
u64 memory_allocate_buffer(struct memory *m, u64 size, const char *name);
/* An allocation of the device heap (ALLOCATION_HEAP), whose allocations may take `most` bytes together, that `by` asks
 * for. Its host bytes stay memory's until memory_free, for use by others of its kind. */
u64 memory_allocate_heap(struct memory *m, u64 size, u64 most, const char *name, const struct memory_act *by);
/* Makes the caller's bytes such a buffer; 0 as above. */
u64 memory_attach(struct memory *m, u8 *host, u64 size, const char *name);
/* Places bytes at a given guest address that overlaps nothing; false otherwise. `host` NULL: own
 * zeroed bytes; else borrowed. */
bool memory_map(struct memory *m, u64 base, u64 size, u8 *host, const char *name, u32 flags);
/* Gives the allocation that starts at `base` another name, which is borrowed; false if there is none. */
bool memory_name(struct memory *m, u64 base, const char *name);
/* The address of `size` bytes that nothing else will be given, for memory_map; 0: there is no room. */
u64 memory_reserve(struct memory *m, u64 size);
/* Removes the allocation that starts at `base`; false if there is none. It is remembered for messages, with who
 * released it (NULL: the host). */
bool memory_release(struct memory *m, u64 base);
bool memory_release_by(struct memory *m, u64 base, const struct memory_act *by);
/* Removes it as if it had never been. */
bool memory_forget(struct memory *m, u64 base);
/* Forgets whose acts the remembered ones were: their code is about to go. */
void memory_forget_acts(struct memory *m);
/* The newest released allocation that held the byte, of those remembered; NULL if there is none. */
const struct released *memory_find_released(const struct memory *m, u64 address);

/* A range that stands for `size` bytes from each of the `count` addresses on, which must be allocated: its first
 * address; 0 as above. Loads and stores other than multimem's find nothing there. */
u64 memory_multicast(struct memory *m, const u64 *members, u32 count, u64 size);
/* Why `size` bytes could not be had: over the budget, with the option that raises it, or what the host has. Into
 * text[0..length). */
void memory_refusal(const struct memory *m, u64 size, char *text, size_t length);

/* The range that holds [address, address + size), or NULL. */
const struct multicast *memory_find_multicast(const struct memory *m, u64 address, u64 size);

/* The allocation that holds [address, address + size), or NULL. */
const struct allocation *memory_find(const struct memory *m, u64 address, u64 size);
/* The allocation that begins there came with nothing written to it. */
void memory_set_unwritten(struct memory *m, u64 base);
/* A copy of it; false if there is none. Safe beside additions and removals. */
bool memory_look(struct memory *m, u64 address, u64 size, struct allocation *found);
/* Where a read of `size` bytes (at most 16, naturally aligned) that begins in an allocation and ends past it finds its
 * bytes, if the bounds allow it: zeros follow the allocation's own. NULL otherwise. Safe likewise. */
u8 *memory_read_past_end(struct memory *m, u64 address, u64 size);
/* Are the bytes behind an allocation, in what the hardware's allocator has rounded it up to, where nothing else lies? Safe from
 * any thread. */
bool memory_is_rounding(struct memory *m, u64 address, u64 size);
/* The allocation nearest to `address`, for messages; NULL if there is none. */
const struct allocation *memory_nearest(const struct memory *m, u64 address);

#endif
