// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The table of commands.
#include "config.h"

#include "src/commands.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/base/suggest.h"
#include "src/cli/completion.h"
#include "src/cli/shortage.h"
#include "src/file-reader.h"

// What the largest --max-depth takes, several times over; pages that are not touched take no memory.
enum {
  STACK_BYTES = 64 << 20
};

static gboolean show_help(SmbCli *cli, GError **error);
static gboolean show_version(SmbCli *cli, GError **error);
static gboolean write_completion(SmbCli *cli, GError **error);

static const SmbCommand commands[] = {
    {"advise", smb_cmd_advise, "find the padding or swizzle that removes conflicts"},
    {"analyze", smb_cmd_analyze, "count the bank conflicts of a kernel, access by access"},
    {"capture", smb_cmd_capture, "record what an application launches, to count it anywhere"},
    {"check", smb_cmd_check, "check the kernels of a project against their limits"},
    {"compare", smb_cmd_compare, "show what got worse between two versions"},
    {"doctor", smb_cmd_doctor, "show what is on this machine, and what is missing"},
    {"explain", smb_cmd_explain, "explain why an access conflicts, lane by lane"},
    {"fix", smb_cmd_fix, "find what removes the conflicts that ncu measured"},
    {"fuzz", smb_cmd_fuzz, "compare random requests on a GPU with the model"},
    {"init", smb_cmd_init, "write a first project file from the launches in files"},
    {"layout", smb_cmd_layout, "count the bank conflicts of a layout, without a kernel"},
    {"learn", smb_cmd_learn, "take a short interactive course on bank conflicts"},
    {"list", smb_cmd_list, "list kernels, architectures, devices, ops and recordings"},
    {"lsp", smb_cmd_lsp, "serve editors in the Language Server Protocol"},
    {"mcp", smb_cmd_mcp, "answer agents in the Model Context Protocol"},
    {"merge", smb_cmd_merge, "combine the parts that --shard counted"},
    {"report", smb_cmd_report, "write an HTML page with counts, advice and bank maps"},
    {"run", smb_cmd_run, "run a CUDA program without a GPU, and rank its launches"},
    {"trace", smb_cmd_trace, "count the wavefronts of a trace of warp requests"},
    {"validate", smb_cmd_validate, "compare predictions with measured and published counts"},
    {"verify-proof", smb_cmd_verify_proof, "check the proofs of --prove and layout --find again"},
    {"completion", write_completion, NULL},
    {"--help", show_help, NULL},
    {"-h", show_help, NULL},
    {"help", show_help, NULL},
    {"--version", show_version, NULL},
    {"-V", show_version, NULL},
};

static gboolean
reject_more_words(const SmbCli *cli, GError **error) {
  if (cli->argc < 2)
    return TRUE;
  return smb_cli_usage_error(error, "unexpected argument '%s'", cli->argv[1]);
}

static void
write_program_help(SmbSpool *out) {
  smb_spool_puts(
      out, "Usage:\n  smembank COMMAND [OPTION…]\n  smembank FILE [OPTION…]\n\n"
           "Finds shared-memory bank conflicts in CUDA kernels, without a GPU, and shows how\n"
           "to fix them.\n\nCommands:\n");
  for (const SmbCommand *command = commands; command->summary; command++)
    smb_spool_printf(out, "  %-10s %s\n", command->name, command->summary);
  smb_spool_puts(out, "\nExample:\n  smembank analyze kernel.cu --block 32,8\n"
                      "\n'smembank help COMMAND' shows the options of a command.\n"
                      "'smembank completion " SMB_COMPLETION_SHELLS
                      "' writes the completion of a shell.\n"
                      "'smembank --version' shows the version.\n");
}

static gboolean
show_help(SmbCli *cli, GError **error) {
  if (!reject_more_words(cli, error))
    return FALSE;
  write_program_help(cli->out);
  return TRUE;
}

static gboolean
show_version(SmbCli *cli, GError **error) {
  if (!reject_more_words(cli, error))
    return FALSE;
  smb_spool_puts(cli->out, "smembank " PACKAGE_VERSION "\n");
  return TRUE;
}

// How to begin, for somebody who names no command. It is not a result, and a script that forgot a word fails.
static gboolean
miss_command(SmbCli *cli) {
  smb_spool_puts(cli->messages,
                 "smembank: missing command. To begin:\n\n"
                 "  smembank analyze --rows 16 --cols 32 --pad 1   a tile in shared memory\n"
                 "  smembank kernel.cu --block 32,8                the kernel in a file\n"
                 "  smembank ./app                                 a CUDA program, without a GPU\n"
                 "  smembank learn                                 a short course\n"
                 "  smembank doctor                                what is on this machine\n\n"
                 "'smembank help' lists all commands.\n");
  cli->status = SMB_EXIT_USAGE;
  return FALSE;
}

