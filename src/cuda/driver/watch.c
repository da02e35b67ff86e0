/* SPDX-License-Identifier: Apache-2.0
 *
 * See watch.h.
 *
 * What a launch goes through, by its own thread:
 *
 *  watch_begin    is it one of those that --kernel and --launch choose? then checks and counters are asked of the library
 *    (the launch)
 *  watch_end      findings are printed, each place once; the report gets its counters
 *
 * The settings come as environment variables (PTXSIM_CHECK and so on), which ptxsim exec sets. All state is in
 * `watch`, under its lock.
 */
#include "cuda/driver/watch.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/file_new.h"
#include "cuda/driver/ending.h"
#include "cuda/driver/finding.h"
#include "cuda/driver/launch_report.h"
#include "observe/suppressions.h"
#include "report/finding_sarif.h"

/* Of 10 ms: how long launches may take to end when a signal has come. */
enum { STOP_TICKS = 300 };

/* What was found at one place, however often. */
struct found {
	struct found *next;
	u64 key;
	u64 again; /* times after the first */
	char text[200];
};

/* Work that something may come in no order with: its footprint. */
struct past {
	struct past *next;
	struct order order;
	struct footprint *footprint;
	const char *verb; /* what it does to all of its footprint; NULL: it reads and writes */
	char name[100];   /* of the kernel, or what it was */
};

struct told {
	struct told *next;
	u64 id;
};

