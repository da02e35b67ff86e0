/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks of return addresses in a hash table, and what they mean.
 *
 *   frame 0, 1 ...   of these libraries; the outermost is the call that the program made
 *   then             the program's, up to main; wrappers of CUDA's headers among them are passed over
 */
#include "config.h"

#include "cuda/driver/host_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/types.h"
#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#endif

/* Frames of a stack that are kept; of the program's, those that are told; different stacks. */
enum { FRAMES_MOST = 24, TOLD_MOST = 4, PLACES_MOST = 1 << 14, CHAINS = 1 << 10 };

struct host_place {
	struct host_place *next;
	u64 hash;
	int count;
	void *frames[];
};

static struct {
	pthread_mutex_t lock;
	struct host_place *chains[CHAINS];
	u32 count;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct host_place *find(u64 hash, void *const *frames, int count)
{
	for (const struct host_place *p = places.chains[hash % CHAINS]; p; p = p->next)
		if (p->hash == hash && p->count == count && !memcmp(p->frames, frames, (size_t)count * sizeof *frames))
			return p;
	return NULL;
}

const struct host_place *host_place_here(void)
{
	void *frames[FRAMES_MOST];
	const int count = backtrace(frames, FRAMES_MOST);
	u64 hash = 0xcbf29ce484222325ull;

	for (int k = 0; k < count; k++)
		hash = (hash ^ (uintptr_t)frames[k]) * 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 32;
	pthread_mutex_lock(&places.lock);
	const struct host_place *p = find(hash, frames, count);
	struct host_place *made = NULL;
	if (!p && places.count < PLACES_MOST)
		made = malloc(sizeof *made + (size_t)count * sizeof *frames);
	if (made) {
		*made = (struct host_place){.next = places.chains[hash % CHAINS], .hash = hash, .count = count};
		memcpy(made->frames, frames, (size_t)count * sizeof *frames);
		places.chains[hash % CHAINS] = made;
		places.count++;
		p = made;
	}
	pthread_mutex_unlock(&places.lock);
	return p;
}

/* --- What an address is ------------------------------------------------------------------------------------ */

struct named {
	const char *function; /* mangled; NULL: not known */
	const char *file;     /* of the source; NULL: not known */
	int line;
};

#ifdef HAVE_LIBDW
/* libdw is not linked: it is loaded for the first message that wants it, as programs without one should not pay for it. */
#define LIBDW_CALLS(X)                  \
	X(dwfl_begin)                   \
	X(dwfl_end)                     \
	X(dwfl_linux_proc_report)       \
	X(dwfl_report_end)              \
	X(dwfl_linux_proc_find_elf)     \
	X(dwfl_standard_find_debuginfo) \
	X(dwfl_addrmodule)              \
	X(dwfl_module_addrname)         \
	X(dwfl_module_getsrc)           \
	X(dwfl_lineinfo)

struct libdw {
	Dwfl *process;
	Dwfl_Callbacks callbacks;
#define X(name) __typeof__(&name) name;
	LIBDW_CALLS(X)
#undef X
};

static bool libdw_open(struct libdw *d)
{
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	bool whole = library != NULL;

	*d = (struct libdw){0};
	if (!library)
		return false;
#define X(name) whole &= (d->name = (__typeof__(&name))dlsym(library, #name)) != NULL;
	LIBDW_CALLS(X)
#undef X
	if (!whole)
		return false;
	d->callbacks = (Dwfl_Callbacks){.find_elf = d->dwfl_linux_proc_find_elf,
					.find_debuginfo = d->dwfl_standard_find_debuginfo};
	d->process = d->dwfl_begin(&d->callbacks);
	if (!d->process)
		return false;
	if (d->dwfl_linux_proc_report(d->process, getpid()) || d->dwfl_report_end(d->process, NULL, NULL)) {
		d->dwfl_end(d->process);
		return false;
	}
	return true;
}

static void libdw_close(struct libdw *d) { d->dwfl_end(d->process); }

static void libdw_name(struct libdw *d, uintptr_t address, struct named *n)
{
	Dwfl_Module *m = d->dwfl_addrmodule(d->process, address);
	Dwfl_Line *line = m ? d->dwfl_module_getsrc(m, address) : NULL;

	if (m)
		n->function = d->dwfl_module_addrname(m, address);
	if (line)
		n->file = d->dwfl_lineinfo(line, NULL, &n->line, NULL, NULL, NULL);
}
#else
struct libdw {
	char none;
};
static bool libdw_open(struct libdw *d)
{
	(void)d;
	return false;
}
static void libdw_close(struct libdw *d) { (void)d; }
static void libdw_name(struct libdw *d, uintptr_t address, struct named *n)
{
	(void)d;
	(void)address;
	(void)n;
}
#endif

/* --- The text ------------------------------------------------------------------------------------------------ */

struct telling {
	struct arena arena;
	struct libdw libdw;
	bool has_libdw;
	char *text;
	size_t used, room;
	u32 told;
};

static void say(struct telling *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct telling *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const int length = vsnprintf(t->text + t->used, t->room - t->used, format, args);
	va_end(args);
	if (length > 0)
		t->used = min_u64(t->used + (u64)length, t->room - 1);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of libcuda or libcudart: ours. */
static bool is_own(const Dl_info *about)
{
	return about->dli_fname && !strncmp(last_part(about->dli_fname), "libcuda", 7);
}

/* A function that CUDA's headers define: of their namespaces, or a wrapper of a call. One of the program's into which such
 * functions were inlined has lines of headers, too. */
static bool is_of_headers(const char *function)
{
	static const char *const spaces[] = {"6thrust", "3cub", "4cuda"};
	const bool is_mangled = !strncmp(function, "_Z", 2);
	const char *name = is_mangled ? function + 2 + strspn(function + 2, "ZNKL") : function;

	for (u32 k = 0; is_mangled && k < COUNT_OF(spaces); k++)
		if (!strncmp(name, spaces[k], strlen(spaces[k])))
			return true;
	return !strncmp(name + strspn(name, "0123456789"), "cuda", 4);
}

/* What compilers and headers put between a program's line and the call: the stub of a launch, the function that stands for
 * the kernel on the host, templates of CUDA's headers. */
static bool is_between(const struct named *n, const char *kernel)
{
	const char *folder = n->file ? strstr(n->file, "/cuda") : NULL;
	const bool is_header = folder && strstr(folder, "/include/");

	if (!n->function)
		return is_header;
	return (is_header && is_of_headers(n->function)) || strstr(n->function, "__device_stub_") ||
	       strstr(n->function, "__cudaLaunchKernel") || (kernel && !strcmp(n->function, kernel));
}

/* The interface's name, as the program has it: without the number of its version. */
static void say_call(struct telling *t, const char *call, const char *symbol)
{
	const char *name = symbol && !strncmp(symbol, "cu", 2) ? symbol : call;
	size_t length = strlen(name);

	for (const char *end; (end = memrchr(name, '_', length)) != NULL; length = (size_t)(end - name))
		if (strncmp(end, "_v", 2) != 0 && strncmp(end, "_ptsz", 5) != 0 && strncmp(end, "_ptds", 5) != 0)
			break;
	say(t, "%.*s", (int)length, name);
}

static void say_frame(struct telling *t, const struct named *n, const Dl_info *about, uintptr_t address)
{
	say(t, "%sat ", t->told++ ? ", called " : t->used ? " " : "");
	if (n->file)
		say(t, "%s:%d", last_part(n->file), n->line);
	else
		say(t, "%s+0x%llx", last_part(about->dli_fname),
		    (unsigned long long)(address - (uintptr_t)about->dli_fbase));
	if (n->function)
		say(t, " in %s", demangle_short(&t->arena, n->function));
}

static void say_frames(struct telling *t, const struct host_place *p, int from, const char *kernel)
{
	bool at_main = false;

	for (int k = from; k < p->count && t->told < TOLD_MOST && !at_main; k++) {
		/* The call, which stands before the address that it returns to. */
		const uintptr_t address = (uintptr_t)p->frames[k] - 1;
		Dl_info about;
		if (!dladdr((void *)address, &about) || !about.dli_fname)
			return;
		struct named n = {.function = about.dli_sname};
		if (t->has_libdw)
			libdw_name(&t->libdw, address, &n);
		if (is_between(&n, kernel))
			continue;
		if (!n.function && !n.file && t->told)
			return;
		say_frame(t, &n, &about, address);
		at_main = n.function && !strcmp(n.function, "main");
	}
}

/* Frames of ours from number k on are passed over; *symbol: the outermost one's. */
static int behind_own(const struct host_place *p, int k, const char **symbol)
{
	Dl_info about;

	for (; k < p->count && dladdr((char *)p->frames[k] - 1, &about) && is_own(&about); k++)
		*symbol = about.dli_sname;
	return k;
}

/* The stack from the program's first frame on, behind the call. Within our frames there may be one of who stands in for
 * backtrace(), as sanitizers do. */
static void say_place(struct telling *t, const struct host_place *p, const char *call, const char *kernel)
{
	const char *symbol = NULL;
	int k = behind_own(p, 0, &symbol);

	if (!k)
		k = behind_own(p, 1, &symbol);
	if (*call)
		say_call(t, call, symbol);
	say_frames(t, p, k, kernel);
}

void host_place_text(const struct host_place *p, const char *call, const char *kernel, char *text, size_t room)
{
	struct telling t = {.text = text, .room = room};
	jmp_buf out_of_memory;

	snprintf(text, room, "%s", call);
	if (!p)
		return;
	arena_init(&t.arena, &out_of_memory);
	t.has_libdw = libdw_open(&t.libdw);
	if (!setjmp(out_of_memory))
		say_place(&t, p, call, kernel);
	if (t.has_libdw)
		libdw_close(&t.libdw);
	arena_free(&t.arena);
}
