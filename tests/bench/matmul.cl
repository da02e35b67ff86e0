#pragma OPENCL FP_CONTRACT OFF
#define T 16
__kernel __attribute__((reqd_work_group_size(T, T, 1)))
void matmul(__global const float *A, __global const float *B, __global float *C, uint n)
{
    __local float As[T][T], Bs[T][T];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint row = get_group_id(1) * T + ty, col = get_group_id(0) * T + tx;
    float acc = 0.0f;
    for (uint k0 = 0; k0 < n; k0 += T) {
        As[ty][tx] = A[row * n + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint k = 0; k < T; k++) acc = fma(As[ty][k], Bs[k][tx], acc);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = acc;
}