static struct {
	bool asked;
	struct check_options check;
	char words[CHECK_WORDS_TEXT];
	bool checks;
	const char *kernel;
	u64 first, last; /* of the launches that fit; 0: all */
	bool progress;
	pthread_mutex_t lock; /* of all that follows */
	bool stopped, started_once;
	bool ending, written; /* a signal ends the process; nothing more is to be said */
	u32 running;          /* launches under way */
	u64 fitting;
	char others[400]; /* kernels that were launched and are not the wanted one */
	struct found *found;
	json_t *sarif;             /* results; NULL: nobody asks for them */
	struct written_kept *kept; /* of device memory; NULL: unwritten values are not looked for */
	struct past *past;         /* the newest first */
	struct suppressions suppressions;
	struct arena arena; /* of these */
	struct told *told;  /* allocations of which the host has read what nothing has written */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t sarif_lock = PTHREAD_MUTEX_INITIALIZER; /* of watch.sarif, as long as launches may end */

/* --- What is asked for ------------------------------------------------------------------------------- */

static bool wrong(const char *variable, const char *value, const char *expected)
{
	fprintf(stderr, "ptxsim: %s: '%s' is not %s\n", variable, value, expected);
	return false;
}

static bool read_launches(const char *text)
{
	return !text || check_launches_read(text, &watch.first, &watch.last) ||
	       wrong("PTXSIM_LAUNCH", text, "a number from 1, or two like 2-5");
}

/* An empty list stands for the usual checks. */
static bool read_check(const char *text)
{
	if (!text)
		return true;
	watch.checks = true;
	if (!*text)
		check_options_usual(&watch.check);
	if (*text && !check_options_read(text, &watch.check))
		return wrong("PTXSIM_CHECK", text, "some of the words that --check takes with commas between");
	check_options_text(&watch.check, watch.words);
	return true;
}

/* The names of kernels that are not the wanted one, each once, as many as there is room for. */
static void keep_other(const char *name)
{
	const size_t used = strlen(watch.others), length = strlen(name);

	for (const char *at = watch.others; (at = strstr(at, name)); at += length)
		if ((at == watch.others || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return;
	if (used + length + 3 <= sizeof watch.others)
		snprintf(watch.others + used, sizeof watch.others - used, "%s%s", used ? ", " : "", name);
}

/* Launches were chosen by --kernel or --launch, and there was none: what was asked for has not been looked at. */
static void tell_none_chosen(FILE *to)
{
	if (watch.kernel && !watch.fitting)
		fprintf(to, "ptxsim: --kernel %s: no kernel of that name was launched; launched were: %s\n",
			watch.kernel, *watch.others ? watch.others : "none");
	else if (watch.first > watch.fitting)
		fprintf(to, "ptxsim: --launch %llu: there %s %llu launch%s%s%s\n", (unsigned long long)watch.first,
			watch.fitting == 1 ? "was" : "were", (unsigned long long)watch.fitting,
			watch.fitting == 1 ? "" : "es", watch.kernel ? " of " : "", watch.kernel ? watch.kernel : "");
}

static void watch_stop(void);

static bool read_findings(const char *most, const char *suppress, const char *sarif)
{
	char *end;

	watch.check.most = most ? (u32)min_u64(strtoull(most, &end, 10), UINT32_MAX) : 0;
	if (most && (!watch.check.most || *end))
		return wrong("PTXSIM_MAX_FINDINGS", most, "a number from 1");
	watch.check.suppress = suppress && *suppress ? suppress : NULL;
	if (watch.check.suppress)
		suppressions_warn(watch.check.suppress, stderr);
	jmp_buf out_of_memory;
	arena_init(&watch.arena, &out_of_memory);
	if (watch.check.suppress && !setjmp(out_of_memory))
		suppressions_read(&watch.suppressions, &watch.arena, watch.check.suppress);
	if (sarif && *sarif)
		watch.sarif = json_array();
	return true;
}

bool watch_open(void)
{
	const char *kernel = getenv("PTXSIM_KERNEL"), *progress = getenv("PTXSIM_PROGRESS");

	if (!read_check(getenv("PTXSIM_CHECK")) || !launch_report_open(getenv("PTXSIM_REPORT")) ||
	    !read_launches(getenv("PTXSIM_LAUNCH")) ||
	    !read_findings(getenv("PTXSIM_MAX_FINDINGS"), getenv("PTXSIM_SUPPRESS"), getenv("PTXSIM_SARIF")))
		return false;
	if (watch.check.unwritten)
		watch.kept = written_kept_new();
	watch.kernel = kernel && *kernel ? kernel : NULL;
	watch.progress = progress && *progress && progress_is_seen();
	watch.asked = watch.checks || launch_report_is_wanted() || watch.progress;
	if (launch_report_is_wanted() || watch.checks)
		ending_begin(watch_stop);
	return true;
}

bool watch_checks(void) { return watch.checks; }

const struct host_place *watch_place(void) { return watch.checks ? host_place_here() : NULL; }

u32 watch_patience(void)
{
	enum { SECONDS = 5 };

	return watch.checks ? SECONDS : 0;
}

ptxsim_async watch_async(void) { return watch.checks ? PTXSIM_ASYNC_STRICT : PTXSIM_ASYNC_EAGER; }

void watch_profile(bool start)
{
	pthread_mutex_lock(&watch.lock);
	if (start && !watch.started_once)
		launch_report_begin();
	watch.started_once |= start;
	watch.stopped = !start;
	pthread_mutex_unlock(&watch.lock);
}

/* --- A launch ------------------------------------------------------------------------------------------- */

/* Counts the launches of the chosen kernel, and tells whether this one is among the chosen numbers. */
static bool is_wanted(struct arena *scratch, const char *kernel)
{
	if (watch.kernel && !demangle_matches(scratch, kernel, watch.kernel, strlen(watch.kernel)))
		return false;
	watch.fitting++;
	return !watch.first || (watch.fitting >= watch.first && watch.fitting <= watch.last);
}

/* Under the lock: what of this launch is to be known. */
static void choose(struct arena *scratch, const char *kernel, struct watched *w)
{
	struct ptxsim_watching *wanted = &w->watching.wanted;

	if (!is_wanted(scratch, kernel)) {
		if (watch.kernel && w->name)
			keep_other(w->name);
		return;
	}
	wanted->races = watch.check.races;
	wanted->unwritten = watch.check.unwritten;
	wanted->sync = watch.check.sync;
	wanted->plain_reads = watch.check.plain_reads;
	wanted->max_findings = watch.check.most;
	wanted->suppress = watch.check.suppress;
	wanted->checks = watch.words;
	w->number = launch_report_is_wanted() && !watch.stopped ? launch_report_number() : 0;
	wanted->count = w->number != 0;
}

/* For the debugger: whether it stops in this launch. */
enum choice watch_choice(const char *kernel)
{
	struct arena scratch;
	jmp_buf out_of_memory;
	volatile bool wanted = false;

	if (!watch.kernel && !watch.first)
		return CHOICE_NOT_ASKED;
	arena_init(&scratch, &out_of_memory);
	if (!setjmp(out_of_memory)) {
		pthread_mutex_lock(&watch.lock);
		wanted = is_wanted(&scratch, kernel);
		pthread_mutex_unlock(&watch.lock);
	}
	arena_free(&scratch);
	return wanted ? CHOICE_CHOSEN : CHOICE_LEFT_OUT;
}

/* False: nothing is asked for. */
bool watch_begin(const char *kernel, const struct ptxsim_launch *launch, struct watched *w)
{
	struct arena scratch;
	jmp_buf out_of_memory;

	if (!watch.asked)
		return false;
	*w = (struct watched){.watching = {.kept = watch.kept}};
	w->watching.footprints = watch.check.races && order_is_wanted();
	arena_init(&scratch, &out_of_memory);
	if (!setjmp(out_of_memory)) {
		w->name = strdup(demangle_short(&scratch, kernel));
		pthread_mutex_lock(&watch.lock);
		watch.running++;
		choose(&scratch, kernel, w);
		pthread_mutex_unlock(&watch.lock);
	}
	arena_free(&scratch);
	if (watch.progress && w->name) {
		progress_init(&w->progress);
		progress_start(&w->progress, w->name, (u64)launch->grid[0] * launch->grid[1] * launch->grid[2]);
		w->watching.extra = &w->progress.observer;
	}
	return true;
}

/* --- What checks found ------------------------------------------------------------------------------------ */

/* FNV-1a. */
static u64 mix(u64 key, const void *bytes, size_t count)
{
	for (size_t k = 0; k < count; k++)
		key = (key ^ ((const u8 *)bytes)[k]) * 0x100000001b3ull;
	return key;
}

static u64 mix_place(u64 key, const struct fault_place *p)
{
	key = mix(key, &p->line, sizeof p->line);
	key = mix(key, &p->column, sizeof p->column);
	return p->file ? mix(key, p->file, strlen(p->file)) : key;
}

/* Each place once: the first launch's words, and how often it came again. With the driver's lock, too. */
static void keep_finding(const struct watched *w, const struct fault_report *r, const char *text)
{
	const u64 key = mix_place(mix_place(mix(0xcbf29ce484222325ull, &r->kind, sizeof r->kind), &r->at), &r->other);

	for (struct found *f = watch.found; f; f = f->next)
		if (f->key == key) {
			f->again++;
			return;
		}
	struct found *f = calloc(1, sizeof *f);
	if (f) {
		*f = (struct found){.next = watch.found, .key = key};
		snprintf(f->text, sizeof f->text, "%s: %.*s", w->name ? w->name : "?", (int)strcspn(text, "\n"), text);
		watch.found = f;
	}
	pthread_mutex_lock(&sarif_lock);
	if (watch.sarif)
		json_array_append_new(watch.sarif, sarif_finding(r, text, r->times));
	pthread_mutex_unlock(&sarif_lock);
	if (driver.findings)
		finding_print(driver.findings,
			      &(struct finding){.title = w->name ? w->name : "?",
						.text = text,
						.memory = &r->memory,
						.address = r->space && !strcmp(r->space, "global") ? r->address : 0,
						.kernel = w->kernel,
						.launched = w->from});
}

void watch_tell(const char *format, ...)
{
	char text[2000];
	va_list args;

	if (!driver.findings)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(driver.findings, "%s\n", text);
	fflush(driver.findings);
	pthread_mutex_lock(&sarif_lock);
	if (watch.sarif)
		json_array_append_new(watch.sarif, sarif_host(NULL, 0, text));
	pthread_mutex_unlock(&sarif_lock);
}

/* --- Other streams ------------------------------------------------------------------------------------------ */

enum { PAST_MOST = 64, CLASHES_MOST = 8 };

void watch_streams(void)
{
	if (watch.check.races)
		order_begin();
}

/* With the driver's lock: what all that comes will come after is not needed any more, nor more than there is room for. */
static void forget_past(void)
{
	struct past **at = &watch.past;

	for (u32 count = 0; *at;) {
		struct past *p = *at;
		if (count < PAST_MOST && !order_is_past(&p->order)) {
			count++;
			at = &p->next;
			continue;
		}
		*at = p->next;
		order_drop(&p->order);
		footprint_free(p->footprint);
		free(p);
	}
}

static void add_words(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_words(char *text, size_t room, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, room - used, format, args);
	va_end(args);
}

/* What the two have to do with each other, and what would order them. */
struct relation {
	const char *other, *advice;
};

static const struct relation of_streams = {
	"of another stream",
	"nothing orders the two streams: an event that one of them records and the other waits for "
	"would, or waiting for one before work is given to the other"};
static const struct relation of_nodes = {
	"of the same graph",
	"nothing orders the two nodes: an edge would, from one of them to the other or over others"};

static const struct relation of_loose = {"of the same stream",
					 "it may begin before that has ended, as its launch says: griddepcontrol.wait "
					 "(cudaGridDependencySynchronize()) would order the two"};

static const struct relation *relation(const struct past *a, const struct past *b)
{
	if (order_is_loose(&b->order, &a->order))
		return &of_loose;
	return a->order.node.plan && a->order.node.launch == b->order.node.launch ? &of_nodes : &of_streams;
}

static void tell_clash(const struct watched *w, const struct footprint_clash *c, const struct past *own,
		       const struct past *p)
{
	const struct relation *how = relation(own, p);
	const char *does = own->verb ? own->verb : c->writes ? "writes" : "reads";
	const char *other_does = p->verb ? p->verb : c->other_writes ? "writes" : "reads";
	struct fault_report r = {.kind = FAULT_RACE,
				 .at = c->at,
				 .other = c->other,
				 .role = c->other_writes ? FAULT_ROLE_WRITES : FAULT_ROLE_READS,
				 .has_access = true,
				 .is_store = c->writes,
				 .address = c->address,
				 .space = "global",
				 .times = 1,
				 .detail = "",
				 .advice = how->advice};
	const struct region *b = block_of(c->address);
	char text[2600] = "", line[FAULT_LINE_TEXT], place[600];

	fault_line(&r, line);
	if (suppressions_cover(&watch.suppressions, line))
		return;
	add_words(text, sizeof text, "race: %s global address 0x%llx", does, (unsigned long long)c->address);
	if (b)
		add_words(text, sizeof text, ", byte %llu of an allocation of %llu bytes,",
			  (unsigned long long)(c->address - b->base), (unsigned long long)b->size);
	add_words(text, sizeof text, " which %s %s %s", p->name, how->other, other_does);
	if (c->other.file)
		add_words(text, sizeof text, " at %s:%u", c->other.file, c->other.line);
	if (c->other.source)
		add_words(text, sizeof text, " (%s:%u)", fault_path_end(c->other.source, 100), c->other.source_line);
	add_words(text, sizeof text, "; %s\n", how->advice);
	if (c->at.file)
		add_words(text, sizeof text, "  at %s:%u:%u in %s\n", c->at.file, c->at.line, c->at.column,
			  c->at.function);
	if (c->at.source)
		add_words(text, sizeof text, "  from %s:%u\n", c->at.source, c->at.source_line);
	if (b && b->freed) {
		host_place_text(b->freed, "cuMemFreeAsync", NULL, place, sizeof place);
		add_words(text, sizeof text, "  freed by %s\n", place);
	}
	add_words(text, sizeof text, "  to suppress: %s\n", line);
	keep_finding(w, &r, text);
}

static u32 count_clashes(const struct past *own, const struct past *p, struct footprint_clash clashes[CLASHES_MOST])
{
	if (order_is_loose(&p->order, &own->order))
		return footprint_early_clashes(own->footprint, p->footprint, clashes, CLASHES_MOST);
	if (order_is_before(&p->order, &own->order) || order_is_before(&own->order, &p->order))
		return 0;
	return footprint_clashes(own->footprint, p->footprint, clashes, CLASHES_MOST);
}

/* Takes the footprint: compares it with that of work that nothing orders with this, and keeps it for what will come. */
static void compare_with_past(struct watched *w, const char *verb)
{
	struct footprint *f = w->watching.footprint;
	struct footprint_clash clashes[CLASHES_MOST];

	w->watching.footprint = NULL;
	struct past *own = f && w->order ? calloc(1, sizeof *own) : NULL;
	if (!own) {
		footprint_free(f);
		return;
	}
	*own = (struct past){.footprint = f, .verb = verb};
	snprintf(own->name, sizeof own->name, "%s", w->name ? w->name : "?");
	driver_take();
	own->order = order_kept(w->order);
	pthread_mutex_lock(&watch.lock);
	forget_past();
	for (const struct past *p = watch.past; p; p = p->next) {
		const u32 count = count_clashes(own, p, clashes);
		for (u32 k = 0; k < count; k++)
			tell_clash(w, &clashes[k], own, p);
	}
	own->next = watch.past;
	watch.past = own;
	pthread_mutex_unlock(&watch.lock);
	driver_let_go();
}

/* A copy or a fill: what it reads (NULL: nothing) and writes, row by row. */
static void compare_rows(const struct task *t, const struct copy *c, const char *what)
{
	enum { ROWS_MOST = 1024 };
	struct watched w = {.order = t->order, .name = (char *)(uintptr_t)what};

	if (!t->order || c->height > ROWS_MOST || c->depth > ROWS_MOST || c->height * c->depth > ROWS_MOST)
		return;
	for (u64 z = 0; z < c->depth; z++)
		for (u64 y = 0; y < c->height; y++) {
			footprint_add(&w.watching.footprint, (u64)(uintptr_t)c->to + z * c->to_slice + y * c->to_pitch,
				      c->width, true, what);
			if (c->from)
				footprint_add(&w.watching.footprint,
					      (u64)(uintptr_t)c->from + z * c->from_slice + y * c->from_pitch, c->width,
					      false, what);
		}
	compare_with_past(&w, NULL);
}

static void compare_life(const struct task *t, u64 base, u64 bytes, const char *call, const char *verb)
{
	struct watched w = {.order = t->order, .name = (char *)(uintptr_t)call};

	if (t->order && footprint_add(&w.watching.footprint, base, bytes, true, call))
		compare_with_past(&w, verb);
}

void watch_given(const struct task *t, u64 base, u64 bytes)
{
	compare_life(t, base, bytes, "cuMemAllocAsync", "allocates");
}

void watch_freed(const struct task *t, u64 base, u64 bytes) { compare_life(t, base, bytes, "cuMemFreeAsync", "frees"); }

/* --- Unwritten memory ----------------------------------------------------------------------------------- */

void watch_memory_begins(u64 base, u64 bytes)
{
	if (!watch.kept)
		return;
	memory_set_unwritten(&driver.machine->memory, base);
	written_kept_add(watch.kept, base, bytes);
}

void watch_memory_ends(u64 base, u64 bytes)
{
	if (watch.kept)
		written_kept_drop(watch.kept, base);
	if (!order_is_wanted())
		return;
	pthread_mutex_lock(&watch.lock);
	for (const struct past *p = watch.past; p; p = p->next)
		footprint_forget(p->footprint, base, bytes);
	pthread_mutex_unlock(&watch.lock);
}

void watch_write(u64 address, u64 bytes)
{
	if (watch.kept)
		written_kept_mark(watch.kept, address, bytes);
}

void watch_fill(const struct task *t)
{
	const struct fill *f = &t->fill;

	compare_rows(t,
		     &(struct copy){.to = f->to,
				    .to_pitch = f->pitch,
				    .width = f->width * f->element,
				    .height = f->height,
				    .depth = 1},
		     "a fill");
	for (u64 y = 0; watch.kept && y < f->height; y++)
		written_kept_mark(watch.kept, (u64)(uintptr_t)f->to + y * f->pitch, f->width * f->element);
}

/* Each allocation is told of once. */
static bool is_told(u64 id)
{
	for (const struct told *t = watch.told; t; t = t->next)
		if (t->id == id)
			return true;
	struct told *t = calloc(1, sizeof *t);
	if (t) {
		*t = (struct told){watch.told, id};
		watch.told = t;
	}
	return false;
}

/* A row goes to the host. Gaps as structures have are no fault. */
static void look_at_row(u64 from, u64 bytes)
{
	enum { PADDING_MOST = 15 };
	u64 first;
	const u64 run = written_kept_first(watch.kept, from, bytes, PADDING_MOST + 1, &first);

	if (!run || !driver.findings)
		return;
	driver_take();
	const struct region *b = block_of(from);
	const struct region own = b ? *b : (struct region){.id = 0};
	driver_let_go();
	pthread_mutex_lock(&watch.lock);
	if (b && !is_told(own.id))
		watch_tell(
			"value that nothing has written: a copy of %llu bytes to the host has %llu from 0x%llx on that "
			"nothing has written: from byte %llu of the allocation, which has %llu",
			(unsigned long long)bytes, (unsigned long long)run, (unsigned long long)(from + first),
			(unsigned long long)(from + first - own.base), (unsigned long long)own.size);
	pthread_mutex_unlock(&watch.lock);
}

/* Does a copy to that address go where the host reads? */
static bool is_read_out(u64 to)
{
	driver_take();
	const struct region *b = block_of(to);
	const bool host = !b || b->kind == BLOCK_HOST || b->kind == BLOCK_REGISTERED || b->kind == BLOCK_MANAGED;
	driver_let_go();
	return host;
}

void watch_copy(const struct task *t)
{
	const struct copy *c = &t->copy;

	compare_rows(t, c, "a copy");
	if (!watch.kept)
		return;
	const bool read_out = is_read_out((u64)(uintptr_t)c->to);
	for (u64 z = 0; z < c->depth; z++)
		for (u64 y = 0; y < c->height; y++) {
			const u64 from = (u64)(uintptr_t)c->from + z * c->from_slice + y * c->from_pitch;
			const u64 to = (u64)(uintptr_t)c->to + z * c->to_slice + y * c->to_pitch;
			if (read_out)
				look_at_row(from, c->width);
			else
				written_kept_copy(watch.kept, to, from, c->width);
		}
}

void watch_end(struct watched *w, const struct outcome *o)
{
	if (w->watching.extra)
		progress_end(&w->progress);
	if (watch.kept && !w->watching.checks)
		written_kept_all(watch.kept);
	compare_with_past(w, NULL);
	/* Messages look memory up. */
	if (w->watching.fault_count)
		driver_take();
	pthread_mutex_lock(&watch.lock);
	/* The fault that ended the launch is told by who ran it. */
	for (u32 k = o->status == PTXSIM_ERROR_FAULT && !o->ended; k < w->watching.fault_count; k++)
		keep_finding(w, &w->watching.faults[k], w->watching.fault_texts[k]);
	launch_report_add(&w->watching, w->number);
	watch.running--;
	const bool ending = watch.ending;
	pthread_mutex_unlock(&watch.lock);
	if (w->watching.fault_count)
		driver_let_go();
	watching_free(&w->watching);
	free(w->name);
	/* The program is not to see, and to speak of, a launch that was stopped because it is itself. */
	while (ending)
		pause();
}

/* --- The end -------------------------------------------------------------------------------------------------- */

static void write_sarif(void)
{
	const char *path = getenv("PTXSIM_SARIF"), *message = "memory ran out";
	struct file_new file;

	if (!path || !file_new_begin(&file, path, true, &message)) {
		fprintf(stderr, "ptxsim: %s: %s\n", path ? path : "PTXSIM_SARIF", path ? message : "is gone");
		return;
	}
	const bool printed = sarif_print(file.to, json_incref(watch.sarif));
	if (!file_new_end(&file, &message) || !printed)
		fprintf(stderr, "ptxsim: %s: %s\n", path, message);
}

/* is_whole: the program has ended by itself, so that memory it did not free is a leak. */
static void write_all(bool is_whole)
{
	pthread_mutex_lock(&watch.lock);
	if (watch.written) {
		pthread_mutex_unlock(&watch.lock);
		return;
	}
	watch.written = true;
	for (const struct found *f = watch.found; f && driver.findings; f = f->next)
		if (f->again)
			fprintf(driver.findings, "%llu time%s more: %s\n", (unsigned long long)f->again,
				f->again == 1 ? "" : "s", f->text);
	if (watch.checks || launch_report_is_wanted())
		tell_none_chosen(watch.checks && driver.findings ? driver.findings : stderr);
	if (is_whole && watch.check.leaks && driver.findings)
		blocks_tell_leaks();
	if (driver.findings)
		fflush(driver.findings);
	launch_report_write();
	if (watch.sarif)
		write_sarif();
	pthread_mutex_unlock(&watch.lock);
}

/* Ends launches under way early: they are counted as far as they got. */
static void stop_launches(void)
{
	const struct timespec tick = {.tv_nsec = 10000000};
	bool running = true;

	pthread_mutex_lock(&watch.lock);
	watch.ending = true;
	pthread_mutex_unlock(&watch.lock);
	for (u32 k = 0; k < STOP_TICKS && running; k++) {
		ptxsim_stop(driver.machine);
		pthread_mutex_lock(&watch.lock);
		running = watch.running != 0;
		pthread_mutex_unlock(&watch.lock);
		if (running)
			nanosleep(&tick, NULL);
	}
}

/* A program may end without having waited for its kernels, and what is asked about them is still to be told. But work that
 * waits for the program waits for ever, and so do kernels that look at the host's memory. */
static void finish_work(void)
{
	enum { IDLE_SECONDS = 2, SECONDS = 10, CHECKED_SECONDS = 60 };
	const u32 most = watch.checks ? CHECKED_SECONDS : SECONDS;
	u32 idle = 0;

	for (u32 k = 0; idle < IDLE_SECONDS && !queue_group_wait(&driver.machine->queues, 1); k++) {
		pthread_mutex_lock(&watch.lock);
		idle = watch.running ? 0 : idle + 1;
		pthread_mutex_unlock(&watch.lock);
		if (k >= most) {
			stop_launches();
			return;
		}
	}
}

__attribute__((destructor)) static void watch_close(void)
{
	if (!watch.asked || driver.forked)
		return;
	if (driver.ready && (watch.checks || launch_report_is_wanted()))
		finish_work();
	write_all(true);
}

/* Before a signal ends the process. */
static void watch_stop(void)
{
	stop_launches();
	write_all(false);
}
