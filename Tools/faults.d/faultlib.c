/* Faults of the file system, preloaded into a program: the N-th call on files of a directory is the last, fails or
 * stops.
 *
 *   FAULT_DIRECTORY  the directory; calls on other files are not counted
 *   FAULT_LOG        a file to which every counted call appends a line: its name and its path
 *   FAULT_AT         the number of the call, from 1
 *   FAULT_NAME       the name of the calls that are counted [default: all]
 *   FAULT_DO         kill: the process is killed before the call; stop: it is stopped before the call, until SIGCONT;
 *                    a number: the call fails with this errno; lie: the call is skipped and reports success
 *   FAULT_ON         if set, all later calls of the same name have the same fault
 *   FAULT_SHORT      the most bytes that a call reads or writes; every other call fails with EINTR first
 *   FAULT_NEVER      a call that is always skipped and reports success: flock, fsync
 *
 * Calls are counted over all threads, unlike with `strace --inject`. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { nothing, death, halt, failure, lie };
static const char *directory, *never, *only;
static int at, action, error, on, log_to = -1, most;
static char struck[32];
static atomic_int calls, turns;
static _Atomic char concerned[4096];

__attribute__((constructor)) static void begin(void) {
  const char *what = getenv("FAULT_DO"), *log = getenv("FAULT_LOG"), *number = getenv("FAULT_AT"), *size = getenv("FAULT_SHORT");
  directory = getenv("FAULT_DIRECTORY");
  never = getenv("FAULT_NEVER");
  only = getenv("FAULT_NAME");
  at = number ? atoi(number) : 0;
  on = getenv("FAULT_ON") != NULL;
  most = size ? atoi(size) : 0;
  if (what) action = !strcmp(what, "kill") ? death : !strcmp(what, "stop") ? halt : !strcmp(what, "lie") ? lie : failure;
  if (action == failure) error = atoi(what);
  if (log) log_to = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int below(const char *path) {
  size_t length = directory ? strlen(directory) : 0;
  return length && path && !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}
static int holds(int file) { return file >= 0 && file < 4096 && concerned[file]; }
static int opened(int file, const char *path) {
  if (file >= 0 && file < 4096) concerned[file] = (char)below(path);
  return file;
}

/* The fate of a call: 0, it is made; -1, it fails, and errno is set; 1, it is skipped and reports success. */
static int fate(const char *name, const char *path) {
  int counts = !only || !strcmp(only, name), number = counts ? atomic_fetch_add(&calls, 1) + 1 : 0;
  if (log_to >= 0) {
    char line[PATH_MAX];
    int count = snprintf(line, sizeof line, "%s %s\n", name, path ? path : "");
    syscall(SYS_write, log_to, line, (size_t)count);
  }
  if (never && !strcmp(never, name)) return 1;
  if (!counts) return 0;
  if (number != at && !(on && at && number > at && !strcmp(struck, name))) return 0;
  if (number == at) snprintf(struck, sizeof struck, "%s", name);
  switch (action) {
  case death: syscall(SYS_kill, getpid(), SIGKILL); for (;;) pause();
  case halt: raise(SIGSTOP); return 0; /* sent to the calling thread, which stops before the call */
  case failure: errno = error; return -1;
  case lie: return 1;
  default: return 0;
  }
}

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })
#define PATH_CALL(name, path, made) if (below(path)) { int f = fate(name, path); if (f) return f < 0 ? -1 : 0; } return made
#define FILE_CALL(name, file, made) if (holds(file)) { int f = fate(name, ""); if (f) return f < 0 ? -1 : 0; } return made

#define OPEN(function)                                                                                   \
  int function(const char *path, int flags, ...) {                                                       \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);               \
    if (below(path) && fate("open", path)) return -1;                                                    \
    return opened(REAL(function)(path, flags, mode), path);                                              \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(function)                                                                                 \
  int function(int base, const char *path, int flags, ...) {                                             \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);               \
    if (below(path) && fate("open", path)) return -1;                                                    \
    return opened(REAL(function)(base, path, flags, mode), path);                                        \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int file) {
  int concerns = holds(file);
  if (file >= 0 && file < 4096) concerned[file] = 0;
  if (!concerns) return REAL(close)(file);
  int f = fate("close", ""), kept = errno, made = REAL(close)(file);
  errno = f < 0 ? kept : errno;
  return f < 0 ? -1 : made;
}

