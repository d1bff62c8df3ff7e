"""A private PostgreSQL cluster and pooler, and how the checks run bb against them."""
import os, pathlib, pwd, shutil, socket, subprocess, sys, tempfile, time

top = pathlib.Path(__file__).resolve().parents[2]
programs = next(p for p in (top / ".build" / c for c in (os.environ.get("BB_CONFIGURATION", "release"), "debug")) if (p / "bb-export").exists())
export, notes = str(programs / "bb-export"), str(programs / "bb-notes")
failures = 0


def report(good, what):
    global failures
    failures += not good
    print(("ok      " if good else "FAILED  ") + what, flush=True)


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def binary(name):
    places = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/" + name), reverse=True)
    return str(places[0]) if places else shutil.which(name)


if os.geteuid() == 0 and not (binary("initdb") and shutil.which("pgbouncer")):
    subprocess.run(["apt-get", "install", "-y", "-q", "postgresql", "pgbouncer"], check=True, stdout=subprocess.DEVNULL)
if not binary("initdb"): sys.exit(print("skipped: postgres (initdb is not installed)"))

folder = pathlib.Path(tempfile.mkdtemp(prefix="bb-postgres-"))
folder.chmod(0o755)
user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
as_user = ["runuser", "-u", user, "--"] if os.geteuid() == 0 else []
home = folder / "home"
home.mkdir()
environment = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "BB_", "XDG_"))} | {"HOME": str(home), "TZ": "UTC", "LC_ALL": "C.UTF-8", "BB_NOW": "1384000000"}


class Cluster:
    """A cluster of its own; user bb, without further privileges, owns the database t."""

    def __init__(self, name, settings=()):
        self.port, self.data = port(), folder / name
        self.data.mkdir()
        if as_user: shutil.chown(self.data, user)
        subprocess.run(as_user + [binary("initdb"), "-D", str(self.data), "-U", "root", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        with open(self.data / "pg_hba.conf", "w") as f: f.write("local all all trust\nhost all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n")
        self.settings = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.data}", "max_connections=200", "logging_collector=off", *settings]
        self.start()
        self.psql("CREATE ROLE bb LOGIN", "postgres")
        self.psql("CREATE DATABASE t OWNER bb", "postgres")

    @classmethod
    def standby(cls, of, name):
        """A hot standby, which follows another cluster."""
        self = cls.__new__(cls)
        self.port, self.data = port(), folder / name
        self.data.mkdir(mode=0o700)
        if as_user: shutil.chown(self.data, user)
        subprocess.run(as_user + [binary("pg_basebackup"), "-h", "127.0.0.1", "-p", str(of.port), "-U", "root", "-D", str(self.data), "-R", "-c", "fast"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        self.settings = [s.replace(str(of.port), str(self.port)).replace(str(of.data), str(self.data)) for s in of.settings]
        self.start()
        return self

    def start(self):
        words = " ".join(f"-c {s}" for s in self.settings)
        subprocess.run(as_user + [binary("pg_ctl"), "-D", str(self.data), "-o", words, "-l", str(self.data / "log"), "-w", "start"], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def stop(self, how="immediate"):
        subprocess.run(as_user + [binary("pg_ctl"), "-D", str(self.data), "-m", how, "stop"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def psql(self, sql, database="t", role="root", check=True):
        done = subprocess.run(["psql", "-XAtq", "-h", "127.0.0.1", "-p", str(self.port), "-U", role, "-d", database, "-c", sql], capture_output=True, text=True, env=environment)
        if check and done.returncode: raise SystemExit(done.stderr)
        return done.stdout.strip()

    def url(self, **query):
        words = "&".join(f"{k}={v}" for k, v in query.items())
        return f"postgres://bb@127.0.0.1:{self.port}/t" + ("?" + words if words else "")


class Pool:
    """pgbouncer before a cluster, with a session for each transaction."""

    def __init__(self, cluster, size=10):
        self.port = port()
        file = folder / f"pool-{self.port}.ini"
        file.write_text(f"[databases]\nt = user=bb dbname=t host=127.0.0.1 port={cluster.port}\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port={self.port}\nauth_type=any\npool_mode=transaction\ndefault_pool_size={size}\nmax_client_conn=200\nunix_socket_dir=\nlogfile=/dev/null\n")
        self.process = subprocess.Popen(as_user + ["pgbouncer", "-q", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        time.sleep(1)

    def stop(self): self.process.terminate()

    def url(self, **query): return f"postgres://bb@127.0.0.1:{self.port}/t" + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else "")


def run(*words, input=None, env=None, timeout=120):
    done = subprocess.run(words, input=input, capture_output=True, env=environment | (env or {}), timeout=timeout, cwd=folder)
    return done.returncode, done.stdout, done.stderr
