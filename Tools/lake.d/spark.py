"""Parquet files and partitions of bb-export in Spark, on two worker processes, and files of Spark in bb-export."""
import datetime, decimal, json, math, os, pathlib, random, struct, subprocess, sys, warnings

from partitions import HOSTILE

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def start(folder):
    """A session on two workers; the workers keep their files in `folder`."""
    import pyspark
    package, home, settings = pathlib.Path(pyspark.__file__).parent, folder / "spark", folder / "spark-settings"
    home.mkdir()
    settings.mkdir()
    for item in package.iterdir(): (home / item.name).symlink_to(item)
    (settings / "log4j2.properties").write_text(
        "rootLogger.level = off\nrootLogger.appenderRef.stderr.ref = stderr\nappender.stderr.type = Console\nappender.stderr.name = stderr\nappender.stderr.target = SYSTEM_ERR\n"
        "appender.stderr.layout.type = PatternLayout\nappender.stderr.layout.pattern = %p %m%n\n")
    warnings.filterwarnings("ignore", category=FutureWarning)
    os.environ |= {"SPARK_HOME": str(home), "SPARK_CONF_DIR": str(settings), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    from pyspark.sql import SparkSession
    def session(master):
        builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        # The types of partitions are not guessed: 007 is a text.
        builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        return builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    try:
        spark = session("local-cluster[2,1,1024]")
        # A worker that cannot start an executor is noticed by the first task only.
        spark.range(10).count()
    except Exception as error:
        print(f"skipped: Spark on two workers ({str(error).splitlines()[0]}); one process instead")
        spark = session("local[2]")
    executors = len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1
    print(f"Spark {spark.version} on {spark.sparkContext.master}, {executors} executors", flush=True)
    return spark


def exact(frame):
    """The columns as Python values that lose nothing: the bytes of text, the microseconds of instants, the days of dates."""
    from pyspark.sql import functions as f
    columns = []
    for field in frame.schema.fields:
        column, kind = f.col(f"`{field.name}`"), field.dataType.simpleString()
        if kind == "string": column = column.cast("binary")
        if kind == "timestamp": column = f.unix_micros(column)
        if kind == "date": column = f.unix_date(column)
        if kind == "array<string>": column = f.transform(column, lambda text: text.cast("binary"))
        columns.append(column.alias(field.name))
    return [[bytes(v) if isinstance(v, bytearray) else [bytes(x) if isinstance(x, bytearray) else x for x in v] if isinstance(v, list) else v for v in row] for row in frame.select(columns).collect()]


def truth(kind, v):
    """A value of the input, as `exact` has it."""
    if v is None: return None
    if kind in ("text", "url", "decimal"): return v.encode()
    if kind == "json": return json.dumps(v, ensure_ascii=False, separators=(",", ":")).encode()
    if kind == "date": return (datetime.date.fromisoformat(v) - EPOCH.date()).days if len(v) == 10 else v.encode()
    if kind == "timestamp": return (datetime.datetime.fromisoformat(v.replace("Z", "+00:00")) - EPOCH) // datetime.timedelta(microseconds=1)
    if kind == "list-of-text": return [x.encode() for x in v]
    return v


def same(a, b):
    if isinstance(a, float) and isinstance(b, float): return struct.pack("<d", a) == struct.pack("<d", b) or math.isnan(a) and math.isnan(b)
    return type(a) is type(b) and a == b


def compare(spark, columns, path, what, fail):
    """The rows of a file, value by value."""
    got = exact(spark.read.parquet(str(path)))
    count = len(next(iter(columns.values()))[1])
    if len(got) != count: return fail(what, f"Spark: {len(got)} rows instead of {count}")
    for position, (name, (kind, wanted)) in enumerate(columns.items()):
        for row, v in zip(got, wanted):
            if not same(row[position], truth(kind, v)): return fail(what, f"Spark, {kind}: {row[position]!r} instead of {truth(kind, v)!r}")


def fidelity(spark, lake, folder, fail):
    """Every type with every sample value, in every compression; columns that are wide, empty, large or of many values."""
    pools = {"integer": lake["INTEGERS"], "real": lake["REALS"], "boolean": [True, False], "text": lake["TEXTS"], "date": lake["DATES"], "timestamp": lake["TIMES"] + ["2024-01-01T00:00:00.000001Z", "1582-10-04T00:00:00Z"],
             "decimal": ["1.10", "1e400", "-0", "0.50"], "json": [{"a": [1, None, "x"]}, [], "é", True], "list-of-text": [[], [""], lake["TEXTS"]], "list-of-integer": [[], lake["INTEGERS"]],
             "bytes": [b"", b"\0", bytes(range(256))], "url": ["https://example.com/?a=b", ""]}
    rows = max(map(len, pools.values())) + 1
    every = {f"c{i}": (kind, [None] + [pool[n % len(pool)] for n in range(rows - 1)]) for i, (kind, pool) in enumerate(pools.items())}
    cases = {f"every type, {codec}, pages of {pages}": (every, [f"compression={codec}", f"page-rows={pages}"]) for codec in ("zstd", "snappy", "gzip", "lz4", "none") for pages in (3, 20000)}
    cases |= {
        "only nulls": ({f"c{i}": (kind, [None] * 5) for i, kind in enumerate(pools)}, []),
        "partial dates": ({"c0": ("date", ["1966-03", "1970", "2000-01-01", None])}, []), "5 MB": ({"c0": ("text", ["x" * 5_000_000, "", None])}, []),
        "100,000 values": ({"c0": ("text", [f"value {i}" for i in range(100_000)]), "c1": ("integer", list(range(100_000)))}, []),
        "400 columns": ({f"c{i}": ("integer", [i, None]) for i in range(400)}, []),
    }
    wrong = 0
    def count(what, detail):
        nonlocal wrong
        wrong += 1
        fail(what, detail)
    for label, (columns, options) in cases.items():
        path = folder / "fidelity.parquet"
        lake["convert"](columns, path, *options)
        # A column of partial dates is written as text.
        if label == "partial dates": columns = {"c0": ("text", columns["c0"][1])}
        compare(spark, columns, path, f"fidelity, {label}", count)
    source = folder / "none.csv"
    source.write_text("c0,c1\n")
    subprocess.run([lake["program"], "--from", source, "--types", "c0=text,c1=integer", "-o", folder / "none.parquet", "-q"], check=True)
    compare(spark, {"c0": ("text", []), "c1": ("integer", [])}, folder / "none.parquet", "fidelity, no rows", count)
    # Only Parquet files have values that are not finite.
    import pyarrow as pa, pyarrow.parquet as pq
    odd = [math.nan, math.inf, -math.inf, 1.5, -0.0, None] * 5
    pq.write_table(pa.table({"x": pa.array(odd, pa.float64()), "y": pa.array([math.nan] * 30, pa.float64())}), folder / "odd.parquet")
    subprocess.run([lake["program"], "--from", folder / "odd.parquet", "-o", folder / "nan.parquet", "--option", "parquet.page-rows=4", "-q"], check=True)
    compare(spark, {"x": ("real", odd), "y": ("real", [math.nan] * 30)}, folder / "nan.parquet", "fidelity, not finite", count)
    if not wrong: print(f"passed: {len(cases) + 2} tables of the fidelity table in Spark, value by value")


def tables(spark, lake, folder, fail, count, seed):
    rnd, wrong = random.Random(seed), []
    for number in range(count):
        kinds = [rnd.choice(lake["TYPES"]) for _ in range(rnd.randrange(1, 7))]
        columns = lake["table"](rnd, kinds, rnd.choice([1, 7, 64, 300, 2000]))
        options = [f"compression={rnd.choice(['zstd', 'snappy', 'gzip', 'lz4', 'none'])}", f"page-rows={rnd.choice([1, 3, 8, 100, 20000])}", f"dictionary={rnd.choice(['auto', 'never'])}"]
        if all(not v for _, v in columns.values()): continue
        path = folder / "random.parquet"
        lake["convert"](columns, path, *options)
        compare(spark, columns, path, f"Spark, table {number} {kinds} {options}", lambda *words: (wrong.append(1), fail(*words)))
    if not wrong: print(f"passed: {count} random tables in Spark, value by value")


def hostile(spark, lake, folder, fail):
    """Partition values that need escapes."""
    source, out, want = folder / "hostile-spark.ndjson", folder / "hostile-spark", dict(enumerate([*HOSTILE, None]))
    source.write_text("".join(json.dumps({"id": i, "v": v}, ensure_ascii=False) + "\n" for i, v in want.items()), encoding="utf-8")
    done = subprocess.run([lake["program"], "--from", source, "--types", "v=text", "-o", f"{out}/v={{v}}/part-{{n}}.parquet", "-q"], capture_output=True, text=True)
    if done.returncode: return fail("hostile partitions", done.stderr.strip())
    frame = spark.read.parquet(str(out))
    have = {row[0]: row[1] and row[1].decode() for row in exact(frame.select("id", "v"))}
    wrong = [key for key, value in want.items() if have.get(key, 0) != value]
    for key in wrong: fail("hostile partitions", f"Spark: {have.get(key)!r} instead of {want[key]!r}")
    # A condition skips directories: the value is escaped in the same way.
    for key, value in want.items():
        found = [row.id for row in frame.where(frame.v.eqNullSafe(value)).collect()]
        if found != [key]: wrong.append(key); fail("hostile partitions", f"Spark: v = {value!r} finds {found}")
    back = folder / "written-by-spark"
    frame.write.partitionBy("v").parquet(str(back))
    lines = subprocess.run([lake["program"], "--from", back, "-f", "ndjson"], capture_output=True, text=True).stdout.splitlines()
    have = {row["id"]: row["v"] for row in map(json.loads, lines)}
    for key, value in want.items():
        if have.get(key, 0) != value: wrong.append(key); fail("hostile partitions of Spark", f"{have.get(key)!r} instead of {value!r}")
    if not wrong: print(f"passed: {len(want)} hostile partition values to Spark and back")


def predicates(spark, lake, folder, fail, count, seed):
    """The number of rows by predicate: Spark skips row groups, pages and, with bloom filters, more."""
    import operator
    rnd, operators, total, wrong, pushed = random.Random(seed), {"=": operator.eq, ">=": operator.ge, "<=": operator.le}, 0, 0, False
    for number in range(count):
        kinds = ["integer", "real", "text", "date", "timestamp", "bytes"]
        columns = lake["table"](rnd, kinds, rnd.choice([20, 60]))
        path = folder / f"predicates{number}.parquet"
        lake["convert"](columns, path, f"page-rows={rnd.choice([1, 2, 5])}", "bloom=" + ",".join(columns), f"dictionary={rnd.choice(['auto', 'never'])}")
        spark.read.parquet(str(path)).createOrReplaceTempView("t")
        asked = []
        for name, (kind, data) in columns.items():
            data = [truth(kind, v) for v in data]
            for v in sorted({v for v in data if v is not None})[:12]:
                literal = (f"X'{v.hex()}'" if kind == "bytes" else f"decode(X'{v.hex()}', 'UTF-8')" if kind == "text" else f"date_from_unix_date({v})" if kind == "date" else f"timestamp_micros({v})" if kind == "timestamp"
                           else f"{v}L" if kind == "integer" and v > -2**63 else "(-9223372036854775807L - 1L)" if kind == "integer" else f"double('{v!r}')")
                for symbol, function in operators.items():
                    asked.append((f"SELECT {len(asked)}, count(*) FROM t WHERE {name} {symbol} {literal}", sum(1 for d in data if d is not None and function(d, v)), f"{kind} {symbol} {v!r}"))
        # A job for a hundred of them.
        for first in range(0, len(asked), 100):
            group = asked[first:first + 100]
            frame = spark.sql(" UNION ALL ".join(query for query, _, _ in group))
            # The plan of the union is too long to be written in full.
            pushed = pushed or "PushedFilters: [IsNotNull" in spark.sql(group[0][0])._jdf.queryExecution().toString()
            counts = dict(map(tuple, frame.collect()))
            for position, (_, right, what) in enumerate(group, first):
                total += 1
                if counts[position] != right: wrong += 1; fail(f"Spark, predicates, table {number}", f"{what}: {counts[position]} rows instead of {right}")
    if not pushed: fail("Spark, predicates", "no predicate was passed on to the reader")
    elif not wrong: print(f"passed: {total} predicates on {count} tables in Spark")


def million(spark, lake, folder, fail):
    """A large file: both executors read it, with the same sums."""
    source, path = folder / "million.csv", folder / "million.parquet"
    source.write_text("id,part,name\n" + "".join(f"{i},{i % 7},name {i % 1000}\n" for i in range(1_000_000)))
    subprocess.run([lake["program"], "--from", source, "-o", path, "-q", "--option", "parquet.row-group=1MiB"], check=True)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "200k")
    spark.conf.set("spark.sql.files.openCostInBytes", "1")
    frame = spark.read.parquet(str(path))
    row = frame.selectExpr("count(*)", "sum(id)", "min(id)", "max(id)", "count(distinct name)", "max(name)").first()
    if tuple(row) != (1_000_000, 499_999_500_000, 0, 999_999, 1000, "name 999"): fail("Spark, 1,000,000 rows", tuple(row))
    else: print(f"passed: sums of 1,000,000 rows in {frame.rdd.getNumPartitions()} parts")