/* Whether a transfer is interrupted before it begins, when transfers are short; and how much it may move. */
static int interrupted(void) {
  if (!most || atomic_fetch_add(&turns, 1) % 2) return 0;
  errno = EINTR;
  return 1;
}
static size_t portion(size_t count) { return most && count > (size_t)most ? (size_t)most : count; }

#define MOVE(name, ...)                                                                                  \
  if (!holds(file)) return __VA_ARGS__;                                                                  \
  { int f = fate(name, ""); if (f) return f < 0 ? -1 : (ssize_t)count; }                                 \
  if (interrupted()) return -1;                                                                          \
  count = portion(count);                                                                                \
  return __VA_ARGS__
ssize_t read(int file, void *data, size_t count) { MOVE("read", REAL(read)(file, data, count)); }
ssize_t pread(int file, void *data, size_t count, off_t from) { MOVE("read", REAL(pread)(file, data, count, from)); }
ssize_t pread64(int file, void *data, size_t count, off64_t from) { MOVE("read", REAL(pread64)(file, data, count, from)); }
ssize_t write(int file, const void *data, size_t count) { MOVE("write", REAL(write)(file, data, count)); }
ssize_t pwrite(int file, const void *data, size_t count, off_t to) { MOVE("write", REAL(pwrite)(file, data, count, to)); }
ssize_t pwrite64(int file, const void *data, size_t count, off64_t to) { MOVE("write", REAL(pwrite64)(file, data, count, to)); }

int fsync(int file) { FILE_CALL("fsync", file, REAL(fsync)(file)); }
int fdatasync(int file) { FILE_CALL("fsync", file, REAL(fdatasync)(file)); }
int ftruncate(int file, off_t size) { FILE_CALL("truncate", file, REAL(ftruncate)(file, size)); }
int ftruncate64(int file, off64_t size) { FILE_CALL("truncate", file, REAL(ftruncate64)(file, size)); }
int truncate(const char *path, off_t size) { PATH_CALL("truncate", path, REAL(truncate)(path, size)); }
int fchmod(int file, mode_t mode) { FILE_CALL("chmod", file, REAL(fchmod)(file, mode)); }
int flock(int file, int how) { FILE_CALL("flock", file, REAL(flock)(file, how)); }
int rename(const char *from, const char *to) { PATH_CALL("rename", to, REAL(rename)(from, to)); }
int unlink(const char *path) { PATH_CALL("unlink", path, REAL(unlink)(path)); }
int mkdir(const char *path, mode_t mode) { PATH_CALL("mkdir", path, REAL(mkdir)(path, mode)); }
int stat(const char *path, struct stat *found) { PATH_CALL("stat", path, REAL(stat)(path, found)); }
int lstat(const char *path, struct stat *found) { PATH_CALL("stat", path, REAL(lstat)(path, found)); }
int fstat(int file, struct stat *found) { FILE_CALL("stat", file, REAL(fstat)(file, found)); }
int stat64(const char *path, struct stat64 *found) { PATH_CALL("stat", path, REAL(stat64)(path, found)); }
int fstat64(int file, struct stat64 *found) { FILE_CALL("stat", file, REAL(fstat64)(file, found)); }
int access(const char *path, int how) { PATH_CALL("access", path, REAL(access)(path, how)); }
DIR *opendir(const char *path) { return below(path) && fate("opendir", path) ? NULL : REAL(opendir)(path); }

#define LOCKING(function)                                                                                \
  int function(int file, int what, ...) {                                                                \
    va_list rest; va_start(rest, what); void *value = va_arg(rest, void *); va_end(rest);                \
    if (holds(file) && (what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK || what == F_OFD_SETLKW)) { \
      int f = fate("lock", "");                                                                          \
      if (f) return f < 0 ? -1 : 0;                                                                      \
    }                                                                                                    \
    return REAL(function)(file, what, value);                                                            \
  }
LOCKING(fcntl)
LOCKING(fcntl64)
