#pragma OPENCL FP_CONTRACT OFF
__kernel void xorshift(__global uint *out, uint rounds, uint n)
{
    uint i = get_global_id(0);
    if (i >= n) return;
    uint x = i * 2654435761u + 1u, acc = 0u;
    for (uint r = 0; r < rounds; r++) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        acc = acc * 1664525u + x;
        acc ^= acc >> 16;
    }
    out[i] = acc;
}
