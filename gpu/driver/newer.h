// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUDA 13 changed of CUDA 12, for the driver's interface, which has all of both.
#pragma once

#if CUDART_MAJOR == 12
// One of two names: what CUDA 13 changed has the new form under another name in CUDA 12.
#  define IN_12_OR_13(in_12, in_13) in_12

// What the runtime of CUDA 12 does not have.
#  define cudaDeviceGetHostAtomicCapabilities newer_DeviceGetHostAtomicCapabilities
#  define cudaDeviceGetP2PAtomicCapabilities  newer_DeviceGetP2PAtomicCapabilities
#  define cudaLogsRegisterCallback            newer_LogsRegisterCallback
#  define cudaLogsUnregisterCallback          newer_LogsUnregisterCallback
#  define cudaLogsCurrent                     newer_LogsCurrent
#  define cudaLogsDumpToFile                  newer_LogsDumpToFile
#  define cudaLogsDumpToMemory                newer_LogsDumpToMemory
#  define cudaMemDiscardAndPrefetchBatchAsync newer_MemDiscardAndPrefetchBatchAsync
#  define cudaMemDiscardBatchAsync            newer_MemDiscardBatchAsync
#  define cudaMemGetDefaultMemPool            newer_MemGetDefaultMemPool
#  define cudaMemGetMemPool                   newer_MemGetMemPool
#  define cudaMemPrefetchBatchAsync           newer_MemPrefetchBatchAsync
#  define cudaMemSetMemPool                   newer_MemSetMemPool
#else
#  define IN_12_OR_13(in_12, in_13) in_13
#endif
