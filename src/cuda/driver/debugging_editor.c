/* SPDX-License-Identifier: Apache-2.0
 *
 * See debugging_editor.h. Which thread does what:
 *
 *   a thread of the program      the session's thread               the wire's reader
 *     order: a launch, a module    takes orders and messages          reads the adapter's messages,
 *     that comes or goes  ----->   in their order, runs engines  <--- interrupts an engine that runs
 *     waits for it        <-----
 *
 * Orders are given with editor.lock held, one at a time.
 */
#include "cuda/driver/debugging_editor.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/driver/sitting.h"
#include "dap/dap.h"
#include "dap/dap_wire.h"

enum order_kind { ORDER_LAUNCH, ORDER_LOADED, ORDER_FORGET };

struct order {
	enum order_kind kind;
	const struct program *program;
	/* Of a launch. */
	bool is_chosen;
	struct launch *launch;
	struct launch_stats *stats;
	struct fault *fault;
	char *message;
	size_t size;
	enum launch_status status;
};

static struct {
	pthread_mutex_t lock; /* of who gives an order */
	int files[2];         /* the socket, twice */
	struct wire *wire;
	struct dap *session;
	struct sitting *first;
	u64 launches;
	bool leaves; /* the editor does; of the session's thread */

	pthread_mutex_t state_lock; /* of what follows */
	pthread_cond_t changed;
	struct order *order;
	bool is_ready; /* the adapter has said what the editor has set */
	bool is_gone;  /* the editor has left: no order is obeyed any more */
} editor = {.lock = PTHREAD_MUTEX_INITIALIZER,
	    .state_lock = PTHREAD_MUTEX_INITIALIZER,
	    .changed = PTHREAD_COND_INITIALIZER};

static void tell_state(bool *state)
{
	pthread_mutex_lock(&editor.state_lock);
	*state = true;
	pthread_cond_broadcast(&editor.changed);
	pthread_mutex_unlock(&editor.state_lock);
}

bool editor_is_there(void)
{
	pthread_mutex_lock(&editor.state_lock);
	const bool is = !editor.is_gone;
	pthread_mutex_unlock(&editor.state_lock);
	return is;
}

/* --- The session's thread -------------------------------------------------------------------------------- */

/* The adapter is gone, and has not let the program go. */
static void end_program(void) { kill(getpid(), SIGKILL); }

static struct sitting *find_sitting(const struct program *p)
{
	struct sitting *s = editor.first;

	while (s && s->program != p)
		s = s->next;
	return s;
}

static struct sitting *sitting_of(const struct program *p)
{
	const struct debug_options options = dap_engine_options(editor.session);
	const struct console_options plain = {.confined = true};
	struct sitting *s = find_sitting(p);

	if (s)
		return s;
	s = sitting_new(p, &options, dap_console(editor.session), &plain);
	if (!s)
		return NULL;
	s->next = editor.first;
	editor.first = s;
	/* From now on the session catches what runs out of memory. */
	s->arena.out_of_memory = dap_out_of_memory(editor.session);
	dap_engine_add(editor.session, s->debug, s->console);
	return s;
}

static void drop_sitting(const struct program *p)
{
	for (struct sitting **at = &editor.first; *at; at = &(*at)->next) {
		struct sitting *s = *at;
		if (s->program != p)
			continue;
		*at = s->next;
		if (!editor.leaves)
			dap_engine_drop(editor.session, s->debug);
		sitting_free(s);
		return;
	}
}

/* The editor leaves and lets the program go. */
static void let_go(void)
{
	dap_let_go(editor.session);
	editor.leaves = true;
}

static void take_message(json_t *message)
{
	if (!message) {
		end_program();
		return;
	}
	if (!dap_take(editor.session, message)) {
		fputs("ptxsim: no memory left for the debugger; the program goes on without it\n", stderr);
		let_go();
	} else if (dap_is_over(editor.session)) {
		let_go();
	}
}

static void run_launch(struct order *o)
{
	struct sitting *s = sitting_of(o->program);
	enum wire_origin origin;

	o->status = LAUNCH_NO_MEMORY;
	if (!s)
		return;
	sitting_take(s, o->launch);
	const struct dap_launch l = {.d = s->debug,
				     .kernel = o->launch->kernel->code->name,
				     .number = ++editor.launches,
				     .is_chosen = o->is_chosen};
	if (!dap_launch_begin(editor.session, &l) || dap_is_over(editor.session))
		let_go();
	while (!editor.leaves && dap_launch_stands(editor.session))
		take_message(wire_receive(editor.wire, &origin));
	o->status = sitting_end(s, o->stats, o->fault, o->message, o->size);
}

