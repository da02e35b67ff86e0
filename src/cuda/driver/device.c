/* SPDX-License-Identifier: Apache-2.0
 *
 * Initialisation, devices and their attributes, primary contexts, error names.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "cuda/driver/debugging.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/errors.h"
#include "cuda/driver/watch.h"
#include "native/load.h"

/* --- Start -------------------------------------------------------------------------------------- */

/* PTXSIM_MEMORY, a number of bytes with K, M, G or T behind it, or without; `usual` if it is not set. 0: it is no such size. */
static u64 read_memory(u64 usual)
{
	static const char units[] = "KMGT";
	const char *text = getenv("PTXSIM_MEMORY");
	char *end;

	if (!text || !*text)
		return usual;
	errno = 0;
	const u64 number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	const char *unit = number && *end ? strchr(units, *end) : NULL;
	const u32 shift = unit ? 10 * (u32)(unit - units + 1) : 0;
	if (!number || errno || (*end && (!unit || end[1])) || number << shift >> shift != number)
		return 0;
	return number << shift;
}

/* What a context finds free: the card's driver takes the rest, and no more than half of what there is. */
static int set_memory(struct cu_device *d)
{
	const u64 least = 64 << 20, taken = d->model->memory_bytes - d->model->free_bytes;

	d->memory_bytes = read_memory(d->model->memory_bytes);
	if (d->memory_bytes < least || d->memory_bytes > d->model->memory_bytes) {
		driver_tell("PTXSIM_MEMORY is a size like 8G, from 64M up to the %llu bytes of %s, not %s",
			    (unsigned long long)d->model->memory_bytes, d->model->name, getenv("PTXSIM_MEMORY"));
		return CU_INVALID_VALUE;
	}
	d->free_bytes = d->memory_bytes - min_u64(taken, d->memory_bytes / 2);
	return CU_OK;
}

/* A device of the model that `name` names, with an empty heap as large as its memory. */
static int open_device(const char *name)
{
	const struct device *model = device_find(name);
	struct cu_device *d = &driver.devices[driver.device_count];

	if (!model) {
		fprintf(stderr, "ptxsim: PTXSIM_DEVICES: there is no device '%s'; known are", name);
		for (size_t k = 0; device_row(k); k++)
			fprintf(stderr, "%s %s", k ? "," : "", device_row(k)->name);
		fputc('\n', stderr);
		return CU_INVALID_DEVICE;
	}
	d->model = model;
	const int refused = set_memory(d);
	if (refused)
		return refused;
	if (!heap_open(&d->heap, d->memory_bytes))
		return CU_OUT_OF_MEMORY;
	driver.device_count++;
	return CU_OK;
}

/* 100 is CUDA_ERROR_NO_DEVICE. */
static int open_devices(void)
{
	const char *list = getenv("PTXSIM_DEVICES");
	char names[512], *rest = names, *name;

	snprintf(names, sizeof names, "%s", list && *list ? list : "h200");
	while ((name = strsep(&rest, ", "))) {
		if (!*name)
			continue;
		const int result = driver.device_count < DEVICES_MOST ? open_device(name) : CU_INVALID_DEVICE;
		if (result)
			return result;
	}
	return driver.device_count ? CU_OK : 100;
}

/* Any device's: one address space holds them all. */
static bool has_page(u64 address)
{
	for (u32 d = 0; d < (u32)driver.device_count; d++)
		if (heap_has_page(&driver.devices[d].heap, address))
			return true;
	return false;
}

/* PTXSIM_BOUNDS: where accesses must end. False: neither of the two. */
static bool read_bounds(void)
{
	const char *bounds = getenv("PTXSIM_BOUNDS");

	if (bounds && *bounds && strcmp(bounds, "page") && strcmp(bounds, "object")) {
		driver_tell("PTXSIM_BOUNDS is page or object, not %s", bounds);
		return false;
	}
	if (!watch_checks() && (!bounds || strcmp(bounds, "object"))) {
		driver.machine->memory.has_page = has_page;
		driver.machine->memory.whole_bytes = heap_whole;
	}
	return true;
}

/* Opened to append, since several processes of a program may write to it. NULL: not asked for, or it cannot be
 * written. */
static FILE *open_file(const char *variable)
{
	const char *path = getenv(variable);
	FILE *f = path && *path ? fopen(path, "ae") : NULL;

	if (path && *path && !f)
		fprintf(stderr, "ptxsim: %s: cannot write %s\n", variable, path);
	return f;
}

static char *trimmed(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	return text + strspn(text, " \t");
}

