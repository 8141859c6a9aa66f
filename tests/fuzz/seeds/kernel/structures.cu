struct __align__(8) P { int a; short b[2]; };
typedef struct { P p[2]; float3 v; char c; } Q;
static_assert(sizeof(P) == 8, "P");
template <typename T, int N> __device__ T pick(T (&s)[N], int i) { return s[i]; }
__device__ P make(P p, const P &q) { p.a += q.a; if (p.a > 3) return {p.a}; return P{q.a, {1, 2}}; }
__global__ void k(const Q *in, Q *out, int *n) {
  __shared__ P s[32];
  __shared__ Q t[32];
  int x = threadIdx.x;
  t[x] = in[x];
  s[x] = x & 1 ? t[x].p[0] : make(t[x].p[1], s[x]);
  P *p = &s[x], list[2] = {{1, 2}, *p};
  p->b[1]++;
  auto q = pick(list, x & 1);
  out[x] = t[(q.a, x)];
  n[x] = q.b[0] + in->v.x;
}
