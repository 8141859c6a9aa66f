const int Q = 3 * sizeof(double) / sizeof(int);
static __device__ __forceinline__ unsigned long long mix(unsigned long long a, char b) { return a * 31ull + b; }
__global__ void k(double *d, unsigned char *b, long long *l, bool flag) {
  volatile __shared__ double s[2][3][Q];
  __shared__ short h[64]; __shared__ unsigned u[64];
  int t = threadIdx.x;
  s[t % 2][t % 3][0] = -d[t] / 2.5e-1 + .5f;
  h[t] = (short)(t * 4097);
  u[t] = 07u + 0xFFu - 'a' + '\n' + 0b11;
  unsigned char c = b[t] + 250;
  long long w = (l[t] << 33) >> 5;
  w = flag ? w / -7 : w % 9;
  l[t] = mix(w, c) == 5 || !(c & 1) && t < 9 ? min(h[t], t) : max(u[t], 3u);
  d[t] = fmaf(1.0f, h[t], fabsf((float)c)) + sqrt(s[t % 2][t % 3][0]) + (double)__popc(u[t]);
  unsigned old = atomicCAS(&u[0], 0u, 1u);
  atomicExch(u + t, old);
  int *p = 0, *q = nullptr;
  if (p == q && p != (int *)h) b[t] = (unsigned char)((char *)&h[t] - (char *)h), t++, --t;
}
