// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// wmma of numbers of 4 bits and of 1 bit: products compared with the host, and the same counts in PTX as in machine code.
#include <cstdint>
#include <mma.h>

#include "../check.h"

using namespace nvcuda;
__global__ void b1(const unsigned*a,const unsigned*b,int*d){__shared__ __align__(128) unsigned s[64],t[64];__shared__ __align__(128) int o[64];for(int i=threadIdx.x;i<64;i+=32){s[i]=a[i];t[i]=b[i];}__syncwarp();
 using namespace wmma::experimental; wmma::fragment<wmma::matrix_a,8,8,128,precision::b1,wmma::row_major> fa;wmma::fragment<wmma::matrix_b,8,8,128,precision::b1,wmma::col_major> fb;wmma::fragment<wmma::accumulator,8,8,128,int> fc;wmma::fill_fragment(fc,0);wmma::load_matrix_sync(fa,s,256);wmma::load_matrix_sync(fb,t,256);wmma::bmma_sync(fc,fa,fb,fc,bmmaBitOpAND);wmma::store_matrix_sync(o,fc,8,wmma::mem_row_major);__syncwarp();for(int i=threadIdx.x;i<64;i+=32)d[i]=o[i];}
__global__ void s4(const unsigned*a,const unsigned*b,int*d){__shared__ __align__(128) unsigned s[64],t[64];__shared__ __align__(128) int o[64];for(int i=threadIdx.x;i<64;i+=32){s[i]=a[i];t[i]=b[i];}__syncwarp();
 using namespace wmma::experimental; wmma::fragment<wmma::matrix_a,8,8,32,precision::s4,wmma::row_major> fa;wmma::fragment<wmma::matrix_b,8,8,32,precision::s4,wmma::col_major> fb;wmma::fragment<wmma::accumulator,8,8,32,int> fc;wmma::fill_fragment(fc,0);wmma::load_matrix_sync(fa,s,64);wmma::load_matrix_sync(fb,t,64);wmma::mma_sync(fc,fa,fb,fc);wmma::store_matrix_sync(o,fc,8,wmma::mem_row_major);__syncwarp();for(int i=threadIdx.x;i<64;i+=32)d[i]=o[i];}
int main(){unsigned*a,*b;int*d;cudaMallocManaged(&a,256);cudaMallocManaged(&b,256);cudaMallocManaged(&d,256);for(int i=0;i<64;i++){a[i]=rand()*65599u^rand();b[i]=rand()*65599u^rand();}
b1<<<1,32>>>(a,b,d);CHECK(cudaDeviceSynchronize());for(int i=0;i<8;i++)for(int j=0;j<8;j++){int s=0;for(int w=0;w<4;w++)s+=__builtin_popcount(a[i*8+w]&b[j*8+w]);EXPECT(d[i*8+j]==s);}
s4<<<1,32>>>(a,b,d);CHECK(cudaDeviceSynchronize());for(int i=0;i<8;i++)for(int j=0;j<8;j++){int s=0;for(int k=0;k<32;k++){int x=(int)(a[i*8+k/8]<<(28-k%8*4))>>28,y=(int)(b[j*8+k/8]<<(28-k%8*4))>>28;s+=x*y;}EXPECT(d[i*8+j]==s);}
return finish("kernel-fragments");}
