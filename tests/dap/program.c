/* SPDX-License-Identifier: Apache-2.0
 *
 * What exec_test.js debugs: a program of the driver interface that finds libcuda.so.1 as programs do. Its words say what it
 * does, in order:
 *
 *   init               initialises the driver, which `load` and `data` do, too
 *   load FILE          loads a module from a file; `data FILE` from memory; `unload` the last one
 *   launch NAME N      launches a kernel of the last module with N threads of one block and waits; prints its error
 *   both NAME N        does so from two threads at once; `many NAME N` a thousand times
 *   fork, late-fork    a child that prints and ends, before and after `init`; `pair`: a child that does what follows, too,
 *                      and is waited for at the end
 *   linger             a child that keeps the output open for ten seconds
 *   say TEXT, complain TEXT, bytes   prints; `bytes`: what is not UTF-8, and a character in two pieces
 *   flood N            prints N bytes
 *   await FILE         prints `waits` and waits until there is such a file
 *   sleep MS, crash, abort, exit N, getenv NAME, cwd, stdin, ignore-term
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library, *module;
static unsigned long long in, out;
static pid_t twin;

#define CU(type, name, ...) ((int(*) type)find(name))(__VA_ARGS__)

static void *find(const char *name)
{
	void *f = dlsym(library, name);

	if (!f) {
		printf("there is no %s\n", name);
		exit(4);
	}
	return f;
}

static void check(int error)
{
	if (error) {
		printf("error %d\n", error);
		fflush(stdout);
		exit(5);
	}
}

static void init(void)
{
	void *context;

	if (library)
		return;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		puts(dlerror());
		exit(4);
	}
	check(CU((unsigned), "cuInit", 0));
	check(CU((void **, int), "cuDevicePrimaryCtxRetain", &context, 0));
	check(CU((void *), "cuCtxSetCurrent", context));
	check(CU((unsigned long long *, size_t), "cuMemAlloc_v2", &in, 4096));
	check(CU((unsigned long long *, size_t), "cuMemAlloc_v2", &out, 4096));
	check(CU((unsigned long long, unsigned, size_t), "cuMemsetD32_v2", in, 0x3f800000, 1024));
}

static char *read_file(const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(6);
	}
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	return text;
}

static int launch(const char *name, unsigned threads, void *stream)
{
	void *f, *args[] = {&in, &out, &in, &out};

	check(CU((void **, void *, const char *), "cuModuleGetFunction", &f, module, name));
	const int error = CU((void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
			      void **, void **),
			     "cuLaunchKernel", f, 1, 1, 1, threads, 1, 1, 0, stream, args, NULL);
	return error ? error : CU((void *), "cuStreamSynchronize", stream);
}

struct job {
	const char *name;
	unsigned threads;
};

static void *run_job(void *context)
{
	const struct job *j = context;
	void *device_context, *stream;

	check(CU((void **, int), "cuDevicePrimaryCtxRetain", &device_context, 0));
	check(CU((void *), "cuCtxSetCurrent", device_context));
	check(CU((void **, unsigned), "cuStreamCreate", &stream, 1));
	check(launch(j->name, j->threads, stream));
	return NULL;
}

static void run_both(const char *name, unsigned threads)
{
	struct job job = {name, threads};
	pthread_t id[2];

	for (int k = 0; k < 2; k++)
		pthread_create(&id[k], NULL, run_job, &job);
	for (int k = 0; k < 2; k++)
		pthread_join(id[k], NULL);
	puts("both are done");
}

static void run_many(const char *name, unsigned threads)
{
	int error = 0;

	for (int k = 0; k < 1000; k++)
		error |= launch(name, threads, NULL);
	printf("many: error %d\n", error);
}

static void flood(int bytes)
{
	while (bytes-- > 0)
		putchar(bytes % 100 ? 'x' : '\n');
}

static void fork_child(void)
{
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		puts("the child speaks");
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void linger(void)
{
	fflush(stdout);
	if (!fork()) {
		sleep(10);
		_exit(0);
	}
}

static void print_bytes(void)
{
	printf("caf\xc3");
	fflush(stdout);
	usleep(100000);
	printf("\xa9 and \xff\xfe\n");
}

/* Words without an argument; 0: it is none of them. */
static int do_alone(const char *word)
{
	static const char *const known[] = {"init",  "unload", "fork", "late-fork", "linger", "bytes",
					    "crash", "abort",  "cwd",  "stdin",     "pair",   "ignore-term"};
	char folder[4096];
	size_t k = 0;

	while (k < sizeof known / sizeof *known && strcmp(word, known[k]))
		k++;
	switch (k) {
	case 0:
		init();
		return 1;
	case 1:
		check(CU((void *), "cuModuleUnload", module));
		return 1;
	case 2:
	case 3:
		fork_child();
		return 1;
	case 4:
		linger();
		return 1;
	case 5:
		print_bytes();
		return 1;
	case 6:
		fflush(stdout);
		raise(SIGSEGV);
		return 1;
	case 7:
		abort();
	case 8:
		puts(getcwd(folder, sizeof folder) ? folder : "?");
		return 1;
	case 9:
		puts(getchar() == EOF ? "no input" : "input");
		return 1;
	case 10:
		twin = fork();
		return 1;
	case 11:
		signal(SIGTERM, SIG_IGN);
		return 1;
	default:
		return 0;
	}
}

static void do_word(const char *word, const char *text)
{
	if (!strcmp(word, "load")) {
		init();
		check(CU((void **, const char *), "cuModuleLoad", &module, text));
	} else if (!strcmp(word, "data")) {
		init();
		check(CU((void **, const void *), "cuModuleLoadData", &module, read_file(text)));
	} else if (!strcmp(word, "say")) {
		puts(text);
	} else if (!strcmp(word, "complain")) {
		fprintf(stderr, "%s\n", text);
	} else if (!strcmp(word, "sleep")) {
		fflush(stdout);
		usleep(1000 * (unsigned)atoi(text));
	} else if (!strcmp(word, "await")) {
		puts("waits");
		fflush(stdout);
		while (access(text, F_OK))
			usleep(1000);
	} else if (!strcmp(word, "getenv")) {
		puts(getenv(text) ? getenv(text) : "unset");
	} else if (!strcmp(word, "flood")) {
		flood(atoi(text));
	} else if (!strcmp(word, "exit")) {
		exit(atoi(text));
	}
}

int main(int count, char **words)
{
	for (int k = 1; k < count; k++) {
		if (do_alone(words[k]))
			continue;
		const char *text = k + 1 < count ? words[k + 1] : "";
		if (!strcmp(words[k], "launch") || !strcmp(words[k], "both") || !strcmp(words[k], "many")) {
			const unsigned threads = k + 2 < count ? (unsigned)atoi(words[k + 2]) : 1;
			if (*words[k] == 'b')
				run_both(text, threads);
			else if (*words[k] == 'm')
				run_many(text, threads);
			else
				printf("%s: error %d\n", text, launch(text, threads, NULL));
			k += 2;
			continue;
		}
		do_word(words[k], text);
		k++;
	}
	if (twin > 0)
		waitpid(twin, NULL, 0);
	return 0;
}
