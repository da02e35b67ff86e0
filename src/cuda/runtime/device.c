/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices, implicit contexts, errors.
 *
 * A thread that calls anything of the runtime gets the primary context of its device (0 unless cudaSetDevice says
 * otherwise). The driver keeps which context is current; here is only which device the thread has chosen, its last
 * error, and whether the context that it holds is older than the latest cudaDeviceReset.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/errors.h"
#include "cuda/runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

__thread struct rt_thread rt_self;

static bool started;
static int known_devices; /* when it started */
static u64 reset_of[64];  /* times that a device was reset, for threads that still hold its context */
static __thread u64 seen_reset[64];

/* Keeps the error for cudaGetLastError; work that is not ready is none. */
int rt_end(int result)
{
	if (result && result != CU_NOT_READY)
		rt_self.error = result;
	return result;
}

/* The primary context of the thread's device, unless the program has made another current. */
int rt_begin(void)
{
	struct cu_context *c = NULL;

	if (!started) {
		const int result = cuInit(0);
		if (result)
			return result;
		cuDeviceGetCount(&known_devices);
		started = true;
	}
	const int d = rt_self.device & 63;
	if (!cuCtxGetCurrent(&c) && c && seen_reset[d] == reset_of[d])
		return RT_OK;
	const int result = cuDevicePrimaryCtxRetain(&c, rt_self.device);
	if (result)
		return result >= CU_ILLEGAL_ADDRESS ? RT_UNAVAILABLE : result;
	seen_reset[d] = reset_of[d];
	return cuCtxSetCurrent(c);
}

/* Makes the device's primary context current, for this thread. */
int rt_cudaSetDevice(int device)
{
	int count;
	struct cu_context *c;

	cuDeviceGetCount(&count);
	if (device < 0 || device >= count)
		return RT_INVALID_DEVICE;
	rt_self.device = device;
	const int result = cuDevicePrimaryCtxRetain(&c, device);
	if (result)
		return result;
	seen_reset[device & 63] = reset_of[device & 63];
	return cuCtxSetCurrent(c);
}

int rt_cudaInitDevice(int device, u32 device_flags, u32 flags)
{
	(void)device_flags;
	return flags & ~1u ? RT_INVALID_VALUE : rt_cudaSetDevice(device);
}

int rt_cudaGetDevice(int *device)
{
	if (!device)
		return RT_INVALID_VALUE;
	return cuCtxGetDevice(device);
}

/* A forked process has no device, and still knows how many there were, as on an H200. */
int rt_cudaGetDeviceCount(int *count)
{
	if (!count)
		return RT_INVALID_VALUE;
	const int result = rt_begin();
	if (result && (result != CU_NOT_INITIALIZED || !known_devices))
		return result;
	*count = known_devices;
	return RT_OK;
}
int rt_cudaSetValidDevices(int *device_arr, int len) { return device_arr || !len ? RT_OK : RT_INVALID_VALUE; }

/* The first one fits whatever is asked for. */
int rt_cudaChooseDevice(int *device, const void *prop)
{
	if (!device || !prop)
		return RT_INVALID_VALUE;
	*device = 0;
	return RT_OK;
}

/* Each thread takes the new context at its next call, when it sees that the count has grown. */
/* Succeeds where the device is lost, too, as on an H200. */
int rt_cudaDeviceReset(void)
{
	const int refused = rt_begin(), result = cuDevicePrimaryCtxReset_v2(rt_self.device);

	reset_of[rt_self.device & 63]++;
	return refused == RT_UNAVAILABLE ? RT_OK : result;
}

int rt_cudaSetDeviceFlags(u32 flags) { return cuDevicePrimaryCtxSetFlags_v2(rt_self.device, flags); }
int rt_cudaGetDeviceFlags(u32 *flags) { return flags ? cuCtxGetFlags(flags) : RT_INVALID_VALUE; }

