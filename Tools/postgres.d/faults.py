"""Servers that fail in the middle of a change: what was acknowledged is kept, and nothing else is."""
import signal, socket, subprocess, threading, time
from cluster import Cluster, environment, export, folder, notes, report, run

SLEEP = "LANGUAGE plpgsql AS 'BEGIN PERFORM pg_catalog.pg_sleep(3); RETURN NULL; END'"


class Proxy:
    """Between bb and a server; cuts the first connection that commits a change, before or after the server has got it."""

    def __init__(self, port, when):
        self.target, self.when, self.cuts = port, when, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try: client, _ = self.listener.accept()
            except OSError: return
            server = socket.create_connection(("127.0.0.1", self.target))
            for a, b in ((client, server), (server, client)): threading.Thread(target=self.copy, args=(a, b, a is client), daemon=True).start()

    def copy(self, a, b, isClient):
        hasChanged = False
        try:
            while data := a.recv(1 << 16):
                hasChanged = hasChanged or b"bb_changes" in data or b"FROM STDIN" in data
                # A simple query: Q, its length, the text.
                if isClient and hasChanged and b"COMMIT\0" in data and data.startswith(b"Q") and not self.cuts:
                    self.cuts += 1
                    a.shutdown(socket.SHUT_RDWR)
                    if self.when == "after":
                        b.sendall(data)
                        time.sleep(.5)
                    break
                b.sendall(data)
        except OSError: pass
        for s in (a, b):
            try: s.shutdown(socket.SHUT_RDWR)
            except OSError: pass

    def close(self): self.listener.close()


def outcome(what, result, code, has="", good=True):
    """Reports an exit status with a message of one line, and a hint."""
    rc, _, err = result
    lines = err.decode().splitlines()
    isOneLine = code == 0 or len([l for l in lines if not l.startswith("hint: ")]) == 1
    report(rc == code and isOneLine and (not code or has in lines[0]) and good, f"faults: {what}: {rc} {' | '.join(lines)[:260]}" + ("" if rc == code else f" (expected {code})") + ("" if good else " (the data is wrong)"))


def later(*words):
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    return lambda: (process.communicate()[1], process.returncode)[::-1]