static void obey(struct order *o)
{
	if (o->kind == ORDER_LAUNCH)
		run_launch(o);
	else if (o->kind == ORDER_LOADED)
		sitting_of(o->program);
	else
		drop_sitting(o->program);
	pthread_mutex_lock(&editor.state_lock);
	editor.order = NULL;
	pthread_cond_broadcast(&editor.changed);
	pthread_mutex_unlock(&editor.state_lock);
}

static void *serve(void *unused)
{
	enum wire_origin origin;

	(void)unused;
	dap_event(editor.session, "ptxsim_ready", NULL);
	while (!editor.leaves) {
		json_t *message = wire_receive(editor.wire, &origin);
		if (message && origin == FROM_LAUNCH) {
			json_decref(message);
			obey(editor.order);
		} else {
			take_message(message);
		}
	}
	wire_stop(editor.wire);
	tell_state(&editor.is_gone);
	return NULL;
}

/* --- Orders ------------------------------------------------------------------------------------------------ */

/* With editor.lock held. False: the editor has left. */
static bool give(struct order *o)
{
	pthread_mutex_lock(&editor.state_lock);
	editor.order = o;
	pthread_mutex_unlock(&editor.state_lock);
	wire_put(editor.wire, FROM_LAUNCH, json_true());
	pthread_mutex_lock(&editor.state_lock);
	while (editor.order && !editor.is_gone)
		pthread_cond_wait(&editor.changed, &editor.state_lock);
	const bool done = !editor.order;
	pthread_mutex_unlock(&editor.state_lock);
	return done;
}

enum launch_status editor_run(bool chosen, struct launch *l, struct launch_stats *stats, struct fault *fault,
			      char *message, size_t size)
{
	struct order o = {.kind = ORDER_LAUNCH,
			  .program = l->program,
			  .is_chosen = chosen,
			  .launch = l,
			  .stats = stats,
			  .fault = fault,
			  .message = message,
			  .size = size};

	/* What the program has printed so far is seen at a stop; its output is not a terminal. */
	fflush(stdout);
	pthread_mutex_lock(&editor.lock);
	const bool obeyed = give(&o);
	pthread_mutex_unlock(&editor.lock);
	return obeyed ? o.status : launch_run(l, stats, fault, message, size);
}

/* Where a kernel stands, its module is met with its first launch. */
void editor_loaded(const struct program *p)
{
	struct order o = {.kind = ORDER_LOADED, .program = p};

	if (pthread_mutex_trylock(&editor.lock))
		return;
	give(&o);
	pthread_mutex_unlock(&editor.lock);
}

void editor_forget(const struct program *p)
{
	struct order o = {.kind = ORDER_FORGET, .program = p};

	pthread_mutex_lock(&editor.lock);
	if (!give(&o))
		drop_sitting(p);
	pthread_mutex_unlock(&editor.lock);
}

/* --- Opening ------------------------------------------------------------------------------------------------- */

static void send_message(void *context, json_t *message) { wire_send(context, message); }
static bool has_request(void *context) { return wire_has_message(context); }

static json_t *receive(void *context)
{
	enum wire_origin origin;
	json_t *message = wire_receive(context, &origin);

	if (!message)
		end_program();
	return message;
}

static void interrupts(void *context, struct debug *d) { wire_interrupts(context, d); }

static void on_start(void *context)
{
	(void)context;
	tell_state(&editor.is_ready);
}

static bool open_wire(int socket)
{
	editor.files[0] = socket;
	editor.files[1] = fcntl(socket, F_DUPFD_CLOEXEC, 3);
	FILE *in = fdopen(socket, "r"), *out = editor.files[1] < 0 ? NULL : fdopen(editor.files[1], "w");
	editor.wire = in && out ? wire_open(in, out) : NULL;
	return editor.wire != NULL;
}

bool editor_open(int socket)
{
	static struct dap_link link = {.send = send_message,
				       .has_request = has_request,
				       .receive = receive,
				       .interrupts = interrupts,
				       .start_program = on_start,
				       .is_inside = true};
	pthread_t thread;

	if (!open_wire(socket))
		return false;
	link.context = editor.wire;
	editor.session = dap_open(&link);
	if (!editor.session || !wire_thread(&thread, serve, NULL))
		return false;
	pthread_detach(thread);
	pthread_mutex_lock(&editor.state_lock);
	while (!editor.is_ready && !editor.is_gone)
		pthread_cond_wait(&editor.changed, &editor.state_lock);
	pthread_mutex_unlock(&editor.state_lock);
	return true;
}

void editor_in_child(void)
{
	close(editor.files[0]);
	close(editor.files[1]);
}
