"""Tables as outputs and inputs."""
import csv, hashlib, io, json, subprocess, time
from cluster import Pool, environment, export, folder, report, run


def outputs(cluster, _, options):
    table = folder / "in.csv"
    table.write_text("id,name,score,day\n1,a,1.5,2020-01-01\n2,\"b,\\\t\"\"é🧪\",,\n3,,2.25,1999-12-31\n")
    place = cluster.url(table="raw.t")
    cluster.psql("CREATE SCHEMA raw", role="bb")
    read = lambda: run(export, "raw.t", "--from", cluster.url(), "-f", "csv")[1].decode()
    rc, _, err = run(export, "--from", str(table), "-o", place)
    report(rc == 0 and read() == table.read_text(), f"outputs: a table comes back as it was {err.decode()}")
    report(run(export, "--from", str(table), "-o", place)[0] == 73, "outputs: a table that exists is refused")
    rc, _, _ = run(export, "--from", str(table), "-o", place, "--existing", "append", "-o", f"{folder}/copy.csv")
    report(rc == 0 and cluster.psql("SELECT count(*) FROM raw.t") == "6" and (folder / "copy.csv").read_text() == table.read_text(), "outputs: append, and a file as well")
    rc, _, _ = run(export, "--from", str(table), "-o", place, "--existing", "truncate")
    report(rc == 0 and read() == table.read_text(), "outputs: truncate")
    cluster.psql("ALTER TABLE raw.t ADD PRIMARY KEY (id)", role="bb")
    (folder / "more.csv").write_text("id,name,score,day\n2,x,,\n4,d,9.5,\n")
    rc, _, err = run(export, "--from", f"{folder}/more.csv", "-o", place, "--existing", "upsert")
    report(rc == 0 and cluster.psql("SELECT string_agg(id || coalesce(name, ''), ',' ORDER BY id) FROM raw.t") == "1a,2x,3,4d", f"outputs: upsert {err.decode()}")
    rc, _, _ = run(export, "--from", str(table), "-o", place, "--existing", "replace")
    report(rc == 0 and read() == table.read_text(), "outputs: replace")
    (folder / "bad.csv").write_text("id,name,score,day\nx,y,,\n")
    rc, _, err = run(export, "--from", f"{folder}/bad.csv", "-o", place, "--existing", "append")
    report(rc == 65 and cluster.psql("SELECT count(*) FROM raw.t") == "3", f"outputs: a value that does not fit leaves no row: {err.decode().splitlines()[0]}")
    (folder / "nul.ndjson").write_text('{"a":"x\\u0000y"}\n')
    rc, _, err = run(export, "--from", f"{folder}/nul.ndjson", "-o", cluster.url(table="raw.nul"))
    report(rc == 65 and cluster.psql("SELECT to_regclass('raw.nul') IS NULL") == "t", "outputs: U+0000 is refused")
    # A column that would change a value refuses it.
    cluster.psql("""CREATE DOMAIN raw.price AS numeric(10,2); CREATE DOMAIN raw.price2 AS raw.price;
      CREATE TABLE raw.narrow(id bigint PRIMARY KEY, n numeric(10,2), r real, c char(3), v varchar(3), s timestamp(0), z timestamptz(3), d date, p raw.price2, a numeric(10,2)[])""", role="bb")
    values = {"n": (12.34, 12.345), "r": (0.5, 16777217), "c": ("abc", "ab"), "v": ("ab", "abc "), "s": ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z"),
              "z": ("2020-01-01T00:00:00.125Z", "2020-01-01T00:00:00.1255Z"), "d": ("2020-01-01", "2020-01-01T10:00:00Z"), "p": (1.25, 1.255), "a": ([1.25], [1.25, 1.255])}
    narrow = folder / "narrow.ndjson"
    for number, (column, (good, bad)) in enumerate(values.items()):
        for existing in ("append", "upsert"):
            narrow.write_text(json.dumps({"id": number, column: good}) + "\n")
            rc, _, err = run(export, "--from", str(narrow), "-o", cluster.url(table="raw.narrow"), "--existing", existing if existing == "upsert" else "truncate")
            before = cluster.psql("SELECT count(*) FROM raw.narrow")
            narrow.write_text(json.dumps({"id": 100, column: good}) + "\n" + json.dumps({"id": 101, column: bad}) + "\n")
            bad_rc, _, bad_err = run(export, "--from", str(narrow), "-o", cluster.url(table="raw.narrow"), "--existing", existing)
            good_one = rc == 0 and bad_rc == 65 and f"column {column}".encode() in bad_err and cluster.psql("SELECT count(*) FROM raw.narrow") == before
            report(good_one, f"outputs: {existing}: {column} keeps or refuses a value" + ("" if good_one else f" {rc} {err.decode()} {bad_rc} {bad_err.decode()}"))
    # Several processes create one table.
    (folder / "many.csv").write_text("id,v\n" + "".join(f"{i},{'x' * 20}\n" for i in range(20_000)))
    for number in range(4):
        words = [export, "--from", f"{folder}/many.csv", "-o", cluster.url(table=f"raw.race{number}"), "--existing", "append"]
        started = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
        errors = [p.communicate()[1].decode() for p in started]
        good = all(p.returncode == 0 for p in started) and cluster.psql(f"SELECT count(*) FROM raw.race{number}") == "80000"
        report(good, "outputs: four processes create one table" + ("" if good else f" {errors}"))
    # Every type, as the server has it.
    cluster.psql("""CREATE TABLE raw.types AS SELECT 1::int2 a, 2::int4 b, 3::int8 c, 0.1::float4 d, 0.1::float8 e, 1.10::numeric f, true g, 'x '::char(3) h, 'é'::varchar i,
      '\\x00ff'::bytea j, date '2020-02-29' k, timestamptz '2020-02-29 12:00:00.5+02' l, timestamp '2020-02-29 12:00:00' m, '{"b": 1, "a": [1.10]}'::json n, '{"b":1}'::jsonb o,
      array['a','b'] p, array[1,2] q, '00000000-0000-0000-0000-000000000001'::uuid r, interval '1 day' s""", role="bb")
    rc, out, err = run(export, "raw.types", "--from", cluster.url(), "-f", "ndjson")
    wanted = '{"a":1,"b":2,"c":3,"d":0.1,"e":0.1,"f":1.10,"g":true,"h":"x  ","i":"é","j":"AP8=","k":"2020-02-29","l":"2020-02-29T10:00:00.5Z","m":"2020-02-29T12:00:00","n":{"b":1,"a":[1.10]},"o":{"b":1},"p":["a","b"],"q":[1,2],"r":"00000000-0000-0000-0000-000000000001","s":"1 day"}\n'
    report(out.decode() == wanted, f"outputs: every type {out.decode()}{err.decode()}" if out.decode() != wanted else "outputs: every type")
    # Arrays with null elements, of several dimensions and of other types, and back into arrays.
    cluster.psql("""CREATE TABLE raw.arrays(i int[], t text[], f float8[], d date[]); INSERT INTO raw.arrays VALUES ('{1,2}', '{a}', '{1.5}', '{2020-01-01}'),
      ('{1,NULL}', '{"a,b",NULL,"NULL","","q\\"\\\\"}', '{NaN}', NULL), ('{{1,2},{3,4}}', '{}', '{}', '{}'); CREATE TABLE raw.arrays2 (LIKE raw.arrays); CREATE TABLE raw.none()""", role="bb")
    rc, out, err = run(export, "raw.arrays", "--from", cluster.url(), "-f", "ndjson")
    wanted = '{"i":[1,2],"t":["a"],"f":[1.5],"d":["2020-01-01"]}\n{"i":[1,null],"t":["a,b",null,"NULL","","q\\"\\\\"],"f":["NaN"],"d":null}\n{"i":[[1,2],[3,4]],"t":[],"f":[],"d":[]}\n'
    report(out.decode() == wanted, f"outputs: arrays {out.decode()}{err.decode()}" if out.decode() != wanted else "outputs: arrays")
    rc, _, err = run(export, "raw.arrays", "--from", cluster.url(), "-o", cluster.url(table="raw.arrays2"), "--existing", "append")
    report(rc == 0 and cluster.psql("SELECT count(*) FROM (TABLE raw.arrays INTERSECT TABLE raw.arrays2) x") == "3", f"outputs: arrays come back as they were {err.decode()}")
    rc, out, err = run(export, "--from", cluster.url(), "--sql", 'SELECT count(*) n FROM "raw.arrays"', "-f", "csv")
    report(out == b"n\n3\n", f"outputs: --sql ignores a table without columns that it does not read {err.decode()}")
    cluster.psql("CREATE TABLE raw.odd AS SELECT 'infinity'::date d", role="bb")
    report(run(export, "raw.odd", "--from", cluster.url())[0] == 65, "outputs: an infinite date is refused")
    # What is pushed down gives the same as what is not.
    cluster.psql("CREATE TABLE raw.many AS SELECT i::bigint id, md5(i::text) t, (i % 7)::int n FROM generate_series(1, 20000) i; CREATE INDEX ON raw.many(n)", role="bb")
    run(export, "raw.many", "--from", cluster.url(), "-o", f"{folder}/many.csv")
    for condition in ("n = 3", "n in (1,2)", "t > 'f'", "n = 3 or t < '1'", "not (n = 3 and t > '8')", "id < 100 and t ~ a"):
        a = run(export, "raw.many", "--from", cluster.url(), "--where", condition, "-f", "csv")
        b = run(export, "--from", f"{folder}/many.csv", "--where", condition, "-f", "csv")
        report(a[1] == b[1] and len(a[1]) > 10, f"outputs: --where '{condition}' gives {len(a[1].splitlines()) - 1} rows")
    types(cluster)
    names(cluster)
    large(cluster, options)


