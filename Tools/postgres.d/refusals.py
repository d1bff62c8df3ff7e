"""Servers, tables and values that are refused."""
import os, shutil, subprocess, time
from cluster import export, folder, notes, report, run, Cluster, environment, user


def refusals(cluster, pool, options):
    secret = "S3CR3T"
    (folder / "in.csv").write_text("id,name\n1,a\n")

    def refused(what, code, *words, env=None, has=""):
        rc, _, err = run(*words, env=env)
        line = err.decode().splitlines()[0] if err else ""
        report(rc == code and secret not in err.decode() and has in line, f"refusals: {what}: {rc} {line}" + ("" if rc == code else f" (expected {code})"))

    read = lambda url, *rest: (export, "t", "--from", url, *rest)
    refused("no server", 69, *read(f"postgres://u:{secret}@127.0.0.1:1/t"))
    refused("no such host", 69, *read(f"postgres://u:{secret}@nowhere.invalid/t"))
    refused("no response", 69, *read(f"postgres://u:{secret}@192.0.2.1/t?connect_timeout=2"))
    cluster.psql("CREATE ROLE locked LOGIN PASSWORD 'right'", "postgres")
    refused("wrong password", 77, *read(f"postgres://locked:{secret}@127.0.0.1:{cluster.port}/t"))
    refused("no password", 77, *read(f"postgres://locked@127.0.0.1:{cluster.port}/t"))
    refused("no such role", 77, *read(f"postgres://nobody@127.0.0.1:{cluster.port}/t"))
    refused("no such database", 66, *read(f"postgres://bb@127.0.0.1:{cluster.port}/none"))
    refused("malformed", 64, *read(f"postgres://u:{secret}/x@db/t"))
    refused("unknown parameter", 64, *read(cluster.url(password=secret, nonsense="1")))
    refused("no such table", 66, export, "nothing", "--from", cluster.url())
    refused("no such schema", 66, export, "--from", f"{folder}/in.csv", "-o", cluster.url(table="none.t"))
    cluster.psql("CREATE TABLE public.hidden(a int); CREATE ROLE poor LOGIN; REVOKE ALL ON DATABASE t FROM public; GRANT CONNECT ON DATABASE t TO poor", role="root")
    poor = f"postgres://poor@127.0.0.1:{cluster.port}/t"
    refused("no privilege to read", 77, export, "hidden", "--from", poor)
    refused("no privilege to create a schema", 77, notes, "add", "S01E01", "x", "--storage", poor)
    refused("a schema that is not bb's", 77, notes, "add", "S01E01", "x", "--storage", cluster.url(schema="raw") if "raw" in cluster.psql("SELECT nspname FROM pg_namespace") else cluster.url(schema="public"))
    refused("no store", 66, notes, "list", "--storage", cluster.url(schema="empty"))
    run(notes, "add", "S01E01", "x", "--storage", cluster.url(schema="locked"))
    # A role and a schema of one name: the schema would come first in the search path.
    cluster.psql("CREATE SCHEMA bb AUTHORIZATION bb; CREATE TABLE bb.t(wrong int)")
    rc, _, err = run(export, "--from", f"{folder}/in.csv", "-o", cluster.url(table="t"), "--existing", "replace")
    report(rc == 0 and cluster.psql("SELECT count(*) FROM public.t") == "1" and cluster.psql("SELECT count(*) FROM bb.t") == "0", f"refusals: a role and a schema of one name {err.decode()}")
    # An ICU collation orders otherwise; bb orders by bytes.
    cluster.psql("CREATE DATABASE icu OWNER bb TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'", "postgres", check=False)
    if cluster.psql("SELECT count(*) FROM pg_database WHERE datname = 'icu'", "postgres") == "1":
        (folder / "order.csv").write_text("k\nb\nA\na\nB\né\n")
        place = f"postgres://bb@127.0.0.1:{cluster.port}/icu"
        run(notes, "places", "add", "zoo", "--at", "1,2", "--storage", place)
        for name in ("b", "A", "a", "B", "é"): run(notes, "places", "add", name, "--at", "1,2", "--storage", place)
        a = run(export, "places", "--storage", place, "--where", "name > 'B'", "--sort", "name", "-f", "csv", "--columns", "name")
        report(a[1].decode() == "name\na\nb\nzoo\né\n", f"refusals: an ICU collation {a}")
    # Locked by another.
    holder = subprocess.Popen(["psql", "-Xq", "-h", "127.0.0.1", "-p", str(cluster.port), "-U", "bb", "-d", "t", "-c", "BEGIN; SELECT 1 FROM locked.bb_meta WHERE name = 'writer' FOR UPDATE; SELECT pg_sleep(25)"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    refused("a store that is locked", 75, notes, "add", "S01E02", "x", "--storage", cluster.url(schema="locked"), has="locked")
    holder.kill()
    holder.wait()
    # A full disk: a tablespace of 4 MiB.
    if os.geteuid() == 0:
        disk = folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], stderr=subprocess.DEVNULL).returncode == 0:
            shutil.chown(disk, user)
            cluster.psql(f"CREATE TABLESPACE small LOCATION '{disk}'", "postgres")
            cluster.psql("CREATE DATABASE tiny OWNER bb", "postgres")
            cluster.psql("ALTER ROLE bb SET default_tablespace = small; GRANT CREATE ON TABLESPACE small TO bb", "postgres")
            (folder / "big.csv").write_text("a\n" + ("x" * 100 + "\n") * 100_000)
            refused("a full disk", 74, export, "--from", f"{folder}/big.csv", "-o", f"postgres://bb@127.0.0.1:{cluster.port}/tiny?table=big")
            report(cluster.psql("SELECT to_regclass('public.big') IS NULL", "tiny") == "t", "refusals: no table is left on a full disk")
            cluster.psql("ALTER ROLE bb RESET default_tablespace", "postgres")
            cluster.psql("DROP DATABASE tiny", "postgres")
            cluster.psql("DROP TABLESPACE small", "postgres")
            subprocess.run(["umount", str(disk)])
    if shutil.which("unshare") and os.geteuid() == 0:
        # Without libpq.
        hidden = subprocess.run(["sh", "-c", f"unshare -m sh -c 'for f in /usr/lib/*/libpq.so.5*; do mount --bind /dev/null $f; done; exec {export} t --from {cluster.url()}'"], capture_output=True, text=True, env=environment)
        report(hidden.returncode == 69 and "libpq5" in hidden.stderr, f"refusals: without libpq: {hidden.returncode} {hidden.stderr.splitlines()[:2]}")
