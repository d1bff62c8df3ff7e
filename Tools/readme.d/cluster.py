"""A PostgreSQL server of its own, on a socket in a temporary directory, for the commands of the articles."""
import os, pathlib, pwd, shutil, subprocess, tempfile

folder = None


def binary(name):
    places = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/" + name), reverse=True)
    return str(places[0]) if places else shutil.which(name)


def as_user(*words):
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else list(words)


def start():
    """Variables for libpq; nothing if no server is installed."""
    global folder
    if not binary("initdb"): return None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bb-postgres-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    if os.geteuid() == 0: shutil.chown(data, "postgres")
    subprocess.run(as_user(binary("initdb"), "-D", str(data), "-U", "bb", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"), check=True, stdout=subprocess.DEVNULL, cwd="/")
    subprocess.run(as_user(binary("pg_ctl"), "-D", str(data), "-w", "-l", str(data / "log"), "-o", f"-c listen_addresses= -c unix_socket_directories={data} -c fsync=off", "start"), check=True, stdout=subprocess.DEVNULL, cwd="/")
    for database in ("team", "analytics"):
        subprocess.run(as_user(binary("psql"), "-h", str(data), "-U", "bb", "-q", "-c", f"CREATE DATABASE {database}", "postgres"), check=True, cwd="/")
    return {"PGHOST": str(data), "PGUSER": "bb", "PGDATABASE": "postgres"}


def stop():
    subprocess.run(as_user(binary("pg_ctl"), "-D", str(folder / "data"), "-m", "immediate", "stop"), stdout=subprocess.DEVNULL, cwd="/")
    shutil.rmtree(folder, ignore_errors=True)
