"""Runs a program as a user would, in a directory of its own, and reports its cost and the files that it leaves."""
import hashlib, os, pathlib, resource, shutil, signal, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor

top = pathlib.Path(__file__).resolve().parent.parent.parent
release = top / ".build" / os.environ.get("BB_CONFIGURATION", "release")
# Planted wherever a secret goes in; must come out nowhere.
SECRET = "S3CR3T"
# In memory if possible: a run does not depend on the disk, and a sync costs nothing.
BASE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


# The kernel counts the memory of the process that starts a program as the program's: a large process starts a
# small one first.
STARTER = """import os, sys
pid = os.fork()
if not pid: os.execvpe(sys.argv[3], sys.argv[3:], os.environ | ({"LD_PRELOAD": sys.argv[2]} if sys.argv[2] else {}))
_, status, usage = os.wait4(pid, 0)
open(sys.argv[1], "w").write(f"{status} {usage.ru_maxrss} {usage.ru_utime + usage.ru_stime}")"""
SMALL = 30 << 10


class Run:
    """One run: exit code (negative: the signal), standard output and error, seconds, those of the processor, peak resident megabytes."""

    def __init__(self, command, folder, environment={}, limit=60, stdin=b"", wrap=()):
        env = {"PATH": f"{release}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"} | environment
        is_large = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > SMALL
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given, tempfile.NamedTemporaryFile() as spent:
            given.write(stdin); given.seek(0)
            start = time.monotonic()
            # Injected errors are for the program, not for its starter.
            starter = [sys.executable, "-S", "-c", STARTER, spent.name, env.pop("LD_PRELOAD", None) or ""] if is_large else []
            process = subprocess.Popen([*starter, *wrap, *map(str, command)], cwd=folder, env={k: v for k, v in env.items() if v is not None},
                                       stdin=given, stdout=out, stderr=err, start_new_session=True)
            late = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
            late.start()
            _, status, usage = os.wait4(process.pid, 0)
            late.cancel()
            process.returncode = self.status = os.waitstatus_to_exitcode(status)
            self.seconds, self.megabytes = time.monotonic() - start, usage.ru_maxrss / 1024
            self.processor = usage.ru_utime + usage.ru_stime
            if is_large and (figures := spent.read().split()):
                process.returncode = self.status = os.waitstatus_to_exitcode(int(figures[0]))
                self.megabytes, self.processor = int(figures[1]) / 1024, float(figures[2])
            out.seek(0); err.seek(0)
            self.out, self.err = out.read(), err.read()
        self.is_late = self.seconds >= limit

    @property
    def words(self): return self.err.decode(errors="replace").strip()


class Folder:
    """A new directory for one case, removed at its end."""

    def __init__(self, base=None): self.path = pathlib.Path(tempfile.mkdtemp(prefix="bb-fault-", dir=base))
    def __enter__(self): return self.path
    def __exit__(self, *_): shutil.rmtree(self.path, ignore_errors=True)


def digest(folder, ignored=()):
    """Every file below a directory with its contents."""
    folder = pathlib.Path(folder)
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in ignored}


def message_faults(text, expected_lines):
    """The faults of the messages on standard error."""
    found = []
    # A hint has its own line.
    lines = [line for line in text.decode(errors="replace").split("\n") if line and not line.startswith("hint: ")]
    # Waiting is reported.
    lines = [line for line in lines if not line.startswith("waiting ")]
    if len(lines) != expected_lines: found.append(f"{len(lines)} lines instead of {expected_lines}: {lines[:3]}")
    if SECRET.encode() in text: found.append("a secret in the message")
    if any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or 0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069 for c in text.decode(errors="replace")):
        found.append("a control character in the message")
    if any(len(line) > 600 for line in lines): found.append("an endless line")
    if b"Fatal error" in text: found.append("a trap")
    return found


class Report:
    """Counts cases and prints what failed, in the order it is known."""

    def __init__(self, title): self.title, self.cases, self.failures, self.skips, self.start, self.lock = title, 0, [], [], time.monotonic(), threading.Lock()

    def add(self, name, faults):
        with self.lock:
            self.cases += 1
            if faults:
                self.failures.append(name)
                print(f"failed: {self.title}: {name}: " + "; ".join(faults), flush=True)

    def skip(self, name, why):
        with self.lock:
            self.skips.append(name)
            print(f"skipped: {self.title}: {name}: {why}", flush=True)

    def end(self):
        """One line; whether all held."""
        print(f"{self.title}: {self.cases - len(self.failures)} held, {len(self.failures)} failed, {len(self.skips)} skipped, "
              f"{time.monotonic() - self.start:.0f} s", flush=True)
        return not self.failures


def in_parallel(width, work, cases):
    """Does `work` for each case, some at a time; the first exception ends it."""
    with ThreadPoolExecutor(width) as pool:
        for done in [pool.submit(work, case) for case in cases]: done.result()