def faults(cluster, pool, options):
    (folder / "f.csv").write_text("id,name\n1,a\n2,b\n")
    exists = lambda name: cluster.psql(f"SELECT to_regclass('{name}') IS NOT NULL") == "t"
    count = lambda table: int(cluster.psql(f"SELECT count(*) FROM {table}"))
    place = lambda name, n: run(notes, "places", "add", name, "--at", "1,1", "--storage", cluster.url(schema="faults") if n is None else n)
    place("first", None)
    run(export, "--from", f"{folder}/f.csv", "-o", cluster.url(table="f"))
    cluster.psql("ALTER TABLE f ADD PRIMARY KEY (id)", role="bb")
    standby(cluster)
    interrupted(cluster)

    # Read-only by default, as a server or a role may be.
    cluster.psql("ALTER ROLE bb SET default_transaction_read_only = on", "postgres")
    outcome("a note, read-only", place("x", cluster.url(schema="ro")), 77, "read-only", not cluster.psql("SELECT 1 FROM pg_namespace WHERE nspname = 'ro'"))
    outcome("a table, read-only", run(export, "--from", f"{folder}/f.csv", "-o", cluster.url(table="ro")), 77, "read-only", not exists("ro"))
    outcome("reading, read-only", run(export, "f", "--from", cluster.url()), 0)
    cluster.psql("ALTER ROLE bb RESET default_transaction_read_only", "postgres")

    # Tables that others have locked: four at once, since each waits.
    holder = subprocess.Popen(["psql", "-Xq", "-h", "127.0.0.1", "-p", str(cluster.port), "-U", "bb", "-d", "t", "-c", "BEGIN; LOCK TABLE f, faults.places; SELECT pg_sleep(60)"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    store = cluster.url(schema="faults")
    waiting = {
        "append to a locked table": later(export, "--from", "f.csv", "-o", cluster.url(table="f"), "--existing", "append"),
        "replace a locked table": later(export, "--from", "f.csv", "-o", cluster.url(table="f"), "--existing", "replace"),
        "read a locked table": later(export, "f", "--from", cluster.url()),
        "change a locked table of a store": later(notes, "places", "add", "x", "--at", "1,1", "--storage", store),
    }
    found = {what: end() for what, end in waiting.items()}
    holder.kill()
    holder.wait()
    cluster.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()", "postgres")
    for what, (rc, err) in found.items(): outcome(what, (rc, b"", err), 75, "lock", count("f") == 2 and count("faults.places") == 1)

    # A statement that the server stops.
    cluster.psql("ALTER ROLE bb SET statement_timeout = '1s'", "postgres")
    cluster.psql(f"CREATE FUNCTION slow() RETURNS trigger {SLEEP}; CREATE TRIGGER slow AFTER INSERT ON f EXECUTE FUNCTION slow()")
    outcome("a statement that takes too long", run(export, "--from", "f.csv", "-o", cluster.url(table="f"), "--existing", "truncate"), 75, "timeout", count("f") == 2)
    cluster.psql("ALTER ROLE bb RESET statement_timeout", "postgres")

    # The backend is killed between COPY and COMMIT, and within COMMIT.
    def killed(what, codes, *words):
        end = later(*words)
        time.sleep(1.5)
        dead = cluster.psql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'bb' AND wait_event = 'PgSleep'", "postgres")
        rc, err = end()
        outcome(what, (rc, b"", err), rc if rc in codes else codes[0], "", dead == "1" and count("f") == 2 and count("faults.places") == 1)

    (folder / "g.csv").write_text("id,name\n1,x\n3,c\n")
    killed("killed after COPY, before COMMIT (upsert)", (69, 75), export, "--from", "g.csv", "-o", cluster.url(table="f"), "--existing", "upsert")
    cluster.psql("DROP TRIGGER slow ON f; CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON f DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()")
    (folder / "h.csv").write_text("id,name\n3,c\n")
    killed("killed within COMMIT (append)", (69, 75), export, "--from", "h.csv", "-o", cluster.url(table="f"), "--existing", "append")
    cluster.psql("DROP TRIGGER slow ON f; CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON faults.places DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()")
    killed("killed within COMMIT (a store)", (75,), notes, "places", "add", "x", "--at", "1,1", "--storage", store)
    cluster.psql("DROP TRIGGER slow ON faults.places")

    # The connection is lost with the COMMIT on its way, or with its response.
    for when, code, rows in (("before", 75, 1), ("after", 0, 2)):
        proxy = Proxy(cluster.port, when)
        through = f"postgres://bb@127.0.0.1:{proxy.port}/t?schema=faults"
        outcome(f"the connection is lost {when} COMMIT arrives (a store)", place("second", through), code, "nothing was changed", count("faults.places") == rows and count("faults.bb_history") == rows and proxy.cuts == 1)
        proxy.close()
        proxy = Proxy(cluster.port, when)
        through = f"postgres://bb@127.0.0.1:{proxy.port}/t?schema=new_{when}"
        outcome(f"the connection is lost {when} COMMIT arrives (a new store)", place("first", through), code, "nothing was changed", exists(f"new_{when}.places") == (when == "after") and proxy.cuts == 1)
        proxy.close()
        proxy = Proxy(cluster.port, when)
        through = f"postgres://bb@127.0.0.1:{proxy.port}/t?table=lost_{when}"
        outcome(f"the connection is lost {when} COMMIT arrives (an output)", run(export, "--from", "f.csv", "-o", through), 75, "lost while", exists(f"lost_{when}") == (when == "after") and proxy.cuts == 1)
        proxy.close()
    report(run(notes, "check", "--storage", store)[0] == 0, "faults: check finds nothing")


def interrupted(cluster):
    """Ctrl-C ends the program at once, and the statement on the server."""
    cluster.psql("CREATE VIEW public.slow AS SELECT i, pg_sleep(.5)::text AS s FROM generate_series(1, 100) i", role="bb")
    holder = subprocess.Popen(["psql", "-Xq", "-h", "127.0.0.1", "-p", str(cluster.port), "-U", "root", "-d", "t", "-c", "BEGIN; SELECT 1 FROM faults.bb_meta WHERE name = 'writer' FOR UPDATE; SELECT pg_sleep(10)"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for what, words in {
        "reading": (export, "slow", "--from", cluster.url(), "-f", "csv"), "writing": (export, "--from", "/dev/stdin", "--from-format", "csv", "-o", cluster.url(table="interrupted")),
        "waiting for a lock": (notes, "places", "add", "x", "--at", "1,1", "--storage", cluster.url(schema="faults"))}.items():
        process = subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        time.sleep(1.5)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        # Its input stays open.
        process.wait(timeout=30)
        seconds = time.monotonic() - started
        time.sleep(.5)
        active = cluster.psql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'bb' AND state = 'active'", "postgres")
        report(process.returncode == 130 and seconds < 3 and active == "0", f"faults: interrupted while {what}: {process.returncode} after {seconds:.1f} s, {active} statements are left")
    holder.kill()
    holder.wait()
    report(cluster.psql("SELECT to_regclass('interrupted') IS NULL") == "t", "faults: an interrupted output leaves no table")


def standby(cluster):
    """A hot standby gives what was committed, and takes nothing."""
    follower = Cluster.standby(cluster, "standby")
    try:
        url = f"postgres://bb@127.0.0.1:{follower.port}/t"
        for _ in range(50):
            rc, out, _ = run(export, "places", "--storage", url + "?schema=faults", "-f", "csv", "--columns", "name")
            if rc == 0: break
            time.sleep(.2)
        report(out == b"name\nfirst\n", "faults: a store on a standby is read")
        report(run(export, "f", "--from", url, "-f", "csv")[1] == b"id,name\n1,a\n2,b\n", "faults: a table on a standby is read")
        outcome("a note on a standby", run(notes, "places", "add", "x", "--at", "1,1", "--storage", url + "?schema=faults"), 77, "read-only")
        outcome("a new store on a standby", run(notes, "places", "add", "x", "--at", "1,1", "--storage", url + "?schema=other"), 77, "read-only")
        outcome("a table on a standby", run(export, "--from", f"{folder}/f.csv", "-o", url + "?table=s"), 77, "read-only")
        both = f"postgres://bb@127.0.0.1:{follower.port},127.0.0.1:{cluster.port}/t"
        outcome("the primary of two hosts", run(export, "--from", f"{folder}/f.csv", "-o", both + "?table=primary_only&target_session_attrs=read-write"), 0, "", cluster.psql("SELECT count(*) FROM primary_only") == "2")
    finally:
        follower.stop()
