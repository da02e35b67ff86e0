/* A lookup at the level 0, known beforehand, beside one whose level is asked for, and one of whole coordinates. */
extern "C" __global__ void k(cudaTextureObject_t x, cudaTextureObject_t whole, float *o)
{
	const int t = threadIdx.x;

	o[t] = tex2DLod<float>(x, t * .013f, t * .007f, 0.f) + tex2DLod<float>(x, t * .03f, .3f, t * .1f) + tex2D<float>(whole, t & 7, t >> 3);
}
