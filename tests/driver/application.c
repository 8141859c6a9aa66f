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
  char *bytes = calloc(1, 1 << 24);
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

// An allocation of several pieces, of which something changes now and then.
static void
launch_large(void) {
  enum {
    BYTES = (3 << 20) + 100
  };
  static uint32_t words[BYTES / 4];
  uint64_t large;
  const uint32_t other = 7;
  cuMemAlloc_v2(&large, BYTES);
  for (uint32_t i = 0; i < BYTES / 4; i++)
    words[i] = i * 3 + 1;
  cuMemcpyHtoD_v2(large, words, BYTES);
  for (int i = 0; i < 4; i++) {
    fake_driver_copied();
    launch(function, NULL, &large);
    printf("application: copied %zu\n", fake_driver_copied());
    if (i == 1)
      cuMemcpyHtoD_v2(large + (2 << 20) + 44, &other, sizeof other);
    if (i == 2)
      cuMemcpyHtoD_v2(large + (3 << 20) + 96, &other, sizeof other);
  }
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

// Nodes differ in the blocks of their grids.
static CuKernelNodeParams
make_node(unsigned n_blocks) {
  static void *parameters[3];
  parameters[0] = parameters[1] = &memory;
  parameters[2] = &pitch;
  return (CuKernelNodeParams){
      .func = function, .grid = {n_blocks, 1, 1}, .block = {32, 32, 1}, .kernelParams = parameters};
}

// Of @n nodes in a row, the first of which has @n_blocks blocks, the next one more.
static struct CuGraph *
make_graph(size_t n, unsigned n_blocks) {
  struct CuGraph *graph;
  fake_driver_graph(&graph);
  for (size_t i = 0; i < n; i++) {
    const CuKernelNodeParams params = make_node(n_blocks + (unsigned)i);
    fake_driver_add(graph, CU_GRAPH_NODE_TYPE_KERNEL, &params);
  }
  return graph;
}

static void
launch_graph(void) {
  struct CuGraph *exec;
  fake_driver_instantiate(&exec, make_graph(2, 1));
  cuGraphLaunch(exec, NULL);
}

// A kernel, and two in a graph behind it. Each of these is changed.
static void
launch_changed_graphs(void) {
  struct CuGraph *graph = make_graph(1, 1), *child = make_graph(2, 2), *exec;
  const CuKernelNodeParams other = make_node(4);
  CuGraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .of = {.kernel = make_node(6)}};
  struct CuNode *node = fake_driver_add_child(graph, child);
  void *inner, *nodes[2], *first[2];
  size_t n = 2;
  cuGraphGetNodes(graph, first, &n);
  cuGraphChildGraphNodeGetGraph(node, &inner);
  cuGraphGetNodes(inner, nodes, &n);
  fake_driver_instantiate(&exec, graph);
  cuGraphLaunch(exec, NULL);
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, exec, first[0],
                     &other);
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams, exec, nodes[1], &any);
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, exec, nodes[0], NULL);
  cuGraphLaunch(exec, NULL);
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, exec, nodes[0], &any);
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams, exec, node,
                     make_graph(2, 7));
  cuGraphLaunch(exec, NULL);
}

static void
launch_updated_graph(void) {
  struct CuGraph *exec;
  fake_driver_instantiate(&exec, make_graph(1, 1));
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, exec, make_graph(1, 9), NULL);
  cuGraphLaunch(exec, NULL);
}

// One whose change nobody can follow, and one whose kernels nobody knows.
static void
launch_lost_graphs(void) {
  struct CuGraph *graph = make_graph(1, 1), *exec;
  const CuKernelNodeParams other = make_node(4);
  fake_driver_instantiate(&exec, graph);
  fake_driver_change(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, exec, graph,
                     &other);
  cuGraphLaunch(exec, NULL);
  cuGraphLaunch(exec, NULL);
  fake_driver_add(graph, CU_GRAPH_NODE_TYPE_CONDITIONAL, NULL);
  fake_driver_instantiate(&exec, graph);
  cuGraphLaunch(exec, NULL);
}

// Modules with a kernel of one name, and images that differ in a byte behind the end: in turn, and after they were unloaded,
// which gives their handles to others.
static void
launch_modules(void) {
  struct CuModule *modules[2];
  struct CuFunction *functions[2];
  for (int i = 0; i < 2; i++) {
    fake_driver_load(&modules[i], image, image_bytes + 1 + (size_t)i);
    cuModuleGetFunction(&functions[i], modules[i], kernel_name);
  }
  launch(functions[0], NULL, &memory);
  launch(functions[1], NULL, &memory);
  launch(functions[0], NULL, &memory);
  cuModuleUnload(modules[1]);
  fake_driver_load(&modules[1], image, image_bytes);
  cuModuleGetFunction(&functions[1], modules[1], kernel_name);
  launch(functions[1], NULL, &memory);
  launch(functions[0], NULL, &memory);
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
  else if (strcmp(what, "large") == 0)
    launch_large();
  else if (strcmp(what, "cluster") == 0)
    launch_cluster();
  else if (strcmp(what, "graph") == 0)
    launch_graph();
  else if (strcmp(what, "graph-changed") == 0)
    launch_changed_graphs();
  else if (strcmp(what, "graph-updated") == 0)
    launch_updated_graph();
  else if (strcmp(what, "graph-lost") == 0)
    launch_lost_graphs();
  else if (strcmp(what, "taken-down") == 0)
    launch(function, FAKE_CAPTURING_STREAM, &memory);
  else if (strcmp(what, "modules") == 0)
    launch_modules();
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
