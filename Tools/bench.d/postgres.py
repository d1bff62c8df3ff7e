"""CSV into a table of PostgreSQL and back, against psql's \\copy and DuckDB's extension; the server is on loopback, in memory, and without fsync.

Every tool is a whole process. The tables are compared by sums, as the server computes them."""
import os, pathlib, shlex, shutil, socket, statistics, subprocess, sys, tempfile, time
import measure, peers


def binary(name):
    places = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(places[0]) if places else shutil.which(name)


class Server:
    def __init__(self, folder):
        self.data = pathlib.Path(folder) / "cluster"
        self.data.mkdir()
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user: shutil.chown(self.data, "postgres")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        subprocess.run(self.user + [binary("initdb"), "-D", str(self.data), "-U", "bb", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        settings = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.data} -c fsync=off -c shared_buffers=512MB -c max_wal_size=8GB -c autovacuum=off"
        subprocess.run(self.user + [binary("pg_ctl"), "-D", str(self.data), "-o", settings, "-l", str(self.data / "log"), "-w", "start"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.url = f"postgres://bb@127.0.0.1:{self.port}/postgres"

    def stop(self): subprocess.run(self.user + [binary("pg_ctl"), "-D", str(self.data), "-m", "immediate", "stop"], stdout=subprocess.DEVNULL, cwd="/")

    def cpu(self):
        """Seconds of the server's processes that have ended, once the last client has disconnected."""
        while self.sql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()") != "0": time.sleep(.05)
        time.sleep(.05)
        master = (self.data / "postmaster.pid").read_text().split()[0]
        return sum(map(int, open(f"/proc/{master}/stat").read().rsplit(")", 1)[1].split()[11:15])) / os.sysconf("SC_CLK_TCK")

    def sql(self, text): return subprocess.run(["psql", "-XAtq", self.url, "-c", text], capture_output=True, text=True).stdout.strip()


def duckdb():
    """Installs DuckDB with its extension for PostgreSQL, of one version, from PyPI; the extension's file, or None."""
    venv = peers.home / "duckdb-postgres"
    found = lambda: next((venv / "lib").glob("*/site-packages/duckdb_extension_postgres_scanner/**/*.duckdb_extension"), None)
    if not found():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin" / "pip", "-q", "install", "duckdb==1.5.5", "duckdb-extension-postgres-scanner==1.5.5"])
    return venv / "bin" / "python", found()


def python(program, code): return f"{program} -c {shlex.quote(code)}"


def taking_turns(server, commands, rounds, prepare=lambda name: None):
    """{name: command} → {name: medians}, with the CPU time of the server. `prepare` is not timed."""
    runs = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            prepare(name)
            before = server.cpu()
            one = measure.once(command + " >/dev/null 2>&1")
            one["server"] = server.cpu() - before
            if number: runs[name].append(one)
    return {name: {key: statistics.median(r[key] for r in list_) for key in ("wall", "cpu", "server", "memory")} for name, list_ in runs.items()}


def run(program, data, rounds):
    if not binary("initdb"): sys.exit("bench: PostgreSQL is not installed")
    interpreter, extension = duckdb()
    source, lines = data / "quotes.csv", []
    with tempfile.TemporaryDirectory(dir=data) as folder:
        os.chmod(folder, 0o755)
        server = Server(folder)
        try:
            subprocess.run([program, "--from", source, "-o", f"{server.url}?table=model", "-q"], check=True)
            subprocess.run(["psql", "-Xq", server.url, "-c", f"\\copy model to '{folder}/ready.bin' (format binary)"], check=True)
            # Every tool makes a table: pages of an earlier one would be evicted or reused.
            drop = lambda tool: server.sql(f"DROP TABLE IF EXISTS t_{tool}")
            make = lambda name: f"psql -Xq {server.url} -c 'CREATE TABLE {name} (LIKE model)'"
            attach = f"import duckdb; duckdb.sql(\"load '{extension}'\"); duckdb.sql(\"attach '{server.url}' as p (type postgres)\")"
            writers = {
                "bb": f"{program} --from {source} -o {shlex.quote(server.url + '?table=t_bb')} -q",
                "psql": make("t_psql") + f" -c \"\\\\copy t_psql from '{source}' csv header\"",
                # The time of a client that does nothing but send.
                "psql_binary": make("t_psql_binary") + f" -c \"\\\\copy t_psql_binary from '{folder}/ready.bin' (format binary)\"",
                "duckdb": python(interpreter, attach + f"; duckdb.sql(\"create table p.public.t_duckdb as from read_csv('{source}')\")"),
            }
            sums = lambda name: server.sql(f"SELECT count(*), sum(id), sum(length(quote)) FROM t_{name}")
            broken = [tool for tool, command in writers.items() if measure.once(command + " >/dev/null 2>&1")["status"] or sums(tool) != sums("bb")]
            for tool in broken: lines.append(f"Omitted, since it failed or wrote other values: {tool}.")
            results = taking_turns(server, {t: c for t, c in writers.items() if t not in broken}, rounds, drop)
            readers = {
                "bb": f"{program} model --from {server.url} -o {folder}/bb.csv -q",
                "psql": f"psql -Xq {server.url} -c \"\\\\copy model to '{folder}/psql.csv' csv header\"",
                "duckdb": python(interpreter, attach + f"; duckdb.sql(\"copy p.public.model to '{folder}/duckdb.csv' (header)\")"),
            }
            read = taking_turns(server, {t: c for t, c in readers.items() if t not in broken}, rounds)
            for title, found in (("CSV into a table (psql_binary: a file in the form of COPY)", results), ("A table into CSV", read)):
                lines += ["", f"{title}:", "", "| tool | wall s | CPU s of the client | CPU s of the server | memory MB | times bb's wall |", "|---|---:|---:|---:|---:|---:|"]
                for tool, one in sorted(found.items(), key=lambda item: item[1]["wall"]):
                    lines.append(f"| {tool} | {one['wall']:.3f} | {one['cpu']:.3f} | {one['server']:.2f} | {one['memory']:.0f} | {one['wall'] / found['bb']['wall']:.2f} |")
        finally:
            server.stop()
    return lines