/* A line `name = value` becomes PTXSIM_NAME, unless that is set already. False: it is no such line. */
static bool take_setting(char *line)
{
	static const char *const names[] = {"devices",      "trace",  "execute", "findings", "check", "report",
					    "report_file",  "kernel", "launch",  "progress", "sarif", "suppress",
					    "max_findings", "code",   "bounds",  "memory"};
	char *equals = strchr(line, '='), variable[32] = "PTXSIM_";

	if (!equals)
		return false;
	*equals = 0;
	const char *name = trimmed(line), *value = trimmed(equals + 1);
	for (size_t k = 0; k < COUNT_OF(names); k++) {
		if (strcmp(name, names[k]))
			continue;
		for (size_t c = 0; name[c]; c++)
			variable[7 + c] = (char)(name[c] >= 'a' ? name[c] - 'a' + 'A' : name[c]);
		return setenv(variable, value, 0) == 0;
	}
	return false;
}

static bool read_settings(void)
{
	const char *path = getenv("PTXSIM_CONFIG");
	FILE *f = path && *path ? fopen(path, "re") : NULL;
	char line[1024];
	bool ok = true;

	if (!path || !*path)
		return true;
	for (u32 number = 1; f && ok && fgets(line, sizeof line, f); number++) {
		char *text = trimmed(line);
		ok = !*text || *text == '#' || take_setting(text);
		if (!ok)
			fprintf(stderr, "ptxsim: %s:%u: this is not a setting\n", path, number);
	}
	if (f)
		fclose(f);
	else
		fprintf(stderr, "ptxsim: PTXSIM_CONFIG: cannot read %s\n", path);
	return f && ok;
}

/* A variable that holds one of two words, or nothing, which means the usual one. False: it holds another. */
static bool read_choice(const char *variable, const char *usual, const char *other, bool *is_other)
{
	const char *word = getenv(variable);

	*is_other = word && !strcmp(word, other);
	if (!word || !*word || *is_other || !strcmp(word, usual))
		return true;
	driver_tell("%s is %s or %s, not %s", variable, usual, other, word);
	return false;
}

/* Who asks for native code in any case is told that there is none. */
static void tell_native(void)
{
	char why[256];

	if (driver.machine->native == NATIVE_ALWAYS && !native_is_possible(why, sizeof why))
		driver_tell("kernels are interpreted, though native code was asked for: %s", why);
}

int drv_cuInit(u32 flags)
{
	if (flags)
		return CU_INVALID_VALUE;
	if (driver.forked)
		return CU_NOT_INITIALIZED;
	if (driver.ready)
		return CU_OK;
	if (!read_settings())
		return CU_INVALID_VALUE;
	if (!read_choice("PTXSIM_EXECUTE", "yes", "no", &driver.answers_only) ||
	    !read_choice("PTXSIM_CODE", "ptx", "machine", &driver.prefers_code))
		return CU_INVALID_VALUE;
	driver.trace = open_file("PTXSIM_TRACE");
	driver.findings = open_file("PTXSIM_FINDINGS");
	if (!watch_open() || !debugging_open())
		return CU_INVALID_VALUE;
	driver.machine = ptxsim_context_create(NULL);
	if (!driver.machine)
		return CU_OUT_OF_MEMORY;
	if (!read_bounds())
		return CU_INVALID_VALUE;
	tell_native();
	const int result = open_devices();
	if (!result && pthread_atfork(NULL, NULL, driver_forget))
		return CU_OUT_OF_MEMORY;
	driver.ready = result == CU_OK;
	return result;
}

int drv_cuDriverGetVersion(int *driver_version)
{
	if (!driver_version)
		return CU_INVALID_VALUE;
	*driver_version = DRIVER_VERSION;
	return CU_OK;
}

int drv_cuGetErrorName(int error, const char **p_str)
{
	if (!p_str)
		return CU_INVALID_VALUE;
	*p_str = cuda_error_name(error);
	return *p_str ? CU_OK : CU_INVALID_VALUE;
}

int drv_cuGetErrorString(int error, const char **p_str)
{
	if (!p_str)
		return CU_INVALID_VALUE;
	*p_str = cuda_error_name(error) ? cuda_error_text(error) : NULL;
	return *p_str ? CU_OK : CU_INVALID_VALUE;
}

/* The file that the bytes are loaded from; "": unknown. Asking takes a lock of the dynamic linker's, which may be held while
 * a library's beginning waits for the driver's. */
static const char *file_of(const void *bytes)
{
	Dl_info about = {0};

	driver_leave();
	const bool known = dladdr(bytes, &about) != 0;
	driver_return();
	return known && about.dli_fname ? about.dli_fname : "";
}

