#pragma once
#include <spawn.h>
/// What Glibc's module map hides from Swift.
int bb_pipe2(int fds[2], int flags);
int bb_spawn_addchdir(posix_spawn_file_actions_t *actions, const char *folder);
// Closes every descriptor from this one on in the program that is started.
int bb_spawn_addclosefrom(posix_spawn_file_actions_t *actions, int first);
/// Flushes the whole file system that a descriptor is on.
int bb_syncfs(int fd);
