#define _GNU_SOURCE
#include "CSystem.h"
#include <unistd.h>
#include <fcntl.h>
int bb_pipe2(int fds[2], int flags) { return pipe2(fds, flags); }
