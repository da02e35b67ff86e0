extern "C" __global__ void k(const int *in, int *out) {
  int i = threadIdx.x, v = in[i], r = 0;
  for (int n = 0; n < 4; n++) {
  switch ((v + n) % 11) { case 0: r += v * 3; break; case 1: r ^= v << 3; break; case 2: r -= 77; break; case 3: r *= 5; break; case 4: r = __popc(r); break;
   case 5: r += __clz(v + 1); break; case 6: r = r * r + 1; break; case 7: r |= v; break; case 8: r &= ~v; break; case 9: r += __brev(v); break; default: r = -r; } }
  out[i] = r;
}
