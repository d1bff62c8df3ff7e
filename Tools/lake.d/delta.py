"""Delta tables of bb-export in other programs, and tables of delta-rs in bb-export. Every check compares values or counts with the truth."""
import concurrent.futures, datetime, importlib, json, os, pathlib, random, shutil, signal, subprocess, sys, time

HOSTILE = ["a/b", "x=y", "50%", "%41", "line\nfeed", "\t", "\x7f", "é", "e\u0301", "\u202eevil", "..", ".", "~", "a b", " a ", "007", "true", "null", "NULL", "'", '"', "#", "*",
           "?", "[x]", "{y}", "^", "\\", ":", "日本", "a;b", "&", "+", "$HOME", None]


class Delta:
    def __init__(self, program, folder, fail):
        self.program, self.folder, self.failed = os.path.abspath(program), folder / "delta", self.count
        self.fail, self.wrong = fail, 0
        self.folder.mkdir()
        # ClickHouse reads only below the working directory.
        os.chdir(self.folder)
        import deltalake
        self.rs = deltalake
        self.polars, self.chdb = self.optional("polars"), self.optional("chdb")
        self.duck = self.duckdb()

    def count(self, what, detail):
        self.wrong += 1
        self.fail(what, detail)

    def passed(self, what):
        if not self.wrong: print("passed:", what)
        self.wrong = 0

    def optional(self, name):
        try: return importlib.import_module(name)
        except ImportError: print(f"skipped: {name} is not installed")

    def duckdb(self):
        """A connection with the Delta extension, which PyPI has for some versions of DuckDB."""
        try:
            import duckdb, duckdb_extension_delta
            path = next(pathlib.Path(duckdb_extension_delta.__file__).parent.rglob("delta.duckdb_extension"))
            connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
            connection.execute(f"LOAD '{path}'")
            connection.execute("SET TimeZone = 'UTC'")
            return connection
        except Exception as error: print(f"skipped: duckdb with the Delta extension ({str(error).splitlines()[0]})")

    def bb(self, *arguments, code=0, **options):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, **options)
        if done.returncode != code: self.failed("bb-export " + " ".join(map(str, arguments)), f"exit code {done.returncode}: {done.stderr.strip()}")
        return done

    def rows(self, place, *arguments):
        return [json.loads(line) for line in self.bb("--from", f"delta:{place}", "-f", "ndjson", "-q", *arguments).stdout.splitlines()]

    def table(self, place):
        """{reader: rows sorted by id} with Python values."""
        found = {"delta-rs": self.rs.DeltaTable(str(place)).to_pyarrow_table().to_pylist()}
        if self.duck: found["duckdb"] = self.duck.execute(f"SELECT * FROM delta_scan('{place}')").to_arrow_table().to_pylist()
        if self.polars: found["polars"] = self.polars.read_delta(str(place)).to_dicts()
        if self.chdb:
            binary = [f.name for f in self.rs.DeltaTable(str(place)).schema().fields if str(f.type) == 'PrimitiveType("binary")']
            columns = f"* REPLACE ({', '.join(f'base64Encode({name}) AS {name}' for name in binary)})" if binary else "*"
            query = f"SELECT {columns} FROM deltaLakeLocal('{place}') SETTINGS output_format_json_quote_64bit_integers = 0, session_timezone = 'UTC', date_time_output_format = 'iso'"
            text = str(self.chdb.query(query, "JSONEachRow"))
            found["clickhouse"] = [json.loads(line) for line in text.splitlines()]
        return {reader: sorted(rows, key=lambda r: r["id"]) for reader, rows in found.items()}

    def plain(self, value):
        """A value of a reader, as NDJSON has it."""
        import base64
        if isinstance(value, datetime.datetime): return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        if isinstance(value, datetime.date): return value.isoformat()
        if isinstance(value, bytes): return base64.b64encode(value).decode()
        if isinstance(value, list): return [self.plain(v) for v in value]
        return value

    def compare(self, label, place, want, columns=None):
        want = sorted(want, key=lambda r: r["id"])
        for reader, rows in self.table(place).items():
            if len(rows) != len(want):
                self.failed(label, f"{reader}: {len(rows)} rows instead of {len(want)}")
                continue
            for have, truth in zip(rows, want):
                for name in columns or truth:
                    value, right = self.plain(have.get(name)), truth[name]
                    # ClickHouse has no null lists.
                    if reader == "clickhouse" and value == [] and right is None: value = None
                    if value != right:
                        self.failed(label, f"{reader}: {name} is {value!r} instead of {right!r} (id {truth['id']})")
                        break

    def input(self, name, rows):
        path = self.folder / name
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path

    # Checks

    def values(self):
        """Every type, nulls, and partitions by hostile values, in each reader and back."""
        rows, place = [], self.folder / "values"
        for number, text in enumerate(HOSTILE * 2):
            rows.append({
                "id": number, "v": text, "n": None if number % 5 == 0 else number - 3, "x": None if number % 7 == 0 else number / 8, "ok": None if number % 3 == 0 else number % 2 == 0,
                "day": None if number % 4 == 0 else f"19{number:02}-02-28", "at": None if number % 6 == 0 else f"2024-01-01T00:00:{number % 60:02}.{number:06}Z",
                "raw": None if number % 9 == 0 else "AAH/", "tags": None if number % 8 == 0 else ["a", text or ""], "numbers": [number, -number]})
        types = "v=text,day=date,at=timestamp,raw=bytes,tags=list-of-text,numbers=list-of-integer"
        self.bb("--from", self.input("values.ndjson", rows), "--types", types, "-o", f"delta:{place}?partition=v")
        self.compare("values", place, rows)
        back = sorted(self.rows(place), key=lambda r: r["id"])
        for have, want in zip(back, rows, strict=True):
            right = dict(want, at=want["at"] and (want["at"][:-1].rstrip("0").rstrip(".") + "Z"))
            if have != right: self.failed("values", f"read back: {have} instead of {right}")
        typed = [{"id": i, "n": n, "x": x, "ok": ok, "day": day} for i, (n, x, ok, day) in enumerate(
            [(1, .5, True, "2024-01-01"), (-7, -1e300, False, "1969-12-31"), (None, None, None, None), (2**62, 1e-7, True, "9999-12-31")])]
        for name in ("n", "x", "ok", "day"):
            place = self.folder / f"by-{name}"
            self.bb("--from", self.input("typed.ndjson", typed), "--types", "n=integer,x=real,ok=boolean,day=date", "-o", f"delta:{place}?partition={name}")
            self.compare(f"partition by {name}", place, typed)
            if (back := sorted(self.rows(place), key=lambda r: r["id"])) != typed: self.failed(f"partition by {name}", f"read back: {back}")
        self.passed("types, nulls and partition values")

    def changes(self):
        """Appending and replacing."""
        place, csv = self.folder / "changes", self.folder / "changes.csv"
        state = {}
        def write(rows, *arguments):
            csv.write_text("id,part,n\n" + "".join(f"{i},{p},{n}\n" for i, (p, n) in rows.items()))
            self.bb("--from", csv, "--types", "part=text", "-o", f"delta:{place}?partition=part" if not place.exists() else f"delta:{place}", *arguments)
        def check(label): self.compare(label, place, [{"id": i, "part": p, "n": n} for i, (p, n) in state.items()])
        first = {i: ("abc"[i % 3], i) for i in range(300)}
        write(first); state = dict(first); check("new table")
        more = {i: ("abcd"[i % 4], i) for i in range(300, 400)}
        write(more, "--existing", "append"); state |= more; check("append")
        parts = {i: ("ab"[i % 2], -i) for i in range(500, 520)}
        write(parts, "--existing", "replace-partitions"); state = {i: v for i, v in state.items() if v[0] not in "ab"} | parts; check("replace partitions")
        where = {i: ("c", i) for i in range(600, 610)}
        write(where, "--existing", "replace", "--option", "delta.replace-where=part = c"); state = {i: v for i, v in state.items() if v[0] != "c"} | where; check("replace where")
        self.bb("--from", csv, "--types", "part=text", "-o", f"delta:{place}", "--existing", "replace", "--option", "delta.replace-where=part = d", code=65)
        self.bb("--from", csv, "-o", f"delta:{place}", code=73)
        check("after refusals")
        number = [ "--existing", "append", "--option", "delta.transaction=7"]
        again = {i: ("e", i) for i in range(700, 705)}
        for _ in range(3): write(again, *number)
        state |= again; check("the same transaction three times")
        all_new = {i: ("z", i) for i in range(3)}
        write(all_new, "--existing", "replace"); state = all_new; check("replace")
        if len(self.rows(f"{place}?version=0")) != 300: self.failed("changes", "version 0 has other rows")
        leftover = {str(p.relative_to(place)) for p in place.rglob("*.parquet")} - {a["path"] for v in range(8) for a in self.added(place, v)}
        if leftover: self.failed("changes", f"files that no version has: {leftover}")
        self.passed("append, replace, replace partitions, replace where, transactions")

    def added(self, place, version):
        from urllib.parse import unquote
        path = place / "_delta_log" / f"{version:020}.json"
        actions = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [dict(a["add"], path=unquote(a["add"]["path"])) for a in actions if "add" in a]

    def predicates(self, seed):
        """Statistics as predicates: counts by readers that skip files."""
        random_, wrong, total = random.Random(seed), 0, 0
        texts = ["", "a", "\U0010ffff" * 40, "z" * 64, "z" * 65, "z" * 63 + "é", "é" * 40, "\ud7ff" * 30, "x" * 200, "ß"]
        for number in range(6):
            place = self.folder / f"predicates{number}"
            pools = {"n": [random_.randrange(-2**63, 2**63) for _ in range(4)] + [0], "x": [random_.uniform(-1e9, 1e9), 0.0, 1e300, -5e-324], "t": random_.sample(texts, 5),
                     "day": ["0001-01-01", "1969-12-31", "2024-02-29"], "at": ["2024-01-01T00:00:00.000001Z", "1969-12-31T23:59:59.999999Z", "2024-01-01T00:00:00Z"]}
            rows = []
            for part in range(6):
                chunk = [{"id": len(rows) + i, **{k: random_.choice([None, *random_.sample(p, 2)]) for k, p in pools.items()}} for i in range(4)]
                rows += chunk
                self.bb("--from", self.input("p.ndjson", chunk), "--types", "n=integer,x=real,t=text,day=date,at=timestamp", "-o", f"delta:{place}", "--existing", "append")
            for name, pool in pools.items():
                for v in pool:
                    key = (lambda s: s.encode()) if name == "t" else (lambda s: s)
                    instant = (lambda s: datetime.datetime.fromisoformat(s.replace("Z", "+00:00"))) if name == "at" else key
                    for symbol, test in (("=", lambda a, b: a == b), (">=", lambda a, b: a >= b), ("<=", lambda a, b: a <= b)):
                        truth = sum(1 for r in rows if r[name] is not None and test(instant(r[name]), instant(v)))
                        quoted = "'" + v + "'" if isinstance(v, str) else repr(v)
                        counts = {}
                        if self.duck:
                            literal = {"day": f"DATE {quoted}", "at": f"TIMESTAMPTZ {quoted}", "n": f"{quoted}::BIGINT", "x": f"{quoted}::DOUBLE"}.get(name, quoted)
                            counts["duckdb"] = self.duck.execute(f"SELECT count(*) FROM delta_scan('{place}') WHERE \"{name}\" {symbol} {literal}").fetchone()[0]
                        if self.chdb and name in "nxt":
                            literal = f"toInt64('{v}')" if name == "n" else f"toFloat64('{v!r}')" if name == "x" else quoted
                            counts["clickhouse"] = int(str(self.chdb.query(f"SELECT count() FROM deltaLakeLocal('{place}') WHERE {name} {symbol} {literal}", "TSV")))
                        # bb-export compares timestamps as text, so that fractions of several lengths have no order.
                        if name != "at": counts["bb"] = int(self.bb("--from", f"delta:{place}", "--where", f"{name} {symbol} {quoted if isinstance(v, str) else repr(v)}", "--count", "-f", "ndjson", "-q").stdout.split(":")[1].strip(" }\n"))
                        for reader, count in counts.items():
                            total += 1
                            if count != truth: self.failed("predicates", f"{reader}: {name} {symbol} {v!r}: {count} rows instead of {truth}")
        self.passed(f"{total} predicates on tables of several files")

    def writers(self, count=8, each=20):
        """Processes that append at the same time."""
        place = self.folder / "writers"
        def run(writer):
            for turn in range(each):
                csv = self.folder / f"w{writer}.csv"
                csv.write_text("id,writer\n" + "".join(f"{writer * 1000 + turn * 10 + i},{writer}\n" for i in range(10)))
                self.bb("--from", csv, "-o", f"delta:{place}", "--existing", "append", "-q")
        with concurrent.futures.ThreadPoolExecutor(count) as pool: list(pool.map(run, range(count)))
        versions = sorted(int(p.stem) for p in (place / "_delta_log").glob("*.json"))
        if versions != list(range(count * each)): self.failed("writers", f"versions {versions}")
        want = sorted(w * 1000 + t * 10 + i for w in range(count) for t in range(each) for i in range(10))
        for reader, rows in {**self.table(place), "bb": sorted(self.rows(place), key=lambda r: r["id"])}.items():
            if [r["id"] for r in rows] != want: self.failed("writers", f"{reader}: {len(rows)} rows instead of {len(want)}")
        self.passed(f"{count} writers × {each} appends: versions 0 to {versions[-1]}, each row once")

    def kills(self, count=200):
        """SIGKILL at any moment: whole commits only."""
        place, csv = self.folder / "kills", self.folder / "kills.csv"
        csv.write_text("id,part\n" + "".join(f"{i},{i % 20}\n" for i in range(20000)))
        arguments = [self.program, "--from", str(csv), "-o", f"delta:{place}?partition=part", "--existing", "append", "-q"]
        start = time.time()
        self.bb(*arguments[1:])
        whole, random_ = time.time() - start, random.Random(3)
        for _ in range(count):
            process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
            time.sleep(random_.uniform(0, 1.5) * whole)
            process.send_signal(signal.SIGKILL)
            process.wait()
        versions = sorted(int(p.stem) for p in (place / "_delta_log").glob("*.json"))
        if versions != list(range(len(versions))): self.failed("kills", f"versions {versions}")
        for reader, rows in (("delta-rs", self.rs.DeltaTable(str(place)).to_pyarrow_table(columns=["id"]).num_rows), ("bb", len(self.rows(place, "--columns", "id")))):
            if rows != 20000 * len(versions): self.failed("kills", f"{reader}: {rows} rows in {len(versions)} versions")
        # An error and an interruption leave no files.
        before = len(list(place.rglob("*.parquet")))
        bad = self.folder / "bad.csv"
        bad.write_text(csv.read_text() + "x,y,z\n")
        self.bb("--from", bad, "--types", "id=integer,part=integer", "-o", f"delta:{place}", "--existing", "append", "-q", code=65)
        for delay in (.2, .5, .8):
            process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
            time.sleep(delay * whole)
            process.send_signal(signal.SIGINT)
            process.wait()
        versions_now = len(list((place / "_delta_log").glob("*.json")))
        after = len(list(place.rglob("*.parquet"))) - 20 * (versions_now - len(versions))
        hidden = [p for p in place.rglob(".*")]
        self.bb(*arguments[1:])
        hidden = [str(p) for p in place.rglob(".*.tmp.*") if p.parent.name != "_delta_log"]
        if after > before: self.failed("kills", f"{after - before} data files are left after an error and interruptions")
        if hidden: self.failed("kills", f"temporary files are left: {hidden[:3]}")
        # The same files are unused as delta-rs says; after the removal the rows are the same.
        self.bb("--from", csv, "-o", f"delta:{place}", "--where", "part < 10", "--existing", "replace-partitions", "-q")
        unused = set(self.rs.DeltaTable(str(place)).vacuum(retention_hours=0, dry_run=True, enforce_retention_duration=False, full=True))
        count_before, later = len(self.rows(place, "--columns", "id")), {**os.environ, "BB_NOW": str(int(time.time()) + 8 * 86_400)}
        done = self.bb("delta", "vacuum", f"delta:{place}", "-f", "csv", "-q", env=later)
        removed = {line.split(",")[0] for line in done.stdout.splitlines()[1:]}
        if removed != unused: self.failed("vacuum", f"bb removes {len(removed)} files, delta-rs {len(unused)}; for example {sorted(removed ^ unused)[:2]}")
        if len(self.rows(place, "--columns", "id")) != count_before: self.failed("vacuum", "the table changed")
        self.passed(f"{count} kills leave {len(versions)} complete commits; vacuum removes the {len(removed)} files that delta-rs finds")

    def iceberg(self, count=200):
        """Iceberg metadata after random writes, of which half are killed: the rows of a version of delta-rs, and after the next write those of the last one."""
        try: import pyiceberg.table, polars
        except ImportError as error: return print(f"skipped: iceberg ({error.name} is not installed)")
        place, csv, random_ = self.folder / "iceberg", self.folder / "iceberg.csv", random.Random(31)
        versions, behind, longest = {}, 0, 1.0
        def rows(table): return sorted((r["id"], r["name"] or "") for r in table.to_pylist())
        for number in range(count):
            csv.write_text("id,name\n" + "".join(f"{random_.randrange(10**6)},{random_.choice(['', 'a', 'é'])}\n" for _ in range(random_.randrange(1, 400))))
            words = [self.program, "--from", str(csv), "-o", f"delta:{place}", "--option", "delta.iceberg=yes", "--types", "id=integer,name=text", "--existing", random_.choice(["append", "append", "replace"]), "-q"]
            start, process = time.time(), subprocess.Popen(words, stderr=subprocess.DEVNULL)
            killed = number % 2 == 1
            if killed:
                time.sleep(random_.uniform(0, 1.1) * longest)
                process.send_signal(signal.SIGKILL)
            status = process.wait()
            if not killed: longest = time.time() - start
            if not killed and status: self.failed("iceberg", f"write {number}: exit code {status}")
            last = self.rs.DeltaTable(str(place)).version()
            for version in range(len(versions), last + 1): versions[version] = rows(self.rs.DeltaTable(str(place), version=version).to_pyarrow_table())
            found = rows(pyiceberg.table.StaticTable.from_metadata(str(place)).scan().to_arrow())
            if found == versions[last]: continue
            behind += 1
            if not killed or found not in versions.values(): return self.failed("iceberg", f"write {number}: {len(found)} rows instead of {len(versions[last])}")
        self.bb("delta", "iceberg", f"delta:{place}", "-q")
        for reader, found in (("PyIceberg", pyiceberg.table.StaticTable.from_metadata(str(place)).scan().to_arrow()), ("polars", polars.scan_iceberg(pyiceberg.table.StaticTable.from_metadata(str(place))).collect().to_arrow())):
            if rows(found) != versions[max(versions)]: self.failed("iceberg", f"{reader}: {found.num_rows} rows instead of {len(versions[max(versions)])}")
        self.passed(f"{count} writes, half of them killed: {len(versions)} versions; PyIceberg reads the last one, or {behind} times an earlier one")

    def foreign(self):
        """Tables of delta-rs: checkpoints, partitions, nulls, types, earlier versions."""
        import decimal, pyarrow as pa
        place, utc = self.folder / "foreign", datetime.timezone.utc
        truth = []
        for version in range(25):
            rows = [{"id": version * 100 + i, "p": HOSTILE[(version + i) % len(HOSTILE)], "q": None if i == 3 else version % 3, "s": None if i % 4 == 0 else f"text {i} é", "f": i / 4,
                     "d": decimal.Decimal(i * 7 - 50).scaleb(-2), "day": datetime.date(2024, 1, 1 + i), "at": datetime.datetime(2024, 1, 1, 0, 0, i, 500, utc), "b": bytes([i, 255]), "ok": i % 2 == 0,
                     "small": i, "st": {"a": i, "b": None if i % 2 else ["x"]}, "l": [i, None], "m": [("k", i)]} for i in range(10)]
            schema = pa.schema([("id", pa.int64()), ("p", pa.string()), ("q", pa.int32()), ("s", pa.string()), ("f", pa.float32()), ("d", pa.decimal128(10, 2)), ("day", pa.date32()),
                                ("at", pa.timestamp("us", "UTC")), ("b", pa.binary()), ("ok", pa.bool_()), ("small", pa.int16()), ("st", pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))])),
                                ("l", pa.list_(pa.int64())), ("m", pa.map_(pa.string(), pa.int64()))])
            self.rs.write_deltalake(str(place), pa.Table.from_pylist(rows, schema=schema), mode="append", partition_by=["p", "q"])
            truth += rows
            if version in (9, 19): self.rs.DeltaTable(str(place)).create_checkpoint()
        def check(label, truth, *arguments, version=""):
            got = sorted(self.rows(f"{place}{version}", *arguments), key=lambda r: r["id"])
            if len(got) != len(truth): return self.failed(label, f"{len(got)} rows instead of {len(truth)}")
            for have, want in zip(got, truth):
                right = {k: self.plain(v) for k, v in want.items()}
                right |= {"d": float(want["d"]), "at": want["at"].strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0") + "Z", "m": {"k": want["small"]}}
                have = dict(have, d=float(have["d"]))
                if have != right: return self.failed(label, f"{have} instead of {right}")
        check("foreign", truth)
        check("foreign, version 12", truth[:130], version="?version=12")
        check("foreign, where", [r for r in truth if r["q"] == 1], "--where", "q = 1")
        check("foreign, where", [r for r in truth if r["p"] == "a/b"], "--where", "p = 'a/b'")
        check("foreign, where", [r for r in truth if r["id"] > 2200], "--where", "id > 2200")
        check("foreign, where", [r for r in truth if r["q"] is None], "--where", "q is null")
        for old in range(9): (place / "_delta_log" / f"{old:020}.json").unlink()
        check("foreign, log cleaned", truth)
        self.bb("--from", f"delta:{place}?version=3", "-f", "csv", code=66)
        # delta-rs cannot compact partitions of all these values.
        place = self.folder / "compacted"
        for start in range(0, 250, 50): self.rs.write_deltalake(str(place), pa.Table.from_pylist(truth[start:start + 50], schema=schema), mode="append", partition_by=["q"])
        self.rs.DeltaTable(str(place)).optimize.compact()
        check("foreign, compacted", truth)
        self.rs.DeltaTable(str(place)).delete("q = 2")
        check("foreign, deleted", [r for r in truth if r["q"] != 2])
        # bb-export appends to it what it can represent.
        simple = self.folder / "simple"
        table = pa.table({"id": pa.array([1, 2], pa.int64()), "p": ["a", "b"], "x": pa.array([.5, None], pa.float64())})
        self.rs.write_deltalake(str(simple), table, partition_by=["p"])
        self.bb("--from", self.input("s.ndjson", [{"id": 3, "p": "a", "x": 1.5}, {"id": 4, "p": "c/d", "x": None}]), "--types", "x=real", "-o", f"delta:{simple}", "--existing", "append")
        self.compare("append to a table of delta-rs", simple, [{"id": 1, "p": "a", "x": .5}, {"id": 2, "p": "b", "x": None}, {"id": 3, "p": "a", "x": 1.5}, {"id": 4, "p": "c/d", "x": None}])
        self.rs.write_deltalake(str(simple), table, mode="append")
        self.rs.DeltaTable(str(simple)).create_checkpoint()
        if len(self.rows(simple)) != 6: self.failed("foreign", "a checkpoint of a mixed table has other rows")
        self.passed("tables of delta-rs with checkpoints, partitions, earlier versions, compaction")

    def checkpoints(self):
        """Checkpoints: other programs and bb-export read the table without the earlier entries; delta-rs writes on."""
        place, truth = self.folder / "checkpoints", []
        for version in range(25):
            rows = [{"id": version * 10 + i, "v": HOSTILE[(version + i) % len(HOSTILE)], "n": None if i == 3 else i, "day": f"2024-01-{i + 1:02}"} for i in range(10)]
            existing = "replace-partitions" if version % 7 == 6 else "append"
            if version % 7 == 6: truth = [r for r in truth if r["v"] not in {x["v"] for x in rows}]
            truth += rows
            self.bb("--from", self.input("c.ndjson", rows), "--types", "v=text,day=date", "-o", f"delta:{place}" + ("?partition=v" if version == 0 else ""), *(["--existing", existing] if version else []))
        log = place / "_delta_log"
        found = sorted(p.name for p in log.glob("*.checkpoint.parquet"))
        if found != [f"{v:020}.checkpoint.parquet" for v in (10, 20)]: self.failed("checkpoints", found)
        self.compare("checkpoints", place, truth)
        for version in range(20): (log / f"{version:020}.json").unlink()
        self.compare("checkpoints, earlier entries removed", place, truth)
        if sorted(self.rows(place), key=lambda r: r["id"]) != sorted(truth, key=lambda r: r["id"]): self.failed("checkpoints", "bb-export reads other rows")
        table = self.rs.DeltaTable(str(place))
        metadata = table.metadata()
        if metadata.partition_columns != ["v"]: self.failed("checkpoints", metadata)
        (log / "_last_checkpoint").unlink()
        self.compare("checkpoints, without the hint", place, truth)
        # delta-rs makes its own checkpoint of the state.
        table = self.rs.DeltaTable(str(place))
        table.create_checkpoint()
        for version in range(20, 24): (log / f"{version:020}.json").unlink()
        self.compare("checkpoints, continued by delta-rs", place, truth)
        self.bb("--from", self.input("c.ndjson", [{"id": 999, "v": "a/b", "n": 1, "day": "2024-02-01"}]), "--types", "v=text,day=date", "-o", f"delta:{place}", "--existing", "append")
        self.compare("checkpoints, appended", place, [*truth, {"id": 999, "v": "a/b", "n": 1, "day": "2024-02-01"}])
        self.passed("checkpoints every 10 versions, read after the entries before them are removed")

    def narrow(self):
        """Columns of fewer bits or digits, which delta-rs created."""
        import decimal, pyarrow as pa
        place = self.folder / "narrow"
        schema = pa.schema([("id", pa.int32()), ("b", pa.int8()), ("s", pa.int16()), ("x", pa.float32()), ("d", pa.decimal128(7, 2)), ("w", pa.decimal128(38, 10))])
        first = {"id": 1, "b": -128, "s": 7, "x": 0.5, "d": decimal.Decimal("1.25"), "w": decimal.Decimal(10**27)}
        self.rs.write_deltalake(str(place), pa.Table.from_pylist([first], schema=schema))
        rows = [{"id": 2**31 - 1, "b": 127, "s": -32768, "x": 0.25, "d": "-99999.99", "w": "-1234567890123456789012345678.0123456789"}, {"id": 3, "b": None, "s": None, "x": None, "d": None, "w": None}, {"id": 4, "b": 0, "s": 0, "x": -0.125, "d": "0.1", "w": "3"}]
        source = self.folder / "narrow.ndjson"
        source.write_text("".join(json.dumps(r).replace('"d": "-99999.99"', '"d": -99999.99').replace('"d": "0.1"', '"d": 0.1').replace('"w": "-1234567890123456789012345678.0123456789"', '"w": -1234567890123456789012345678.0123456789').replace('"w": "3"', '"w": 3') + "\n" for r in rows))
        types = "x=real,d=decimal,w=decimal,b=integer,s=integer"
        self.bb("--from", source, "--types", types, "-o", f"delta:{place}", "--existing", "append")
        want = sorted([first, *({**r, "d": r["d"] and decimal.Decimal(r["d"]), "w": r["w"] and decimal.Decimal(r["w"])} for r in rows)], key=lambda r: r["id"])
        for reader, got in self.table(place).items():
            for have, right in zip(got, want):
                for name, value in right.items():
                    mine = have[name]
                    equal = mine is None if value is None else decimal.Decimal(str(mine)) == value if isinstance(value, decimal.Decimal) and reader != "clickhouse" else abs(float(mine) - float(value)) <= abs(float(value)) * 1e-6
                    if not equal: self.failed("narrow", f"{reader}: {name} is {mine!r} instead of {value!r}")
        for name, value in (("id", 2**31), ("b", 128), ("s", -32769), ("x", 16777217), ("d", 100000), ("d", 0.001)):
            source.write_text(json.dumps({"id": 9, name: value}) + "\n")
            self.bb("--from", source, "--types", "x=real" if name == "x" else "d=decimal" if name == "d" else f"{name}=integer", "-o", f"delta:{place}", "--existing", "append", code=65)
        self.passed("numbers in columns of fewer bits or digits")

    def unsupported(self):
        """Features that are not supported, and logs that lead elsewhere."""
        import pyarrow as pa
        def table(name, change):
            place = self.folder / name
            self.rs.write_deltalake(str(place), pa.table({"id": [1, 2]}))
            log = place / "_delta_log" / f"{0:020}.json"
            actions = [json.loads(line) for line in log.read_text().splitlines()]
            for action in actions: change(action)
            log.write_text("".join(json.dumps(a) + "\n" for a in actions))
            return place
        def reader(feature):
            def change(action):
                if "protocol" in action: action["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [feature], "writerFeatures": [feature]}
            return change
        def writer(feature):
            def change(action):
                if "protocol" in action: action["protocol"] = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": [feature]}
            return change
        def expect(place, word, *arguments):
            done = self.bb(*(arguments or ("--from", f"delta:{place}", "-f", "csv")), code=65)
            if word not in done.stderr: self.failed("unsupported", f"{word} is not named: {done.stderr.strip()}")
        for feature in ("columnMapping2", "typeWidening", "variantType", "catalogManaged"): expect(table("r" + feature, reader(feature)), feature)
        csv = self.folder / "one.csv"
        csv.write_text("id\n3\n")
        for feature in ("rowTracking", "domainMetadata", "inCommitTimestamp", "clustering", "icebergCompatV1"):
            place = table("w" + feature, writer(feature))
            if len(self.rows(place)) != 2: self.failed("unsupported", f"{feature} does not concern readers")
            expect(place, feature, "--from", csv, "-o", f"delta:{place}", "--existing", "append")
        def vector(action):
            if "add" in action: action["add"]["deletionVector"] = {"storageType": "u", "pathOrInlineDv": "x", "offset": 1, "sizeInBytes": 4, "cardinality": 1}
        expect(table("vector", vector), "damaged deletion vector")
        for number, path in enumerate(["../x.parquet", "/etc/passwd", "file:///etc/passwd", "https://example.com/x.parquet", "a/%2e%2e/%2e%2e/x", "s3://b/x", "a%00b"]):
            def lead(action):
                if "add" in action: action["add"]["path"] = path
            expect(table(f"lead{number}", lead), "outside the table")
        self.passed("unsupported features and files outside the table are refused")


def check(program, folder, fail, only=None, seed=1):
    try: import deltalake, pyarrow
    except ImportError as error: return print(f"skipped: delta ({error.name} is not installed)")
    delta = Delta(program, folder, fail)
    steps = {"values": delta.values, "changes": delta.changes, "predicates": lambda: delta.predicates(seed), "writers": delta.writers, "kills": delta.kills, "iceberg": delta.iceberg, "foreign": delta.foreign, "checkpoints": delta.checkpoints, "narrow": delta.narrow, "unsupported": delta.unsupported}
    for name, step in steps.items():
        if only in (None, name): step()