int rt_cudaDeviceGetAttribute(int *value, int attr, int device) { return cuDeviceGetAttribute(value, attr, device); }

int rt_cudaDriverGetVersion(int *driver_version) { return cuDriverGetVersion(driver_version); }
int rt_cudaRuntimeGetVersion(int *runtime_version)
{
	if (!runtime_version)
		return RT_INVALID_VALUE;
	*runtime_version = CUDART_MAJOR == 12 ? 12090 : 13000;
	return RT_OK;
}

/* The primary context of another device, which the driver's calls for peers want. */
static int peer(int device, struct cu_context **c)
{
	int count;

	cuDeviceGetCount(&count);
	return device < 0 || device >= count ? RT_INVALID_DEVICE : cuDevicePrimaryCtxRetain(c, device);
}

int rt_cudaDeviceEnablePeerAccess(int peer_device, u32 flags)
{
	struct cu_context *c;
	const int result = peer(peer_device, &c);

	return result ? result : cuCtxEnablePeerAccess(c, flags);
}

int rt_cudaDeviceDisablePeerAccess(int peer_device)
{
	struct cu_context *c;
	const int result = peer(peer_device, &c);

	return result ? result : cuCtxDisablePeerAccess(c);
}

/* --- Properties ---------------------------------------------------------------------------------------- */

/* The fields behind the name, UUID and LUID, in order: `i` an int, `z` a size; the attribute that gives the value, 0 none;
 * `of`: the versions of the runtime whose struct has it (0: all). */
struct property {
	char type;
	u8 attribute, of;
};
enum { TOTAL = 255 };
static const struct property properties[] = {
	{'z', TOTAL, 0}, {'z', 8, 0},    {'i', 12, 0},   {'i', 10, 0},   {'z', 11, 0},   {'i', 1, 0},    {'i', 2, 0},
	{'i', 3, 0},     {'i', 4, 0},    {'i', 5, 0},    {'i', 6, 0},    {'i', 7, 0},    {'i', 13, 12},  {'z', 9, 0},
	{'i', 75, 0},    {'i', 76, 0},   {'z', 14, 0},   {'z', 51, 0},   {'i', 15, 12},  {'i', 16, 0},   {'i', 17, 12},
	{'i', 18, 0},    {'i', 19, 0},   {'i', 20, 12},  {'i', 21, 0},   {'i', 77, 0},   {'i', 69, 12},  {'i', 22, 0},
	{'i', 23, 0},    {'i', 73, 0},   {'i', 74, 0},   {'i', 70, 0},   {'i', 71, 0},   {'i', 72, 0},   {'i', 45, 0},
	{'i', 46, 0},    {'i', 24, 0},   {'i', 25, 0},   {'i', 26, 0},   {'i', 47, 0},   {'i', 48, 0},   {'i', 49, 0},
	{'i', 52, 0},    {'i', 42, 0},   {'i', 43, 0},   {'i', 27, 0},   {'i', 28, 0},   {'i', 29, 0},   {'i', 53, 0},
	{'i', 54, 0},    {'i', 55, 0},   {'i', 56, 0},   {'i', 57, 0},   {'i', 58, 0},   {'i', 59, 0},   {'i', 60, 0},
	{'i', 61, 0},    {'i', 62, 0},   {'i', 63, 0},   {'i', 64, 0},   {'i', 65, 0},   {'i', 66, 0},   {'i', 67, 0},
	{'i', 68, 0},    {'z', 30, 0},   {'i', 31, 0},   {'i', 32, 0},   {'i', 33, 0},   {'i', 34, 0},   {'i', 50, 0},
	{'i', 35, 0},    {'i', 40, 0},   {'i', 41, 0},   {'i', 36, 12},  {'i', 37, 0},   {'i', 38, 0},   {'i', 108, 0},
	{'i', 39, 0},    {'i', 78, 0},   {'i', 79, 0},   {'i', 80, 0},   {'z', 81, 0},   {'i', 82, 0},   {'i', 83, 0},
	{'i', 84, 0},    {'i', 85, 0},   {'i', 86, 0},   {'i', 87, 12},  {'i', 88, 0},   {'i', 89, 0},   {'i', 90, 0},
	{'i', 91, 0},    {'i', 95, 0},   {'i', 96, 12},  {'z', 97, 0},   {'i', 100, 0},  {'i', 101, 0},  {'i', 106, 0},
	{'i', 109, 0},   {'z', 111, 0},  {'i', 99, 0},   {'i', 112, 0},  {'i', 113, 0},  {'i', 114, 0},  {'i', 115, 0},
	{'i', 116, 0},   {'i', 117, 0},  {'i', 118, 0},  {'i', 119, 0},  {'i', 121, 0},  {'i', 122, 0},  {'i', 120, 0},
	{'i', 129, 0},   {'i', 130, 13}, {'i', 131, 13}, {'i', 133, 13}, {'i', 134, 13}, {'i', 139, 13}, {'i', 140, 13},
	{'i', 143, 13},
};

