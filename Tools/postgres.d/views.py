"""What analysts see in psql, and what bb never shows: passwords."""
import json, os, subprocess
from cluster import environment, export, folder, notes, report, run


def views(cluster, pool, options):
    place = cluster.url(schema="views")
    rows = [
        {"id": 1, "d": "2020-02-29", "t": "2020-02-29T10:00:00.123456Z", "n": 1.10, "r": 0.1, "j": {"a": [1, 2]}, "l": ["x", "y"], "b": True, "s": "é"},
        {"id": 2, "d": "2013-09", "t": "2020-02-29T08:00:00Z", "n": 3, "r": -0.0, "j": None, "l": [], "b": None, "s": ""},
    ]
    (folder / "typed.ndjson").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).replace('"n": 1.1,', '"n": 1.10,'))
    rc, _, err = run(export, "sync", "--from", f"{folder}/typed.ndjson", "--types", "d=date,t=timestamp,n=decimal,r=real,j=json,l=list-of-text,b=boolean", "--storage", place)
    report(rc == 0, f"views: a table with every type {err.decode()}")
    types = cluster.psql("SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = 'views' AND table_name = 'typed_typed'")
    wanted = "id bigint, d date, t timestamp with time zone, n numeric, r double precision, j jsonb, l jsonb, b boolean, s text"
    report(types == wanted, f"views: types {types}" if types != wanted else "views: numeric, date, timestamptz, double precision, jsonb")
    values = cluster.psql("SET TimeZone = 'UTC'; SELECT d, t, n + 1, r, j->'a'->>1, jsonb_array_length(l), b, s FROM views.typed_typed ORDER BY id", role="bb")
    report(values == "2020-02-29|2020-02-29 10:00:00.123456+00|2.10|0.1|2|2|t|é\n|2020-02-29 08:00:00+00|4|-0||0||", f"views: values {values!r}")
    exact = cluster.psql("SELECT d || ' ' || t FROM views.typed WHERE id = 2")
    report(exact == "2013-09 2020-02-29T08:00:00Z", f"views: the table keeps what a type cannot: {exact}")
    # One who may only read the views, with other settings.
    cluster.psql("CREATE ROLE analyst LOGIN; GRANT CONNECT ON DATABASE t TO analyst; GRANT USAGE ON SCHEMA views TO analyst; GRANT SELECT ON views.typed_typed TO analyst; ALTER ROLE analyst SET DateStyle = 'German, DMY'; ALTER ROLE analyst SET TimeZone = 'Asia/Tokyo'")
    seen = cluster.psql("SELECT d = '2020-02-29'::date AND extract(epoch FROM t) = 1582970400.123456 FROM views.typed_typed WHERE id = 1", role="analyst")
    report(seen == "t", f"views: an analyst with other settings sees the same: {seen}")
    limits(cluster)
    secrets(cluster)


def limits(cluster):
    """What PostgreSQL cannot hold is refused before anything is sent."""
    cluster.psql("ALTER ROLE bb SET log_statement = 'mod'", "postgres")
    place = cluster.url(schema="limits")
    (folder / "nul.ndjson").write_text('{"id":1,"a":"x"}\n{"id":2,"a":"x\\u0000y"}\n')
    for what, words, has in (
        ("U+0000, in a store", ("sync", "--from", f"{folder}/nul.ndjson", "--storage", place), ("a", "U+0000")),
        ("U+0000, in a table", ("--from", f"{folder}/nul.ndjson", "-o", cluster.url(table="nul")), ("a", "U+0000")),
        ("a table of 64 bytes, in a store", ("sync", "--from", f"{folder}/in.csv", "--as", "t" * 64, "--storage", place), ("64 bytes",)),
        ("a table of 64 bytes", ("--from", f"{folder}/in.csv", "-o", cluster.url(table="é" * 32)), ("64 bytes",)),
        ("a column of 64 bytes, in a store", ("sync", "--from", f"{folder}/long.csv", "--storage", place), ("64 bytes",)),
        ("a column of 64 bytes", ("--from", f"{folder}/long.csv", "-o", cluster.url(table="long")), ("64 bytes",)),
    ):
        (folder / "in.csv").write_text("id,name\n1,a\n")
        (folder / "long.csv").write_text("id," + "c" * 64 + "\n1,a\n")
        rc, _, err = run(export, *words)
        report(rc == 65 and all(h in err.decode() for h in has), f"limits: {what}: {rc} {err.decode().splitlines()[:1]}")
    report(cluster.psql("SELECT count(*) FROM pg_class WHERE relname IN ('nul', 'long') OR relname LIKE 'tttt%' OR relname LIKE 'é%'") == "0", "limits: no table is left")
    cluster.psql("ALTER ROLE bb RESET log_statement", "postgres")


