#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void hist(__global const uint *in, __global uint *bins, uint nwords)
{
    __local uint h[256];
    uint t = get_local_id(0);
    h[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint stride = get_global_size(0);
    for (uint i = get_global_id(0); i < nwords; i += stride) {
        uint v = in[i];
        atomic_add(&h[v & 255], 1u);
        atomic_add(&h[(v >> 8) & 255], 1u);
        atomic_add(&h[(v >> 16) & 255], 1u);
        atomic_add(&h[v >> 24], 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], h[t]);
}