def foreign(spark, lake, folder, fail):
    """Files of Spark: its timestamps, decimals, nested values and legacy layout."""
    rnd, wrong = random.Random(5), []
    schema = "id bigint, b tinyint, s smallint, i int, f float, d double, t string, x binary, ok boolean, day date, at timestamp, ntz timestamp_ntz, small decimal(7,2), large decimal(18,6), huge decimal(38,10), l array<int>, m map<string,bigint>, st struct<a:int,l:array<string>>"
    def row(i):
        def null(v): return None if rnd.random() < .2 else v
        at = datetime.datetime(rnd.randrange(1900, 2100), 1, 2, 3, 4, 5, rnd.choice([0, 1, 250000]))
        return (i, null(rnd.randrange(-128, 128)), null(rnd.randrange(-2**15, 2**15)), null(rnd.randrange(-2**31, 2**31)), null(struct.unpack("<f", struct.pack("<f", rnd.random()))[0]), null(rnd.random()), null(rnd.choice(["", "é", "a\0b", "x" * 100])),
                null(rnd.randbytes(rnd.randrange(9))), null(rnd.random() < .5), null(datetime.date(rnd.randrange(1, 9999), 2, 3)), null(at), null(at), null(decimal.Decimal(rnd.randrange(-10**7 + 1, 10**7)).scaleb(-2)),
                null(decimal.Decimal(rnd.randrange(-10**18 + 1, 10**18)).scaleb(-6)), null(decimal.Context(prec=40).create_decimal(rnd.randrange(-10**38 + 1, 10**38)).scaleb(-10, decimal.Context(prec=40))),
                null([null(rnd.randrange(9)) for _ in range(rnd.randrange(3))]), null({k: null(rnd.randrange(9)) for k in rnd.sample("abc", rnd.randrange(3))}), null((null(1), null(["x", None]))))
    rows = [row(i) for i in range(500)]
    frame = spark.createDataFrame(rows, schema).coalesce(1)
    runs = 0
    for legacy in ("false", "true"):
        for stamps in ("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"):
            for version in ("PARQUET_1_0", "PARQUET_2_0"):
                spark.conf.set("spark.sql.parquet.writeLegacyFormat", legacy)
                spark.conf.set("spark.sql.parquet.outputTimestampType", stamps)
                out, runs = folder / f"spark{runs}", runs + 1
                frame.write.option("parquet.writer.version", version).option("compression", rnd.choice(["snappy", "gzip", "zstd", "lz4_raw", "none"])).parquet(str(out))
                done = subprocess.run([lake["program"], "--from", out, "-f", "ndjson", "-q"], capture_output=True, text=True)
                if done.returncode: fail("files of Spark", done.stderr.strip()); wrong.append(1); continue
                got = {r["id"]: r for r in (json.loads(line, parse_float=decimal.Decimal) for line in done.stdout.splitlines())}
                for want in rows:
                    for name, value in zip((part.split()[0] for part in schema.split(", ")), want):
                        have, value = got[want[0]][name], lake["plain"](value)
                        if name == "st" and value is not None: value = {"a": value[0], "l": value[1]}
                        if name in ("at", "ntz") and value is not None:
                            if name == "at": value += "Z"
                            # A column of thousandths always has three digits.
                            if stamps == "TIMESTAMP_MILLIS" and name == "at": value = f"{value[:19]}.{(value[20:-1] + '000')[:3]}Z"
                        equal = have is not None and value is not None and float(have) == value if isinstance(value, float) else have is not None and decimal.Decimal(have) == value if isinstance(value, decimal.Decimal) else have == value
                        if not equal: wrong.append(1); fail("files of Spark", f"legacy {legacy}, {stamps}, {version}: {name} is {have!r} instead of {value!r}"); break
                    if wrong: break
    if not wrong: print(f"passed: files of Spark in {runs} layouts are read value by value")


def check(lake, folder, fail, only, count, seed):
    """`lake`: the program, the values and the functions of the check."""
    try: import pyspark
    except ImportError: return print("skipped: Spark (pip install pyspark)")
    if subprocess.run(["java", "-version"], capture_output=True).returncode: return print("skipped: Spark (no Java: apt-get install default-jre-headless)")
    spark = start(folder)
    try:
        steps = {"fidelity": lambda: fidelity(spark, lake, folder, fail), "tables": lambda: tables(spark, lake, folder, fail, count, seed), "partitions": lambda: hostile(spark, lake, folder, fail),
                 "predicates": lambda: predicates(spark, lake, folder, fail, max(5, count // 200), seed), "million": lambda: million(spark, lake, folder, fail), "foreign": lambda: foreign(spark, lake, folder, fail)}
        for name, step in steps.items():
            if only in (None, name): step()
    finally: spark.stop()