/* The program, or a library of its, that has CUDA's runtime linked statically: where the table's number lies says which.
 * Those of run-time compilation go on without what they ask for. */
int drv_cuGetExportTable(const void **pp_export_table, const struct cu_uuid *p_export_table_id)
{
	const char *path = file_of(p_export_table_id), *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (pp_export_table)
		*pp_export_table = NULL;
	if (strncmp(name, "libnvrtc", 8) && strncmp(name, "libnvJitLink", 12))
		driver_tell("CUDA's runtime, linked statically into %s, asks for NVIDIA's own driver; if CUDA calls "
			    "fail, build what is linked so with 'nvcc -cudart shared' (CMake: CUDA_RUNTIME_LIBRARY "
			    "Shared)",
			    *name ? name : "this program or one of its libraries");
	return 35;
}

int drv_cuProfilerInitialize(const char *config_file, const char *output_file, int output_mode)
{
	(void)config_file;
	(void)output_file;
	(void)output_mode;
	return CU_OK;
}
int drv_cuProfilerStart(void)
{
	watch_profile(true);
	return CU_OK;
}
int drv_cuProfilerStop(void)
{
	watch_profile(false);
	return CU_OK;
}

/* --- Devices ------------------------------------------------------------------------------------ */

static const struct device *model_of(int dev)
{
	return dev >= 0 && dev < driver.device_count ? driver.devices[dev].model : NULL;
}

int drv_cuDeviceGetCount(int *count)
{
	if (!count)
		return CU_INVALID_VALUE;
	*count = driver.device_count;
	return CU_OK;
}

int drv_cuDeviceGet(int *device, int ordinal)
{
	if (!device)
		return CU_INVALID_VALUE;
	if (!model_of(ordinal))
		return CU_INVALID_DEVICE;
	*device = ordinal;
	return CU_OK;
}

int drv_cuDeviceGetName(char *name, int len, int dev)
{
	if (!name || len < 1)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	snprintf(name, (size_t)len, "%s", model_of(dev)->title);
	return CU_OK;
}

int drv_cuDeviceTotalMem_v2(size_t *bytes, int dev)
{
	if (!bytes)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	*bytes = driver.devices[dev].memory_bytes;
	return CU_OK;
}

/* The same for each device in each process, and no card's. */
int drv_cuDeviceGetUuid_v2(struct cu_uuid *uuid, int dev)
{
	if (!uuid)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	memset(uuid, 0, sizeof *uuid);
	memcpy(uuid->bytes, "ptxsim", 6);
	uuid->bytes[8] = (u8)device_arch(model_of(dev))->cc;
	uuid->bytes[15] = (u8)(dev + 1);
	return CU_OK;
}
int drv_cuDeviceGetUuid(struct cu_uuid *uuid, int dev) { return drv_cuDeviceGetUuid_v2(uuid, dev); }

int drv_cuDeviceGetLuid(char *luid, u32 *device_node_mask, int dev)
{
	(void)luid;
	(void)device_node_mask;
	return model_of(dev) ? CU_NOT_SUPPORTED : CU_INVALID_DEVICE;
}

enum { BUS_FIRST = 6 };

int drv_cuDeviceGetPCIBusId(char *pci_bus_id, int len, int dev)
{
	if (!pci_bus_id || len < 1)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	snprintf(pci_bus_id, (size_t)len, "0000:00:%02x.0", BUS_FIRST + dev);
	return CU_OK;
}

int drv_cuDeviceGetByPCIBusId(int *dev, const char *pci_bus_id)
{
	unsigned domain = 0, bus = 0, place = 0, function = 0;

	if (!dev || !pci_bus_id)
		return CU_INVALID_VALUE;
	if (sscanf(pci_bus_id, "%x:%x:%x.%x", &domain, &bus, &place, &function) < 3) {
		domain = 0;
		if (sscanf(pci_bus_id, "%x:%x.%x", &bus, &place, &function) < 2)
			return CU_INVALID_VALUE;
	}
	if (domain || bus || function || place < BUS_FIRST || !model_of((int)place - BUS_FIRST))
		return CU_INVALID_DEVICE;
	*dev = (int)place - BUS_FIRST;
	return CU_OK;
}

int drv_cuDeviceComputeCapability(int *major, int *minor, int dev)
{
	if (!major || !minor)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	*major = device_arch(model_of(dev))->cc / 10;
	*minor = device_arch(model_of(dev))->cc % 10;
	return CU_OK;
}

