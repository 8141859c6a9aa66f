// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures and surfaces of the process.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/inject/payload.h"
#include "sim/texture/descriptor.h"

// Adds how many there are, with @n that a launch has besides, and each of them (RUN_LAUNCH).
void textures_add(SmbPayload *payload, const SmbTexture *besides, size_t n);

// Describes what a reference is bound to, as far as a device lets it be: read as @texel, or a surface (NULL). False: as if it were not bound.
bool textures_describe(const cudaResourceDesc *resource, const cudaChannelFormatDesc *texel,
                       const cudaTextureDesc *how, SmbTexture *texture);

// Whether linear memory of elements of so many bytes can be a texture; rows can.
bool textures_fit_linear(size_t bytes, size_t element);
bool textures_fit_pitched(size_t width, size_t height, size_t pitch);

// There is none any more.
void textures_reset(void);