def types(cluster):
    """The types of new tables, and --verify."""
    (folder / "typed.ndjson").write_text('{"day":"2024-02-29","at":"2024-02-29T12:00:00.25Z","price":1.10,"tags":["a","b,c",""],"ids":[1,-2],"part":"2024-05"}\n'
      '{"day":"0001-01-01","at":"0001-01-01T00:00:00Z","price":-7,"tags":[],"ids":[],"part":"2024"}\n{"day":null,"at":null,"price":null,"tags":null,"ids":null,"part":null}\n')
    declared = ["--types", "day=date,at=timestamp,price=decimal,tags=list-of-text,ids=list-of-integer,part=date"]
    place = cluster.url(table="raw.typed")
    for existing in ("refuse", "replace", "truncate"):
        rc, _, err = run(export, "--from", f"{folder}/typed.ndjson", *declared, "-o", place, "--existing", existing, "--verify")
        report(rc == 0, f"outputs: typed columns, {existing}, read again {err.decode()}")
    for existing in ("append", "upsert", "truncate"):
        rc, _, err = run(export, "--from", f"{folder}/typed.ndjson", *declared, "-o", cluster.url(table=f"raw.new_{existing}"), "--existing", existing)
        same = cluster.psql(f"SELECT count(*) FROM (TABLE raw.typed INTERSECT TABLE raw.new_{existing}) x")
        report(rc == 0 and same == "3", f"outputs: {existing} makes a table of the same columns {err.decode()}")
    columns = cluster.psql("SELECT string_agg(format_type(atttypid, atttypmod), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'raw.typed'::regclass AND attnum > 0")
    report(columns == "date,timestamp with time zone,numeric,text[],bigint[],text", f"outputs: types of a new table: {columns}")
    values = cluster.psql("SELECT day - 1, at + interval '1 second', price * 2, tags[2], ids[2], part FROM raw.typed LIMIT 1")
    report(values == "2024-02-28|2024-02-29 12:00:01.25+00|2.20|b,c|-2|2024-05", f"outputs: values of a new table: {values}")
    back = run(export, "raw.typed", "--from", cluster.url(), "-f", "ndjson")[1]
    report(back == (folder / "typed.ndjson").read_bytes(), "outputs: typed columns come back as they were")
    (folder / "late.csv").write_text("day\n" + "2024-01-01\n" * 20000 + "2024-05\n")
    late = lambda *more: run(export, "--from", f"{folder}/late.csv", "--types", "day=date", "-o", cluster.url(table="raw.late"), *more)
    rc, _, err = late()
    report(rc == 65 and b"postgres.dates=text" in err and cluster.psql("SELECT to_regclass('raw.late') IS NULL") == "t", f"outputs: a later partial date leaves no table: {err.decode().splitlines()[0]}")
    report(late("--option", "postgres.dates=text", "--verify")[0] == 0, "outputs: the hint for partial dates works")
    cluster.psql("CREATE TABLE raw.narrower(price numeric(4,1))", role="bb")
    (folder / "price.csv").write_text("price\n1.25\n")
    rc, _, err = run(export, "--from", f"{folder}/price.csv", "--types", "price=decimal", "-o", cluster.url(table="raw.narrower"), "--existing", "truncate", "--verify")
    report(rc == 65, f"outputs: a value that the server would round is refused: {err.decode().splitlines()[0]}")
    rc, _, err = run(export, "--from", f"{folder}/price.csv", "-o", cluster.url(table="raw.narrower"), "--existing", "append", "--verify")
    report(rc == 64, f"outputs: --verify is refused for appended rows: {err.decode().splitlines()[0]}")
    run(export, "episodes", "--source", "snapshot", "-o", cluster.url(table="raw.keyed"), "--existing", "replace")
    run(export, "episodes", "--source", "snapshot", "-o", cluster.url(table="raw.keyed"), "--existing", "replace")
    report(cluster.psql("SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'raw.keyed'::regclass") == "raw.keyed_pkey", "outputs: a replaced table has the usual name of its key")


