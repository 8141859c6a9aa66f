#define A B + B
#define B A + A
#define C D * D
#define D 99999999999
#define E (((((
#define F 1 / 0
__global__ void k(int a, int b, int c, int d, int e, int f, int g) {}
void f() { k<<<dim3(1, 2, 3, 4), 0>>>(A, C, E, F, -1, 0x10, 5u); k<<<; k<< <1; >>>( <<<
