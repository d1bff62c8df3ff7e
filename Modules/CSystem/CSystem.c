#define _GNU_SOURCE
#include "CSystem.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
static int argument_count;
static char **arguments;
// glibc passes the arguments to constructors; Swift's CommandLine reads them from /proc, which may not be mounted.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}
int bb_arguments(char ***values) {
  *values = arguments;
  return argument_count;
}
const char *bb_program(void) { return program_invocation_short_name; }
int bb_pipe2(int fds[2], int flags) { return pipe2(fds, flags); }
int bb_spawn_addchdir(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}
int bb_spawn_addclosefrom(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
int bb_syncfs(int fd) { return syncfs(fd); }
int bb_publish_directory(const char *directory, const char *target, int exchanges, const char *aside) {
  struct stat status;
  if (!exchanges) return rename(directory, target);
  if (stat(target, &status) == 0) chmod(directory, status.st_mode & 07777);
  if (renameat2(AT_FDCWD, directory, AT_FDCWD, target, RENAME_EXCHANGE) == 0) return 0;
  if ((errno != EINVAL && errno != ENOSYS) || rename(target, aside) != 0) return -1;
  if (rename(directory, target) == 0) return rename(aside, directory);
  int code = errno;
  rename(aside, target);
  errno = code;
  return -1;
}
int bb_open_regular(const char *path, int flags, unsigned mode, unsigned *type) {
  *type = 0;
  int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
  struct stat status;
  if (fd < 0) {
    // A socket cannot be opened, nor can a FIFO for writing that nothing reads; a symbolic link is refused by
    // O_NOFOLLOW.
    int code = errno;
    if ((code == ENXIO || code == ELOOP || code == ENODEV) && lstat(path, &status) == 0) *type = status.st_mode & S_IFMT;
    errno = *type ? ENXIO : code;
    return -1;
  }
  int code = fstat(fd, &status) == 0 ? 0 : errno;
  if (code == 0 && !S_ISREG(status.st_mode)) {
    *type = status.st_mode & S_IFMT;
    code = ENXIO;
  }
  if (code == 0) return fd;
  close(fd);
  errno = code;
  return -1;
}
int bb_lock_shared(int fd, long long start, long long length) {
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length };
  return fcntl(fd, F_OFD_SETLK, &lock);
}
int bb_lock_exclusive(int fd) {
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  return fcntl(fd, F_OFD_SETLK, &lock);
}
int bb_rename_new(const char *path, const char *target) {
  if (renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  struct stat status;
  if (lstat(target, &status) != 0) return rename(path, target);
  errno = EEXIST;
  return -1;
}
static int open_root(const char *root) { return open(*root ? root : ".", O_PATH | O_DIRECTORY | O_CLOEXEC); }
/// Closes a descriptor, and keeps errno.
static int closing(int fd, int result) {
  int code = errno;
  close(fd);
  errno = code;
  return result;
}
int bb_open_each_beneath(const char *root, const char *path, int flags) {
  int at = open_root(root);
  if (at >= 0 && *path == '/') {
    errno = EXDEV;
    return closing(at, -1);
  }
  while (at >= 0) {
    size_t length = strcspn(path, "/");
    int is_last = path[length] == 0;
    char name[256];
    // An empty component, and `.`, stay where they are.
    if (!is_last && (length == 0 || (length == 1 && *path == '.'))) {
      path += length + 1;
      continue;
    }
    if (length > 255 || (length == 2 && strncmp(path, "..", 2) == 0)) {
      errno = length > 255 ? ENAMETOOLONG : EXDEV;
      return closing(at, -1);
    }
    memcpy(name, path, length);
    name[length] = 0;
    path += length + 1;
    // A link is refused as such, not as a component that is not a directory.
    struct stat status;
    if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode)) {
      errno = ELOOP;
      return closing(at, -1);
    }
    int next = openat(at, name, (is_last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
    closing(at, 0);
    if (is_last) return next;
    at = next;
  }
  return -1;
}
int bb_open_beneath(const char *root, const char *path, int flags) {
  int directory = open_root(root);
  if (directory < 0) return -1;
  struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
  int fd = closing(directory, syscall(SYS_openat2, directory, path, &how, sizeof how));
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN)) return fd;
  return bb_open_each_beneath(root, path, flags);
}
long bb_local_offset(long long seconds) {
  time_t time = (time_t)seconds;
  struct tm local;
  tzset();
  return localtime_r(&time, &local) ? local.tm_gmtoff : 0;
}
void bb_keep_freed_memory(void) {
#ifdef __GLIBC__
  // The same large buffers are needed again for each batch and row group; returned each time, their page faults took a
  // tenth of a conversion.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
  // A heap grows by this much at a time: otherwise by a page, with a system call for each.
  mallopt(M_TOP_PAD, 4 << 20);
  // What one thread freed is there for the others.
  mallopt(M_ARENA_MAX, 2);
#endif
}
#define SWIFT __attribute__((swiftcall))
typedef SWIFT void (*original)(void *);
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, original);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long delay, void *job, original);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long leeway, long long leeway_rest, int clock, void *job, original);
static void (*take_job)(void *job);
struct sleeper { void *job; clockid_t clock; struct timespec until; };
static void *sleeping(void *context) {
  struct sleeper *sleeper = context;
  while (clock_nanosleep(sleeper->clock, TIMER_ABSTIME, &sleeper->until, NULL) == EINTR) {}
  take_job(sleeper->job);
  free(sleeper);
  return NULL;
}
static void take_later(void *job, clockid_t clock, struct timespec until) {
  struct sleeper *sleeper = malloc(sizeof *sleeper);
  pthread_t thread;
  if (sleeper) *sleeper = (struct sleeper){ job, clock, until };
  if (!sleeper || pthread_create(&thread, NULL, sleeping, sleeper) != 0) return take_job(job);
  pthread_detach(thread);
}
static SWIFT void enqueue(void *job, original next) { take_job(job); }
static SWIFT void enqueue_delayed(unsigned long long delay, void *job, original next) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += delay / 1000000000;
  if ((until.tv_nsec += delay % 1000000000) >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  take_later(job, CLOCK_MONOTONIC, until);
}
static SWIFT void enqueue_until(
    long long seconds, long long nanoseconds, long long leeway, long long rest, int clock, void *job, original next) {
  take_later(job, clock == 1 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, (struct timespec){ seconds, nanoseconds });
}
void bb_take_jobs(void (*take)(void *job)) {
  take_job = take;
  swift_task_enqueueGlobal_hook = enqueue;
  swift_task_enqueueGlobalWithDelay_hook = enqueue_delayed;
  swift_task_enqueueGlobalWithDeadline_hook = enqueue_until;
}
