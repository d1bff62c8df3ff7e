"""Runs one command of the shell and prints what it cost: wall and CPU seconds, peak memory in KiB, exit code. A process of its own, and a small one: a
child's peak begins with the memory of the process that started it."""
import os, signal, sys, time

command, timeout = sys.argv[1], int(sys.argv[2])
null = os.open(os.devnull, os.O_RDWR)
start = time.monotonic()
pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exec " + command if not command.startswith("(") else command], os.environ,
                     file_actions=[(os.POSIX_SPAWN_DUP2, null, 0)], setsid=True)
signal.signal(signal.SIGALRM, lambda *_: os.killpg(pid, signal.SIGKILL))
signal.alarm(timeout)
_, status, usage = os.wait4(pid, 0)
print("", time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