def names(cluster):
    """Names that SQL or a shell could take for something else, and tables that cannot take rows."""
    from urllib.parse import quote
    hostile = ["select", 'a"b;--', "größe", "a'b", "user", "A B", "x\\y", "$1", "%s", "a" * 63]
    (folder / "hostile.csv").write_text(",".join('"' + n.replace('"', '""') + '"' for n in hostile) + "\n" + ",".join("1" for _ in hostile) + "\n")
    wrong = []
    for name in hostile:
        table = quote('raw."' + name.replace('"', '""') + '"')
        codes = [run(export, "--from", f"{folder}/hostile.csv", "-o", cluster.url(table=table), "--existing", e)[0] for e in ("refuse", "append", "truncate", "replace")]
        back = run(export, "--from", cluster.url(table=table), "-f", "csv")[1]
        if codes != [0, 0, 0, 0] or list(csv.reader(io.StringIO(back.decode()))) != list(csv.reader(open(folder / "hostile.csv"))): wrong.append((name, codes, back))
    report(not wrong, f"outputs: {len(hostile)} hostile names of tables and columns {wrong or ''}")
    cluster.psql("""CREATE TABLE raw.u(id int PRIMARY KEY, name text NOT NULL, n int GENERATED ALWAYS AS (id * 2) STORED, CHECK (id < 100)); INSERT INTO raw.u VALUES (1, 'a');
      CREATE TABLE raw.plain(id int); CREATE VIEW raw.v AS SELECT * FROM raw.plain; CREATE MATERIALIZED VIEW raw.m AS SELECT 1 id""", role="bb")
    for what, table, how, text, code in (
        ("upsert with a duplicate key", "u", "upsert", "id,name\n2,x\n2,y\n", 65), ("upsert without the key", "u", "upsert", "name\nx\n", 65), ("upsert without a key", "plain", "upsert", "id\n1\n", 64),
        ("a column that is missing", "u", "append", "id,name,other\n3,a,b\n", 65), ("a value of another type", "u", "append", "id,name\nx,a\n", 65), ("a null", "u", "append", "id,name\n3,\n", 65),
        ("a check constraint", "u", "upsert", "id,name\n100,a\n", 65), ("a generated column", "u", "append", "id,name,n\n3,a,1\n", 65), ("a duplicate key", "u", "append", "id,name\n1,b\n", 65),
        ("a view", "v", "append", "id\n1\n", 73), ("a view, truncated", "v", "truncate", "id\n1\n", 73), ("a view, replaced", "v", "replace", "id\n1\n", 73), ("a materialized view", "m", "append", "id\n1\n", 73),
        ("a table that a view uses", "plain", "replace", "id\n1\n", 73), ("an unknown action", "u", "replace-partitions", "id\n1\n", 64)):
        (folder / "one.csv").write_text(text)
        rc, _, err = run(export, "--from", f"{folder}/one.csv", "-o", cluster.url(table="raw." + table), "--existing", how, "-o", f"{folder}/other.csv")
        good = rc == code and cluster.psql("SELECT string_agg(id || name, ',') FROM raw.u") == "1a" and cluster.psql("SELECT count(*) FROM raw.plain") == "0" and not (folder / "other.csv").exists()
        report(good, f"outputs: {what}: {rc} {err.decode().splitlines()[0] if err else ''}")