int drv_cuDeviceGetAttribute(int *pi, int attrib, int dev)
{
	enum { PCI_DEVICE = 34 };
	s32 value;

	if (!pi)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	if (!device_attribute(model_of(dev), attrib, &value))
		return CU_INVALID_VALUE;
	*pi = attrib == PCI_DEVICE ? BUS_FIRST + dev : value;
	return CU_OK;
}

int drv_cuDeviceGetProperties(struct cu_device_properties *prop, int dev)
{
	if (!prop)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	int *const to[] = {&prop->max_threads,
			   &prop->max_threads_dim[0],
			   &prop->max_threads_dim[1],
			   &prop->max_threads_dim[2],
			   &prop->max_grid[0],
			   &prop->max_grid[1],
			   &prop->max_grid[2],
			   &prop->shared_block,
			   &prop->constant,
			   &prop->warp,
			   &prop->pitch,
			   &prop->registers,
			   &prop->clock,
			   &prop->texture_align};
	for (int k = 0; k < (int)COUNT_OF(to); k++)
		device_attribute(model_of(dev), k + 1, to[k]);
	return CU_OK;
}

int drv_cuDeviceCanAccessPeer(int *can_access_peer, int dev, int peer_dev)
{
	if (!can_access_peer)
		return CU_INVALID_VALUE;
	if (!model_of(dev) || !model_of(peer_dev))
		return CU_INVALID_DEVICE;
	*can_access_peer = dev != peer_dev;
	return CU_OK;
}

int drv_cuDeviceGetP2PAttribute(int *value, int attrib, int src_device, int dst_device)
{
	if (!value || attrib < 1 || attrib > 5)
		return CU_INVALID_VALUE;
	if (!model_of(src_device) || !model_of(dst_device) || src_device == dst_device)
		return CU_INVALID_DEVICE;
	*value = attrib == 1 ? 0 : attrib == 5 ? 0 : 1;
	return CU_OK;
}

/* CUatomicOperation, from adding to the greatest float. */
enum { ATOMIC_OPERATIONS = 13 };

/* What kernels can do at a peer's memory, as CUatomicOperationCapability: signed 1, unsigned 2, without a result 4; of 32
 * bits 8, 64 bits 16, 128 bits 32, four floats at a time 64. */
static const u32 peer_atomics[ATOMIC_OPERATIONS] = {1 | 2 | 4 | 8 | 16,
						    1 | 2 | 4 | 8 | 16,
						    1 | 2 | 4 | 8 | 16,
						    2 | 4 | 8,
						    2 | 4 | 8,
						    2 | 4 | 8 | 16,
						    2 | 4 | 8 | 16,
						    2 | 4 | 8 | 16,
						    2 | 8 | 16 | 32,
						    2 | 8 | 16 | 32,
						    1 | 4 | 8 | 16 | 64,
						    0,
						    0};

static bool are_operations(const int *operations, u32 count)
{
	for (u32 k = 0; k < count; k++)
		if (operations[k] < 0 || operations[k] >= ATOMIC_OPERATIONS)
			return false;
	return count != 0;
}

/* The link to the host has none of its own (CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED is 0). */
int drv_cuDeviceGetHostAtomicCapabilities(u32 *capabilities, const int *operations, u32 count, int dev)
{
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	if (!capabilities || !operations || !are_operations(operations, count))
		return CU_INVALID_VALUE;
	memset(capabilities, 0, count * sizeof *capabilities);
	return CU_OK;
}

int drv_cuDeviceGetP2PAtomicCapabilities(u32 *capabilities, const int *operations, u32 count, int src_device,
					 int dst_device)
{
	if (!model_of(src_device) || !model_of(dst_device) || src_device == dst_device)
		return CU_INVALID_DEVICE;
	if (!capabilities || !operations || !are_operations(operations, count))
		return CU_INVALID_VALUE;
	for (u32 k = 0; k < count; k++)
		capabilities[k] = peer_atomics[operations[k]];
	return CU_OK;
}

int drv_cuDeviceGetTexture1DLinearMaxWidth(size_t *max_width_in_elements, int format, int num_channels, int dev)
{
	(void)format;
	(void)num_channels;
	if (!max_width_in_elements)
		return CU_INVALID_VALUE;
	if (!model_of(dev))
		return CU_INVALID_DEVICE;
	*max_width_in_elements = (size_t)1 << 28;
	return CU_OK;
}

int drv_cuDeviceGetExecAffinitySupport(int *pi, int type, int dev)
{
	(void)type;
	if (!pi)
		return CU_INVALID_VALUE;
	*pi = 0;
	return model_of(dev) ? CU_OK : CU_INVALID_DEVICE;
}
