#define _GNU_SOURCE
#include "CSystem.h"
#include <unistd.h>
#include <fcntl.h>
int bb_pipe2(int fds[2], int flags) { return pipe2(fds, flags); }
int bb_spawn_addchdir(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}
int bb_spawn_addclosefrom(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
int bb_syncfs(int fd) { return syncfs(fd); }