def large(cluster, options):
    """Several connections read one state of a large table, in its order."""
    cluster.psql("CREATE TABLE raw.large AS SELECT i AS id, 0 AS n, repeat(md5(i::text), 4) AS t FROM generate_series(1, 500000) i; DELETE FROM raw.large WHERE id % 1000 = 0; CREATE TABLE raw.few AS SELECT * FROM raw.large WHERE id < 10", role="bb")
    digest = lambda *words: hashlib.sha256(run(export, "raw.large", *words, "-f", "csv")[1]).hexdigest()
    # A pooler keeps older sessions.
    start = cluster.psql("SELECT clock_timestamp()", "postgres")
    one = digest("--from", cluster.url(), "--threads", "1")
    connected = lambda: cluster.psql(f"SELECT count(*) FROM pg_stat_activity WHERE usename = 'bb' AND backend_start > '{start}'", "postgres")
    # A session ends after its client.
    while connected() != "0": time.sleep(.05)
    several = subprocess.Popen([export, "raw.large", "--from", cluster.url(), "-f", "csv", "--threads", "3"], env=environment, stdout=subprocess.PIPE)
    several.stdout.read(1 << 16)
    connections = connected()
    several.stdout.close()
    several.wait()
    report(connections == "3", f"outputs: {connections} connections read a large table")
    report(digest("--from", cluster.url(), "--threads", "3") == one, "outputs: a large table has one order")
    pool = Pool(cluster, size=1)
    report(digest("--from", pool.url(), "--threads", "3") == one, "outputs: a pooler with one session does not wait for itself")
    pool.stop()
    # Another moves amounts from row to row.
    writer = subprocess.Popen(["psql", "-Xq", "-h", "127.0.0.1", "-p", str(cluster.port), "-U", "bb", "-d", "t"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment, text=True)
    writer.stdin.write("".join(f"UPDATE raw.large SET n = n + CASE WHEN id % 2 = 0 THEN 1 ELSE -1 END WHERE id IN ({k}, {k + 499_001});\n" for k in range(1, 900)) * 5)
    writer.stdin.flush()
    sums = []
    for _ in range(3):
        rows = list(csv.reader(io.StringIO(run(export, "raw.large", "--from", cluster.url(), "-f", "csv", "--columns", "id,n")[1].decode())))[1:]
        sums.append((len(rows), sum(int(n) for _, n in rows)))
        time.sleep(.2)
    writer.kill()
    writer.wait()
    report(sums == [(499_500, 0)] * 3, f"outputs: one state while others write {sums}")
