// SPDX-License-Identifier: Apache-2.0
// nvcc -arch=sm_90 -cubin: a loop that nothing ends.
__global__ void loop(volatile int*o){while(*o==0);}
