/*
 * Preloaded into a server, this records the server's changes to the files of its SQLite database, so that a test can
 * determine the contents of a disk after a power loss: all synced data and any part of the rest. It syncs nothing
 * itself.
 *
 * WABAKIT_POWER_LOG is the file to write to, WABAKIT_POWER_FILE the database. WABAKIT_POWER_CUT is a file with the
 * number of records after which the power fails, whatever the server is doing. A record is a kind (C: created, W:
 * written, T: truncated, S: synced, D: folder synced, U: unlinked), the length of what follows the database's path in
 * the file's path, an offset or a size, a length, then that end of the path, and the data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FILES 4096
#define FOLDER "/"

static int logfile = -1;
static long left = -1;
static const char *database;
/* The end of each open file's path, or FOLDER for the folder. */
static char *names[MAX_FILES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
  database = getenv("WABAKIT_POWER_FILE");
  const char *path = getenv("WABAKIT_POWER_LOG");
  if (path != NULL) logfile = REAL(open64)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const char *cut = getenv("WABAKIT_POWER_CUT");
  FILE *file = cut == NULL ? NULL : fopen(cut, "r");
  if (file == NULL) return;
  if (fscanf(file, "%ld", &left) != 1) left = -1;
  fclose(file);
}

static void record(char kind, const char *name, uint64_t offset, const void *data, uint32_t length) {
  if (logfile < 0) return;
  struct __attribute__((packed)) { char kind; uint8_t name; uint64_t offset; uint32_t length; } head =
    { kind, (uint8_t)strlen(name), offset, length };
  struct iovec parts[] = { { &head, sizeof head }, { (void *)name, head.name }, { (void *)data, data ? length : 0 } };
  pthread_mutex_lock(&mutex);
  if (REAL(writev)(logfile, parts, 3) < 0) abort();
  if (left > 0 && --left == 0) raise(SIGKILL);
  pthread_mutex_unlock(&mutex);
}

static const char *name_of(int file) { return file >= 0 && file < MAX_FILES ? names[file] : NULL; }

/* Returns the end of a watched file's path, or NULL for any other file. */
static const char *match(const char *path) {
  if (database == NULL || path == NULL) return NULL;
  size_t length = strlen(database);
  if (strncmp(path, database, length) == 0) {
    const char *end = path + length;
    return strcmp(end, "-shm") == 0 || strcmp(end, "-lock") == 0 ? NULL : end;
  }
  size_t folder = strrchr(database, '/') - database;
  return strncmp(path, database, folder) == 0 && path[folder] == 0 ? FOLDER : NULL;
}

static int opened(int file, const char *path, int is_new) {
  const char *name = match(path);
  if (file < 0 || file >= MAX_FILES || name == NULL) return file;
  if (is_new) record('C', name, 0, NULL, 0);
  names[file] = strdup(name);
  return file;
}

#define OPEN(function, ...) \
  int mode = 0; \
  if (flags & O_CREAT) { va_list rest; va_start(rest, flags); mode = va_arg(rest, int); va_end(rest); } \
  int is_new = (flags & O_CREAT) && access(path, F_OK) != 0; \
  return opened(REAL(function)(__VA_ARGS__, flags, mode), path, is_new);

int open(const char *path, int flags, ...) { OPEN(open, path) }
int open64(const char *path, int flags, ...) { OPEN(open64, path) }
int openat(int folder, const char *path, int flags, ...) { OPEN(openat, folder, path) }
int openat64(int folder, const char *path, int flags, ...) { OPEN(openat64, folder, path) }

int close(int file) {
  if (name_of(file) != NULL) { free(names[file]); names[file] = NULL; }
  return REAL(close)(file);
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
  const char *name = name_of(file);
  if (name != NULL) record('W', name, (uint64_t)offset, data, (uint32_t)length);
  return REAL(pwrite64)(file, data, length, offset);
}

ssize_t write(int file, const void *data, size_t length) {
  const char *name = name_of(file);
  if (name != NULL) record('W', name, (uint64_t)lseek64(file, 0, SEEK_CUR), data, (uint32_t)length);
  return REAL(write)(file, data, length);
}

int ftruncate64(int file, off64_t size) {
  const char *name = name_of(file);
  if (name != NULL) record('T', name, (uint64_t)size, NULL, 0);
  return REAL(ftruncate64)(file, size);
}

static int synced(int file) {
  const char *name = name_of(file);
  if (name == NULL) return 0;
  record(strcmp(name, FOLDER) == 0 ? 'D' : 'S', name, 0, NULL, 0);
  return 1;
}

int fsync(int file) { return synced(file) ? 0 : REAL(fsync)(file); }
int fdatasync(int file) { return synced(file) ? 0 : REAL(fdatasync)(file); }

int unlink(const char *path) {
  const char *name = match(path);
  if (name != NULL) record('U', name, 0, NULL, 0);
  return REAL(unlink)(path);
}
