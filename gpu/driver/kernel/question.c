// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The thread that has launched the kernel answers, while it waits for its end: nothing here may ask the command.
#include "gpu/driver/kernel/question.h"

#include <stddef.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/graph/device-graph.h"
#include "gpu/driver/kernel/occupancy.h"
#include "gpu/driver/stream/call.h"

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceGetCacheConfig(int *preference);
cudaError_t cudaDeviceGetSharedMemConfig(int *configuration);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

// Adds what the function gives, one byte string, or nothing.
typedef cudaError_t (*QuestionHandler)(const Question *question, SmbPayload *answer);

// --- questions: the numbers are the arguments of the function

static cudaError_t
give_int(cudaError_t error, int value, SmbPayload *answer) {
  smb_payload_add_bytes(answer, &value, error ? 0 : sizeof value);
  return error;
}

static cudaError_t
answer_attribute(const Question *question, SmbPayload *answer) {
  int value = 0;
  // Of the only device, whichever is named.
  cudaError_t error = cudaDeviceGetAttribute(&value, (int)question->numbers[1], 0);
  return give_int(error, value, answer);
}

static cudaError_t
answer_limit(const Question *question, SmbPayload *answer) {
  size_t value = 0;
  cudaError_t error = cudaDeviceGetLimit(&value, (int)question->numbers[1]);
  smb_payload_add_bytes(answer, &value, error ? 0 : sizeof value);
  return error;
}

#define INT_ANSWER(name, function)                                                                 \
  static cudaError_t answer_##name(const Question *question, SmbPayload *answer) {                 \
    int value = 0;                                                                                 \
    (void)question;                                                                                \
    cudaError_t error = function(&value);                                                          \
    return give_int(error, value, answer);                                                         \
  }

INT_ANSWER(cache, cudaDeviceGetCacheConfig)
INT_ANSWER(banks, cudaDeviceGetSharedMemConfig)
INT_ANSWER(count, cudaGetDeviceCount)
INT_ANSWER(device, cudaGetDevice)

static cudaError_t
answer_version(const Question *question, SmbPayload *answer) {
  enum {
    DEVICE_RUNTIME = 6000, // what that of CUDA 13.0 says of itself
  };
  (void)question;
  return give_int(cudaSuccess, DEVICE_RUNTIME, answer);
}

static cudaError_t
answer_error_text(const Question *question, SmbPayload *answer) {
  smb_payload_add_text(answer, cudaGetErrorString((cudaError_t)question->numbers[0]));
  return cudaSuccess;
}

static cudaError_t
answer_error_name(const Question *question, SmbPayload *answer) {
  smb_payload_add_text(answer, cudaGetErrorName((cudaError_t)question->numbers[0]));
  return cudaSuccess;
}

// The device knows the first members.
static cudaError_t
answer_function(const Question *question, SmbPayload *answer) {
  cudaFuncAttributes attributes;
  if (!question->kernel)
    return cudaErrorInvalidValue;
  function_describe(question->kernel, &attributes);
  smb_payload_add_bytes(answer, &attributes, offsetof(cudaFuncAttributes, cacheModeCA));
  return cudaSuccess;
}

static cudaError_t
answer_occupancy(const Question *question, SmbPayload *answer) {
  int threads = (int)question->numbers[2];
  cudaError_t error = !question->kernel ? cudaErrorInvalidDeviceFunction
                      : threads <= 0    ? cudaErrorInvalidValue
                                        : cudaSuccess;
  unsigned blocks =
      error ? 0 : occupancy_blocks(question->kernel, (unsigned)threads, question->numbers[3]);
  return give_int(error, (int)blocks, answer);
}

static dim3
take_triple(const Question *question, size_t first) {
  const uint64_t *numbers = question->numbers + first;
  return (dim3){(unsigned)numbers[0], (unsigned)numbers[1], (unsigned)numbers[2]};
}

static cudaError_t
answer_child(const Question *question, SmbPayload *answer) {
  if (!question->kernel)
    return cudaErrorInvalidDeviceFunction;
  const KernelCall launch = {.kernel = question->kernel,
                             .grid = take_triple(question, 1),
                             .block = take_triple(question, 4),
                             .cluster = question->kernel->cluster,
                             .dynamic_bytes = (unsigned)question->numbers[7]};
  // One error for all (an H200 with driver 580).
  cudaError_t error = launch_check(&launch) ? cudaErrorInvalidConfiguration : cudaSuccess;
  uint64_t bytes = question->kernel->parameter_bytes;
  smb_payload_add_bytes(answer, &bytes, error ? 0 : sizeof bytes);
  return error;
}

// --- graphs

static cudaError_t
answer_graph(const Question *question, SmbPayload *answer) {
  (void)answer;
  return device_graph_launch((Exec *)(uintptr_t)question->numbers[0], question->numbers[1]);
}

static DeviceNode *
take_node(const Question *question) {
  return (DeviceNode *)(uintptr_t)question->numbers[0];
}

static cudaError_t
answer_node_parameter(const Question *question, SmbPayload *answer) {
  uint64_t word = question->numbers[3], bytes = question->numbers[2];
  (void)answer;
  return bytes > sizeof word
             ? cudaErrorInvalidValue
             : device_node_set_parameter(take_node(question), question->numbers[1], &word, bytes);
}

static cudaError_t
answer_node_grid(const Question *question, SmbPayload *answer) {
  (void)answer;
  return device_node_set_grid(take_node(question), take_triple(question, 1));
}

static cudaError_t
answer_node_enabled(const Question *question, SmbPayload *answer) {
  (void)answer;
  return device_node_enable(take_node(question), question->numbers[1] & 1);
}

// --- all of them

static const struct {
  const char *name;
  QuestionHandler handler;
} questions[] = {
#define QUESTION(name, handler) {name, answer_##handler},
#include "gpu/driver/kernel/questions.def"
#undef QUESTION
};

static QuestionHandler
find_question_handler(const unsigned char *name, size_t length) {
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
    if (strlen(questions[i].name) == length && memcmp(questions[i].name, name, length) == 0)
      return questions[i].handler;
  return NULL;
}

void
question_answer(SmbPayload *payload) {
  size_t length, symbol_length;
  Question question = {.kernel = NULL};
  SmbPayload given = {0};
  const unsigned char *name = smb_payload_bytes(payload, &length);
  QuestionHandler handler = find_question_handler(name, length);
  uint64_t module = smb_payload_number(payload);
  const unsigned char *symbol = smb_payload_bytes(payload, &symbol_length);
  question.kernel = module_numbered_kernel(module, (const char *)symbol, symbol_length);
  question.n = smb_payload_number(payload);
  for (size_t i = 0; i < question.n && i < QUESTION_NUMBERS; i++)
    question.numbers[i] = smb_payload_number(payload);
  error_set_answering(true);
  cudaError_t error = handler ? handler(&question, &given) : cudaErrorNotSupported;
  error_set_answering(false);
  payload->length = payload->at = 0;
  smb_payload_add_number(payload, (uint64_t)error);
  if (given.length == 0)
    smb_payload_add_bytes(&given, "", 0);
  unsigned char *to = smb_payload_make_room(payload, given.length);
  if (to && given.length > 0)
    memcpy(to, given.bytes, given.length);
  smb_payload_clear(&given);
}
