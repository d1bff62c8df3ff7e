"""Partitioned output of bb-export: hostile values in other readers, kills between renames, interrupted downloads."""
import collections, hashlib, http.server, json, os, random, subprocess, threading, time

HOSTILE = ["a/b", "x=y", "50%", "%41", "line\nfeed", "\t", "\x7f", "é", "e\u0301", "\u202eevil", "..", ".", "~", "a b", " a ", "007", "true", "null", "NULL", "'", '"', "#", "*", "?",
           "[x]", "{y}", "^", "\\", ":", "日本", "a;b", "&", "+", "$HOME"]


def hostile(program, folder, fail):
    """Partition values that need escapes, read by pyarrow, DuckDB, polars and bb-export."""
    source, out, want = folder / "hostile.ndjson", folder / "hostile", dict(enumerate(HOSTILE))
    source.write_text("".join(json.dumps({"id": i, "v": v}, ensure_ascii=False) + "\n" for i, v in want.items()), encoding="utf-8")
    done = subprocess.run([program, "--from", source, "--types", "v=text", "-o", f"{out}/v={{v}}/part-{{n}}.parquet", "--verify", "-q"], capture_output=True, text=True)
    if done.returncode: return fail("hostile partitions", done.stderr.strip())
    found = {}
    import pyarrow as pa, pyarrow.dataset as ds
    layout = ds.partitioning(pa.schema([("v", pa.string())]), flavor="hive")
    found["pyarrow"] = {r["id"]: r["v"] for r in ds.dataset(out, partitioning=layout).to_table().to_pylist()}
    try:
        import duckdb
        query = f"SELECT id, v FROM read_parquet('{out}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
        found["duckdb"] = dict(duckdb.sql(query).fetchall())
    except ImportError: pass
    try:
        import polars
        table = polars.scan_parquet(f"{out}/", hive_partitioning=True, hive_schema={"v": polars.String}).collect()
        found["polars"] = dict(zip(table["id"].to_list(), table["v"].to_list()))
    except ImportError: pass
    lines = subprocess.run([program, "--from", out, "-f", "ndjson"], capture_output=True, text=True).stdout.splitlines()
    found["bb"] = {r["id"]: r["v"] for r in map(json.loads, lines)}
    # DuckDB 1 reads the directories v=null and v=NULL as null.
    isNull = lambda reader, value: reader == "duckdb" and duckdb.__version__.startswith("1.") and value in ("null", "NULL")
    wrong = [(reader, values.get(key), value) for reader, values in found.items() for key, value in want.items() if values.get(key) != value and not isNull(reader, value)]
    for reader, have, value in wrong: fail("hostile partitions", f"{reader}: {have!r} instead of {value!r}")
    if not wrong: print(f"passed: {len(want)} hostile partition values in {', '.join(found)}")


def kills(program, folder, fail, count=60):
    """SIGKILL while 300 partitions are replaced: the old rows or the new ones, perhaps after the next export."""
    place, chance, seen = folder / "kills", random.Random(2), collections.Counter()
    place.mkdir()
    for v in "AB": (place / f"{v}.csv").write_text("id,part,v\n" + "".join(f"{i},{i % 300},{v}\n" for i in range(6000)))
    pattern = "out/part={part}/d.csv"
    def command(v): return [program, f"{v}.csv", "-o", pattern, "--existing", "replace", "-q"]
    def read(): return subprocess.run([program, "out", "--group", "v", "-f", "ndjson"], capture_output=True, text=True, cwd=place)
    subprocess.run(command("A"), check=True, cwd=place)
    start = time.time()
    subprocess.run(command("B"), check=True, cwd=place)
    whole, state = time.time() - start, "B"
    for number in range(count):
        v = "A" if state == "B" else "B"
        process = subprocess.Popen(command(v), cwd=place)
        time.sleep(chance.uniform(.3, 1.02) * whole)
        process.kill()
        process.wait()
        done = read()
        if done.returncode == 75:
            seen["completed later"] += 1
            subprocess.run([program, "A.csv", "--limit", "0", "-o", pattern, "--existing", "append", "-q"], check=True, cwd=place)
            done = read()
        groups = [json.loads(line) for line in done.stdout.splitlines()]
        if len(groups) != 1 or groups[0]["count"] != 6000: return fail("kills of partitions", f"{done.returncode} {done.stdout[:200]} {done.stderr[:200]}")
        state = groups[0]["v"]
        seen["new" if state == v else "old"] += 1
    subprocess.run(command("A"), check=True, cwd=place)
    left = [str(p) for p in (place / "out").rglob(".*")]
    if left: fail("kills of partitions", f"hidden files are left: {left[:3]}")
    else: print(f"passed: {count} kills of a partitioned export: {dict(seen)}")


def cuts(program, folder, fail):
    """A server that cuts the connection: the download continues, and the cache is used afterwards."""
    data, log = b"id,v\n" + b"".join(b"%d,row %d\n" % (i, i) for i in range(200000)), []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *_): pass
        def do_GET(self):
            start, span = 0, self.headers.get("Range")
            if self.headers.get("If-None-Match") == '"x"':
                log.append(304)
                self.send_response(304)
                self.send_header("ETag", '"x"')
                return self.end_headers()
            if span and self.headers.get("If-Range") == '"x"': start = int(span[6:-1])
            log.append(206 if start else 200)
            self.send_response(log[-1])
            self.send_header("ETag", '"x"')
            self.send_header("Content-Length", str(len(data) - start))
            if start: self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            left = len(data) - start
            self.wfile.write(data[start:start + (1000000 if left > 600000 else left)])
            self.wfile.flush()
            if left > 600000:
                self.close_connection = True
                self.connection.shutdown(2)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))
    for expected in ({200, 206}, {304}):
        log.clear()
        done = subprocess.run([program, "--from", f"http://127.0.0.1:{server.server_port}/a.csv", "-f", "csv", "-q"], capture_output=True, env=environment)
        isRight = done.returncode == 0 and hashlib.sha256(done.stdout).digest() == hashlib.sha256(data).digest() and set(log) == expected
        if not isRight: return fail("cut downloads", f"{done.returncode} {done.stderr[:200]} responses {log}")
    server.shutdown()
    print("passed: an interrupted download continues, and is not fetched again")


def check(program, folder, fail):
    hostile(program, folder, fail)
    kills(program, folder, fail)
    cuts(program, folder, fail)
