#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# gpu/inject/abi.h says of the driver and of CUPTI what their own headers say: every constant has the same value, and every
# member lies at the same offset. Skipped where there are no headers of CUDA 13, or no C++ compiler, which they need.
set -eu

CXX=${CXX:-g++}
source=$(realpath "${srcdir:?}")
command -v "$CXX" >/dev/null || { echo "no C++ compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() {
  # shellcheck disable=SC2086 # CUDA_CPPFLAGS are words
  "$CXX" -std=c++17 -fsyntax-only -w -I "$source" ${CUDA_CPPFLAGS-} \
    -isystem "$(dirname "${NVCC:-no}")/../extras/CUPTI/include" -isystem "$(dirname "${NVCC:-no}")/../include" "$1"
}

cat >"$work/headers.cc" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <cuda.h>
#include <cupti.h>
#if CUDA_VERSION < 13000 || CUDA_VERSION >= 14000
#  error "another toolkit"
#endif
EOF
compile "$work/headers.cc" >"$work/log" 2>&1 || { echo "no headers to compare with: $(head -n 1 "$work/log")"; exit 77; }

# OURS THEIRS and then pairs of members, ours=theirs or of one name.
cat >"$work/structures" <<'EOF'
CuptiCallbackData CUpti_CallbackData callbackSite functionName functionParams functionReturnValue symbolName context contextUid correlationData correlationId
CuptiResourceData CUpti_ResourceData context stream=resourceHandle resourceDescriptor
CuptiModuleResourceData CUpti_ModuleResourceData moduleId cubinSize pCubin
CuptiGraphData CUpti_GraphData graph originalGraph node originalNode nodeType dependency graphExec
CuptiActivityKernel CUpti_ActivityKernel10 kind registersPerThread start end gridX blockX correlationId gridId name
CuptiActivityKernel CUpti_ActivityKernel9 kind start end gridX blockX correlationId name
CuGiveParams cuModuleLoad_params given=module
CuGiveParams cuModuleLoadData_params given=module
CuGiveParams cuModuleLoadDataEx_params given=module
CuGiveParams cuModuleLoadFatBinary_params given=module
CuGiveParams cuLibraryGetModule_params given=pMod
CuGiveParams cuKernelGetFunction_params given=pFunc
CuGetFunctionParams cuModuleGetFunction_params function=hfunc module=hmod name
CuGetFunctionParams cuLibraryGetKernel_params function=pKernel module=library name
CuLaunchKernelParams cuLaunchKernel_params f grid=gridDimX block=blockDimX sharedMemBytes hStream kernelParams extra
CuLaunchKernelParams cuLaunchCooperativeKernel_params f grid=gridDimX block=blockDimX sharedMemBytes hStream kernelParams
CuLaunchConfig CUlaunchConfig grid=gridDimX block=blockDimX sharedMemBytes hStream attrs numAttrs
CuLaunchAttribute CUlaunchAttribute id value
CuLaunchKernelExParams cuLaunchKernelEx_params config f kernelParams extra
CuGraphLaunchParams cuGraphLaunch_params hGraphExec=hGraph hStream
CuKernelNodeParams CUDA_KERNEL_NODE_PARAMS_v2 func grid=gridDimX block=blockDimX sharedMemBytes kernelParams extra kern ctx
EOF
{
  cat "$work/headers.cc"
  # What macros of the headers would change in ours.
  echo '#undef CU_LAUNCH_PARAM_END'
  echo '#undef CU_LAUNCH_PARAM_BUFFER_POINTER'
  echo '#undef CU_LAUNCH_PARAM_BUFFER_SIZE'
  echo 'namespace ours {'
  echo '#include "gpu/inject/abi.h"'
  echo '}'
  awk '/^  (CUPTI|CU)_[A-Za-z0-9_]* = [0-9]+,/ { print "static_assert(int(ours::" $1 ") == int(::" $1 "), \"\");" }' \
    "$source/gpu/inject/abi.h"
  awk '{ for (i = 3; i <= NF; i++) { n = split($i, m, "="); print "static_assert(offsetof(ours::" $1 ", " m[1] ") == offsetof(::" $2 ", " m[n] "), \"\");" } }' \
    "$work/structures"
  echo 'static_assert(sizeof(ours::CuLaunchAttribute) == sizeof(CUlaunchAttribute), "");'
  echo 'static_assert(sizeof(ours::CuKernelNodeParams) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2), "");'
} | sed 's/::CU_SUCCESS/::CUDA_SUCCESS/2' >"$work/abi.cc"
compile "$work/abi.cc" || exit 1
echo "$(grep -c '^static_assert' "$work/abi.cc") constants and members as in the toolkit"
