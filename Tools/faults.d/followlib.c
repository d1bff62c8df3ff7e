/* A planted defect, preloaded into a program: every file is opened as if symbolic links were followed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

long syscall(long number, ...) {
  long values[6];
  va_list list;
  va_start(list, number);
  for (int place = 0; place < 6; place++) values[place] = va_arg(list, long);
  va_end(list);
  if (number == SYS_openat2) {
    const struct open_how *how = (const void *)values[2];
    return openat((int)values[0], (const char *)values[1], (int)how->flags & ~O_NOFOLLOW, (mode_t)how->mode);
  }
  return REAL(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return openat(AT_FDCWD, path, flags & ~O_NOFOLLOW, mode);
}
int lstat(const char *path, struct stat *found) { return stat(path, found) == 0 ? 0 : fstatat(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW); }
