"""Runs a command as a whole process and says what it cost: wall and CPU seconds, peak resident memory."""
import pathlib, statistics, subprocess, sys

spawn = pathlib.Path(__file__).with_name("spawn.py")


def once(command, timeout=600):
    done = subprocess.run([sys.executable, "-I", "-S", spawn, command, str(timeout)], stdout=subprocess.PIPE, check=True)
    # What the command itself printed comes first.
    wall, cpu, memory, status = done.stdout.split()[-4:]
    return {"wall": float(wall), "cpu": float(cpu), "memory": int(memory) / 1024, "status": int(status)}


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
