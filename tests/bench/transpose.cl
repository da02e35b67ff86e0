#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void transpose(__global const float *in, __global float *out, uint n)
{
    __local float t[32][33];
    uint lx = get_local_id(0), ly = get_local_id(1);
    uint x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
#pragma unroll
    for (uint j = 0; j < 32; j += 8) t[ly + j][lx] = in[(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + lx; y = get_group_id(0) * 32 + ly;
#pragma unroll
    for (uint j = 0; j < 32; j += 8) out[(y + j) * n + x] = t[lx][ly + j];
}
