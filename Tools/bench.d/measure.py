"""Runs a command as a whole process and says what it cost: wall and CPU seconds, peak resident memory."""
import os, resource, signal, statistics, time


def once(command, timeout=600):
    null = os.open(os.devnull, os.O_RDWR)
    start = time.monotonic()
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exec " + command if not command.startswith("(") else command], os.environ,
                         file_actions=[(os.POSIX_SPAWN_DUP2, null, 0)], setsid=True)
    os.close(null)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(pid, signal.SIGKILL)); signal.alarm(timeout)
    _, status, usage = os.wait4(pid, 0)
    signal.alarm(0)
    return {"wall": time.monotonic() - start, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024,
            "status": os.waitstatus_to_exitcode(status)}


def interleaved(commands, rounds, before=lambda: None, warm=1):
    """{name: command} → {name: medians}; the commands take turns, so that a noisy machine is noisy for all."""
    runs = {name: [] for name in commands}
    for number in range(rounds + warm):
        for name, command in commands.items():
            if runs[name] and runs[name][-1]["status"]: continue
            before()
            run = once(command)
            if number >= warm or run["status"]: runs[name].append(run)
    return {name: {key: statistics.median(r[key] for r in list_) for key in ("wall", "cpu", "memory")} | {"status": list_[-1]["status"]}
            for name, list_ in runs.items() if list_}
