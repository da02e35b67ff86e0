#pragma OPENCL FP_CONTRACT OFF
__kernel void mandel(__global uint *out, uint w, uint maxit, float x0, float y0, float dx)
{
    uint px = get_global_id(0), py = get_global_id(1);
    float cx = x0 + dx * (float)px, cy = y0 + dx * (float)py;
    float x = 0.0f, y = 0.0f;
    uint it = 0;
    while (it < maxit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        it++;
    }
    out[py * w + px] = it;
}
