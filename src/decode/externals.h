/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that a GPU program declares and the system supplies: those of every program, and the device runtime's, by
 * which kernels launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"; cuda_device_runtime_api.h of CUDA
 * 13, whose names for this generation begin with __cudaCDP2). src/sem/external.c and device_runtime.c carry them out.
 */
#ifndef PTXSIM_DECODE_EXTERNALS_H
#define PTXSIM_DECODE_EXTERNALS_H

#define EXTERNALS(X) X(vprintf) X(malloc) X(free) X(__assertfail) DEVICE_RUNTIME(X)

#define DEVICE_RUNTIME(X)                                               \
	X(__cudaCDP2GetParameterBuffer)                                 \
	X(__cudaCDP2GetParameterBufferV2)                               \
	X(__cudaCDP2LaunchDevice)                                       \
	X(__cudaCDP2LaunchDevice_ptsz)                                  \
	X(__cudaCDP2LaunchDeviceV2)                                     \
	X(__cudaCDP2LaunchDeviceV2_ptsz)                                \
	X(__cudaCDP2StreamCreateWithFlags)                              \
	X(__cudaCDP2StreamDestroy)                                      \
	X(__cudaCDP2StreamWaitEvent)                                    \
	X(__cudaCDP2StreamWaitEvent_ptsz)                               \
	X(__cudaCDP2EventCreateWithFlags)                               \
	X(__cudaCDP2EventRecord)                                        \
	X(__cudaCDP2EventRecord_ptsz)                                   \
	X(__cudaCDP2EventRecordWithFlags)                               \
	X(__cudaCDP2EventRecordWithFlags_ptsz)                          \
	X(__cudaCDP2EventDestroy)                                       \
	X(__cudaCDP2GetLastError)                                       \
	X(__cudaCDP2PeekAtLastError)                                    \
	X(__cudaCDP2GetErrorString)                                     \
	X(__cudaCDP2GetErrorName)                                       \
	X(__cudaCDP2GetDeviceCount)                                     \
	X(__cudaCDP2GetDevice)                                          \
	X(__cudaCDP2DeviceGetAttribute)                                 \
	X(__cudaCDP2DeviceGetLimit)                                     \
	X(__cudaCDP2DeviceGetCacheConfig)                               \
	X(__cudaCDP2DeviceGetSharedMemConfig)                           \
	X(__cudaCDP2FuncGetAttributes)                                  \
	X(__cudaCDP2Malloc)                                             \
	X(__cudaCDP2Free)                                               \
	X(__cudaCDP2MemcpyAsync)                                        \
	X(__cudaCDP2MemcpyAsync_ptsz)                                   \
	X(__cudaCDP2Memcpy2DAsync)                                      \
	X(__cudaCDP2Memcpy2DAsync_ptsz)                                 \
	X(__cudaCDP2Memcpy3DAsync)                                      \
	X(__cudaCDP2Memcpy3DAsync_ptsz)                                 \
	X(__cudaCDP2MemsetAsync)                                        \
	X(__cudaCDP2MemsetAsync_ptsz)                                   \
	X(__cudaCDP2Memset2DAsync)                                      \
	X(__cudaCDP2Memset2DAsync_ptsz)                                 \
	X(__cudaCDP2Memset3DAsync)                                      \
	X(__cudaCDP2Memset3DAsync_ptsz)                                 \
	X(__cudaCDP2RuntimeGetVersion)                                  \
	X(__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor)          \
	X(__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
	X(cudaGraphLaunch)                                              \
	X(cudaGetCurrentGraphExec)                                      \
	X(cudaGraphSetConditional)                                      \
	X(cudaGraphKernelNodeSetParam)                                  \
	X(cudaGraphKernelNodeSetEnabled)                                \
	X(cudaGraphKernelNodeSetGridDim)                                \
	X(cudaGraphKernelNodeUpdatesApply)

#endif