/* Writes the struct of this version of the runtime, field after field, each aligned to its own size; what no property
 * fills stays 0, and so does the LUID, which only Windows has. */
int rt_cudaGetDeviceProperties(void *prop, int device)
{
	enum { NAME = 256, UUID = 16, LUID = 12 };
	enum { BYTES = CUDART_MAJOR == 12 ? 1032 : 1008 };
	u8 *to = prop;
	size_t at = NAME + UUID + LUID, total;
	char name[NAME];

	if (!prop)
		return RT_INVALID_VALUE;
	const int result = cuDeviceGetName(name, NAME, device);
	if (result)
		return result;
	memset(to, 0, BYTES);
	strcpy((char *)to, name);
	cuDeviceGetUuid_v2((struct cu_uuid *)(void *)(to + NAME), device);
	cuDeviceTotalMem_v2(&total, device);
	for (size_t k = 0; k < COUNT_OF(properties); k++) {
		const struct property *p = &properties[k];
		int value = 0;
		if (p->of && p->of != CUDART_MAJOR)
			continue;
		if (p->attribute != TOTAL)
			cuDeviceGetAttribute(&value, p->attribute, device);
		const size_t size = p->type == 'z' ? 8 : 4;
		const u64 wide = p->attribute == TOTAL ? total : (u64)(u32)value;
		at = (at + size - 1) & ~(size - 1);
		memcpy(to + at, &wide, size);
		at += size;
	}
	return RT_OK;
}

/* --- Errors -------------------------------------------------------------------------------------------- */

EXPORT int cudaGetLastError(void);
int cudaGetLastError(void)
{
	const int error = rt_self.error;

	rt_self.error = RT_OK;
	return error;
}

EXPORT int cudaPeekAtLastError(void);
int cudaPeekAtLastError(void) { return rt_self.error; }

EXPORT const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error)
{
	const char *name = cuda_runtime_error_name(error);

	return name ? name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error)
{
	const char *text = cuda_error_text(error);

	return text ? text : "unrecognized error code";
}

EXPORT struct rt_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
struct rt_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
	return (struct rt_channels){x, y, z, w, kind};
}

/* --- The driver's entry points --------------------------------------------------------------------------- */

int rt_cudaGetDriverEntryPointByVersion(const char *symbol, void **func_ptr, u32 cuda_version, u64 flags,
					int *driver_status)
{
	int status = 0;
	const int result = cuGetProcAddress_v2(symbol, func_ptr, (int)cuda_version, flags, &status);

	if (driver_status)
		*driver_status = status;
	return result;
}

int rt_cudaGetDriverEntryPoint(const char *symbol, void **func_ptr, u64 flags, int *driver_status)
{
	return rt_cudaGetDriverEntryPointByVersion(symbol, func_ptr, CUDART_MAJOR == 12 ? 12090 : 13000, flags,
						   driver_status);
}
