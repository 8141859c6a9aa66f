// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loading and launching through the driver, which is opened at run time: SmbCuda.load, unload, launch.
#pragma once

#include "gpu/cuda.h"

int smb_driver_load(GBytes *image, const char *symbol, gsize dynamic_bytes,
                    SmbCudaFunction **function);
void smb_driver_unload(SmbCudaFunction *function);
int smb_driver_launch(SmbCudaFunction *function, const SmbCudaLaunch *launch);
