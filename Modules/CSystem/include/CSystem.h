#pragma once
#include <spawn.h>
/// The arguments that the process was started with, its name included; returns their number.
int bb_arguments(char ***values);
/// The last part of the name that the process was started with; empty if it has none.
const char *bb_program(void);
/// What Glibc's module map hides from Swift.
int bb_pipe2(int fds[2], int flags);
int bb_spawn_addchdir(posix_spawn_file_actions_t *actions, const char *folder);
// Closes every descriptor from this one on in the program that is started.
int bb_spawn_addclosefrom(posix_spawn_file_actions_t *actions, int first);
/// Flushes the whole file system that a descriptor is on.
int bb_syncfs(int fd);
/// Gives a directory the name of another, which must be empty or missing; or, with `exchanges`, exchanges their names,
/// after it was given the mode of the other. If the file system cannot exchange names, there is none for a moment, and
/// `aside` is used. Returns 0, or -1 and errno.
int bb_publish_directory(const char *directory, const char *target, int exchanges, const char *aside);
/// Opens a regular file without blocking on anything else: open(2) with O_NONBLOCK, O_NOCTTY and O_CLOEXEC.
/// Returns a descriptor, or -1 and errno. For a file of another type errno is ENXIO, and `*type` its S_IFMT bits;
/// else `*type` is 0.
int bb_open_regular(const char *path, int flags, unsigned mode, unsigned *type);
/// Takes a shared lock of a range of a file, which belongs to the descriptor; 0, or -1 and errno: EAGAIN if another
/// process has a lock.
int bb_lock_shared(int fd, long long start, long long length);
/// O_PATH, which Glibc's module map hides.
#define BB_O_PATH 010000000
/// Opens `path` below the directory `root`: without following a symbolic link, or leaving the directory. Returns a
/// descriptor, or -1 and errno: ELOOP for a link, EXDEV for a path that leads elsewhere.
int bb_open_beneath(const char *root, const char *path, int flags);
/// The same where the kernel has no openat2(2), component by component.
int bb_open_each_beneath(const char *root, const char *path, int flags);
/// Takes an exclusive lock of a whole file, which belongs to the descriptor; 0, or -1 and errno: EAGAIN if another
/// process has a lock.
int bb_lock_exclusive(int fd);
/// Renames a file unless the new name exists; 0, or -1 and errno: EEXIST.
int bb_rename_new(const char *path, const char *target);
/// Makes malloc keep freed memory for what is allocated next, instead of returning it to the system.
void bb_keep_freed_memory(void);
/// Seconds that local time is ahead of UTC at an instant, in seconds since 1970.
long bb_local_offset(long long seconds);
/// Gives every task that no executor asked for to `take`, from any thread, instead of to Dispatch.
void bb_take_jobs(void (*take)(void *job));