def secrets(cluster):
    """A password is in no message, file, history or argument of a child process."""
    secret = "pw-S3CR3T"
    cluster.psql(f"CREATE ROLE locked2 LOGIN PASSWORD '{secret}'; GRANT ALL ON DATABASE t TO locked2; GRANT ALL ON SCHEMA public TO locked2", "t")
    with open(cluster.data / "pg_hba.conf") as f: rules = f.read()
    with open(cluster.data / "pg_hba.conf", "w") as f: f.write("host all locked2 127.0.0.1/32 scram-sha-256\n" + rules)
    cluster.psql("SELECT pg_reload_conf()")
    url = f"postgres://locked2:{secret}@127.0.0.1:{cluster.port}/t"
    words = f"postgres:host=127.0.0.1 port={cluster.port} dbname=t user=locked2 password={secret}"
    work = folder / "secrets"
    work.mkdir()
    table, shown, succeeded = folder / "in.csv", [], 0
    pager = work / "pager"
    pager.write_text("#!/bin/sh\ntr '\\0' ' ' </proc/$$/cmdline\ncat >/dev/null\n")
    pager.chmod(0o755)
    config = folder / "home" / ".config" / "bb"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config").write_text(f"storage = {url}\n")
    for command in (
        [notes, "places", "add", "x", "--at", "1,1", "--storage", url + "?schema=secrets"], [notes, "history", "--storage", url + "?schema=secrets"],
        [notes, "history", "-f", "json", "--storage", words + " schema=secrets"], [notes, "check", "--storage", url + "?schema=none"],
        [export, "--from", str(table), "-o", url + "?table=secrets", "--summary", "json", "-v"],
        [export, "secrets", "--from", url, "-o", f"{work}/a.csv", "--csvw", "--datapackage", "--summary", "json", "-v"],
        [export, "secrets", "--from", words, "-o", f"{work}/a.html", "-o", f"{work}/a.json", "-o", f"{work}/a.sql", "-o", f"{work}/a.xlsx", "-o", f"{work}/a.parquet", "-o", f"{work}/a.db"],
        [export, "nothing", "--from", url], [export, "nothing", "--from", url, "--errors", "json"], [export, "secrets", "--from", url, "--where", "x = 1"],
        [export, "sync", "--from-storage", url + "?schema=secrets", "--storage", f"sqlite:{work}/s.db", "-v"], [notes, "history", "--storage", f"sqlite:{work}/s.db"],
        [export, "sync", "--from", url, "secrets", "--storage", f"csv:{work}/store", "-v"],
        [notes, "config"], [export, "config"], [notes, "list"], [notes, "list", "--storage", url.replace("127", "128")], [notes, "init", "--storage", url + "?schema=secrets"],
        [notes, "migrate", "--storage", url + "?schema=secrets", "--to", url + "?schema=secrets2"], [export, "secrets", "--from", url, "--progress", "always"],
        [export, "secrets", "--from", url, "--sql", "SELECT nothing"], [export, "--sql", "SELECT * FROM secrets", "--from", url],
        ["script", "-qec", f"{export} secrets --from '{url}' -f table", "/dev/null"],
    ):
        rc, out, err = run(*command, env={"PAGER": str(pager), "BB_PAGER": str(pager)})
        succeeded += rc == 0
        if secret.encode() in out + err: shown.append((command[1:3], (out + err)[:300]))
    (config / "config").unlink()
    for file in [*work.rglob("*"), *(folder / "home").rglob("*")]:
        if file.is_file() and secret.encode() in file.read_bytes(): shown.append(str(file))
    dump = subprocess.run(["pg_dump", "-h", "127.0.0.1", "-p", str(cluster.port), "-U", "root", "t"], capture_output=True, env=environment).stdout
    if secret.encode() in dump: shown.append("the database")
    report(not shown and len(dump) > 1000 and succeeded >= 14, f"secrets: a password is never shown, by {succeeded} commands and their files {shown or ''}")