// What is run when no command is named: of a word that is no file either, the message lists them all.
static gboolean
reject_command(SmbCli *cli, GError **error) {
  if (cli->argc < 1)
    return miss_command(cli);
  const char *names[G_N_ELEMENTS(commands)] = {NULL};
  for (guint i = 0; commands[i].summary; i++)
    names[i] = commands[i].name;
  g_autofree char *list = smb_cli_list(names, " or ");
  g_autofree char *meant = smb_suggest(cli->argv[0], names);
  g_autofree char *refusal = *meant ? NULL : smb_reader_refuse(cli->argv[0]);
  if (refusal)
    return smb_cli_usage_error(error, "%s", refusal);
  gboolean is_path = strpbrk(cli->argv[0], "./") && !g_file_test(cli->argv[0], G_FILE_TEST_EXISTS);
  return smb_cli_usage_error(error, "no command '%s'%s: expected %s%s", cli->argv[0],
                             is_path ? ", and no file of that name" : "", list, meant);
}

static gboolean
write_completion(SmbCli *cli, GError **error) {
  if (cli->argc == 2 && strcmp(cli->argv[1], "--help") == 0) {
    smb_spool_puts(cli->out,
                   "Usage:\n  smembank completion " SMB_COMPLETION_SHELLS "\n\n"
                   "Writes a script by which the shell completes commands, options and values.\n\n"
                   "Example:\n  . <(smembank completion bash)\n");
    return TRUE;
  }
  if (cli->argc != 2)
    return smb_cli_usage_error(error, "expected one of " SMB_COMPLETION_SHELLS);
  return smb_completion_write(cli, cli->argv[1], commands, error);
}

static const SmbCommand unknown = {"", reject_command, NULL};

static const SmbCommand *
find_named_command(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  }
  return &unknown;
}

// 'help COMMAND' is 'COMMAND --help'.
static int
help_command(const SmbCuda *cuda, char *name) {
  static char help[] = "--help";
  char *words[] = {name, help, NULL};
  const SmbCommand *command = find_named_command(name);
  gboolean listed = command->summary != NULL || command->run == write_completion;
  return (int)smb_cli_run(listed ? command : &unknown, cuda, listed ? 2 : 1, words);
}

// A file in the place of a command: what follows belongs to the command that reads it, and of a program to that. Says which command that
// was, after the result, as other messages.
static int
read_file(const SmbCuda *cuda, const SmbReader *reader, int argc, char **argv) {
  g_autofree char *name = g_strdup(reader->command);
  g_autofree char *option = g_strdup(reader->option);
  // Programs are looked for in the folders of PATH, files are not.
  gboolean is_started = g_strcmp0(option, "--") == 0 && !strchr(argv[1], '/');
  g_autofree char *path = g_strconcat(is_started ? "./" : "", argv[1], NULL);
  g_autofree char *quoted = g_shell_quote(path);
  g_autofree char **words = g_new0(char *, (gsize)argc + 2);
  int n = 0;
  words[n++] = name;
  if (option)
    words[n++] = option;
  words[n++] = path;
  for (int i = 2; i < argc; i++)
    words[n++] = argv[i];
  int status = (int)smb_cli_run(find_named_command(name), cuda, n, words);
  if (status != SMB_EXIT_DONE && status != SMB_EXIT_DIFFERS)
    return status;
  g_autoptr(SmbSpool) messages = smb_spool_new();
  smb_spool_printf(messages, "smembank: %s is %s: this was 'smembank %s%s%s %s'\n", argv[1],
                   reader->what, name, option ? " " : "", option ? option : "",
                   strchr(path, ' ') ? quoted : path);
  smb_spool_flush(messages, STDERR_FILENO, NULL);
  return status;
}

static int
run_command(const SmbCuda *cuda, int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], SMB_WORKER_COMMAND) == 0)
    return smb_worker_main(cuda);
  if (argc == 3 && strcmp(argv[1], "help") == 0)
    return help_command(cuda, argv[2]);
  const SmbCommand *command = argc > 1 ? find_named_command(argv[1]) : &unknown;
  const SmbReader *reader =
      command == &unknown && argc > 1
          ? smb_reader_find(argv[1], g_strv_contains((const char *const *)argv + 2, "--"))
          : NULL;
  if (reader)
    return read_file(cuda, reader, argc, argv);
  return (int)smb_cli_run(command, cuda, MAX(argc - 1, 0), argc > 1 ? argv + 1 : argv);
}

typedef struct {
  const SmbCuda *cuda;
  int argc;
  char **argv;
  int status;
} Main;

static gpointer
run_main(gpointer data) {
  Main *call = data;
  smb_shortage_guard_stack();
  call->status = run_command(call->cuda, call->argc, call->argv);
  return NULL;
}

// Without a thread: the stack of this one grows as far as that, unless the system forbids it.
static void
allow_stack(gsize bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= bytes)
    return;
  limit.rlim_cur = MIN(bytes, limit.rlim_max);
  setrlimit(RLIMIT_STACK, &limit);
}

// Nested text takes stack, by --max-depth and not by what the shell allows: all threads get as much.
int
smb_main(const SmbCuda *cuda, int argc, char **argv) {
  Main call = {cuda, argc, argv, 0};
  pthread_attr_t attributes;
  pthread_t thread;
  smb_shortage_prepare();
  gsize stack_bytes = smb_shortage_stack_bytes(STACK_BYTES);
  pthread_attr_init(&attributes);
  gboolean started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                     pthread_setattr_default_np(&attributes) == 0 &&
                     pthread_create(&thread, &attributes, run_main, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) {
    allow_stack(stack_bytes);
    run_main(&call);
    return call.status;
  }
  // Block signals here so that the worker thread handles them.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_join(thread, NULL);
  return call.status;
}
