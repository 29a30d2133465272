/* Preloaded (LD_PRELOAD), has the call READDIR_FAILS_AT of readdir below the folder READDIR_FAILS_IN fail with READDIR_ERRNO, and sets
   READDIR_FAILED to the folder. The count begins again whenever READDIR_FAILS_AT is set to another value. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(DIR *folder) {
  static char last[32];
  static int calls;
  const char *in = getenv("READDIR_FAILS_IN"), *at = getenv("READDIR_FAILS_AT"), *code = getenv("READDIR_ERRNO");
  char link[64], path[4096];
  ssize_t length;
  if (in == NULL || at == NULL || code == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd(folder));
  length = readlink(link, path, sizeof path - 1);
  if (length < 0 || strncmp(path, in, strlen(in)) != 0) return 0;
  path[length] = 0;
  if (strcmp(last, at) != 0) {
    snprintf(last, sizeof last, "%s", at);
    calls = 0;
  }
  if (++calls != atoi(at)) return 0;
  setenv("READDIR_FAILED", path, 1);
  errno = atoi(code);
  return 1;
}

#define REPLACED(name, entry)                                          \
  struct entry *name(DIR *folder) {                                    \
    static struct entry *(*original)(DIR *);                           \
    if (original == NULL) original = dlsym(RTLD_NEXT, #name);          \
    return fails(folder) ? NULL : original(folder);                    \
  }

REPLACED(readdir, dirent)
REPLACED(readdir64, dirent64)
