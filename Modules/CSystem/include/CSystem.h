#pragma once
/// What Glibc's module map hides from Swift.
int bb_pipe2(int fds[2], int flags);
