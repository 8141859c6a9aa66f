// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How 128 of n bodies, in four arrays of n numbers (x, y, z and the mass), attract each other; n is a multiple of 128.
__global__ void nbody(double *out, const double *bodies, int n) {
  __shared__ double x[128], y[128], z[128], mass[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  double own_x = bodies[i], own_y = bodies[n + i], own_z = bodies[2 * n + i], sum = 0;
  for (int first = 0; first < n; first += 128) {
    x[t] = bodies[first + t];
    y[t] = bodies[n + first + t];
    z[t] = bodies[2 * n + first + t];
    mass[t] = bodies[3 * n + first + t];
    __syncthreads();
    for (int j = 0; j < 128; j++) {
      double dx = x[j] - own_x, dy = y[j] - own_y, dz = z[j] - own_z;
      double distance = dx * dx + dy * dy + dz * dz + 0.001;
      sum += mass[j] * rsqrt(distance) / distance;
    }
    __syncthreads();
  }
  out[i] = sum;
}
