#pragma once
#include <spawn.h>
/// What Glibc's module map hides from Swift.
int bb_pipe2(int fds[2], int flags);
int bb_spawn_addchdir(posix_spawn_file_actions_t *actions, const char *folder);
/// Flushes the whole file system that a descriptor is on.
int bb_syncfs(int fd);
