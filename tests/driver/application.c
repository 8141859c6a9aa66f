// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A small program on the made-up driver, for tests of capture: application CUBIN KERNEL WHAT…, where WHAT is done in turn.
// The kernel's first parameter is a pointer to 64 KiB whose words hold their numbers, and its second one 1024.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/driver/driver.h"

enum {
  N_WORDS = 16384,
};

static const void *image;
static size_t image_bytes;
static const char *kernel_name;
static struct CuFunction *function, *kernel;
static uint64_t memory, pointers;
static int pitch = 1024;

static void
read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  char *bytes = malloc(1 << 24);
  if (!file) {
    perror(path);
    exit(1);
  }
  image_bytes = fread(bytes, 1, 1 << 24, file);
  image = bytes;
  fclose(file);
}

static void
set_up(void) {
  static uint32_t words[N_WORDS];
  struct CuModule *module;
  cuInit(0);
  fake_driver_load(&module, image, image_bytes);
  cuModuleGetFunction(&function, module, kernel_name);
  fake_driver_kernel(&kernel, image, image_bytes, kernel_name);
  cuMemAlloc_v2(&memory, sizeof words);
  cuMemAlloc_v2(&pointers, 4096);
  for (uint32_t i = 0; i < N_WORDS; i++)
    words[i] = i;
  cuMemcpyHtoD_v2(memory, words, sizeof words);
  cuMemcpyHtoD_v2(pointers, &memory, sizeof memory);
}

static void
launch(void *what, void *stream, uint64_t *address) {
  void *parameters[] = {address, address, &pitch, &pitch};
  cuLaunchKernel(what, 2, 1, 1, 32, 32, 1, 0, stream, parameters, NULL);
}

static void
launch_buffer(void) {
  struct {
    uint64_t out, in;
    int pitch;
  } values = {memory, memory, pitch};
  size_t bytes = sizeof values;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &values, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  cuLaunchKernel(function, 1, 1, 1, 32, 32, 1, 0, NULL, NULL, extra);
}

static void
launch_cluster(void) {
  void *parameters[] = {&memory, &memory, &pitch};
  CuLaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value = {.clusterDim = {2, 1, 1}}};
  CuLaunchConfig config = {
      .grid = {4, 1, 1}, .block = {32, 32, 1}, .attrs = &attribute, .numAttrs = 1};
  cuLaunchKernelEx(&config, function, parameters, NULL);
}

static void
launch_graph(void) {
  struct CuGraph *graph;
  static void *parameters[3];
  parameters[0] = parameters[1] = &memory;
  parameters[2] = &pitch;
  const CuKernelNodeParams params = {
      .func = function, .grid = {1, 1, 1}, .block = {32, 32, 1}, .kernelParams = parameters};
  fake_driver_graph(&graph);
  fake_driver_add(graph, CU_GRAPH_NODE_TYPE_KERNEL, &params);
  fake_driver_add(graph, CU_GRAPH_NODE_TYPE_KERNEL, &params);
  fake_driver_instantiate(graph);
  cuGraphLaunch(graph, NULL);
}

static void *
launch_in_thread(void *unused) {
  (void)unused;
  for (int i = 0; i < 8; i++)
    launch(function, NULL, &memory);
  return NULL;
}

static void
launch_in_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, launch_in_thread, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

static void
start_child(char *self, char *path, char *name) {
  static char plain[] = "plain";
  char *words[] = {self, path, name, plain, NULL};
  pid_t pid = fork();
  if (pid == 0) {
    execv(self, words);
    _exit(1);
  }
  waitpid(pid, NULL, 0);
}

static void
act(char **argv, const char *what) {
  if (strcmp(what, "plain") == 0)
    launch(function, NULL, &memory);
  else if (strcmp(what, "lazy") == 0)
    launch(kernel, NULL, &memory);
  else if (strcmp(what, "nested") == 0)
    launch(function, NULL, &pointers);
  else if (strcmp(what, "buffer") == 0)
    launch_buffer();
  else if (strcmp(what, "cluster") == 0)
    launch_cluster();
  else if (strcmp(what, "graph") == 0)
    launch_graph();
  else if (strcmp(what, "taken-down") == 0)
    launch(function, FAKE_CAPTURING_STREAM, &memory);
  else if (strcmp(what, "threads") == 0)
    launch_in_threads();
  else if (strcmp(what, "child") == 0)
    start_child(argv[0], argv[1], argv[2]);
  else if (strcmp(what, "exit") == 0)
    _exit(3);
  else if (strcmp(what, "abort") == 0)
    abort();
  else if (strcmp(what, "kill") == 0)
    kill(getpid(), SIGKILL);
  else if (strcmp(what, "sleep") == 0)
    sleep(2);
  else
    printf("application: %s?\n", what);
}

int
main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  read_image(argv[1]);
  kernel_name = argv[2];
  set_up();
  puts("application: begins");
  fflush(stdout);
  for (int i = 3; i < argc; i++)
    act(argv, argv[i]);
  puts("application: ends");
  return 0;
}
