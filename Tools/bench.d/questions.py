"""Questions about tables: filters, search, sorts, counts, groups, joins and SQL, against DuckDB, ClickHouse, polars, Miller and sqlite3.

NUM has 3 rows for each row of quotes: an integer, a real, an integer of seven values and a short name. PRICES has as many: an integer, a decimal with two digits,
a day and an integer of seven values; the values of bb's responses about it are checked. LEFT and RIGHT have 100,000 rows each. The results of all tools have as many lines; see the column of lines."""
import decimal, os, pathlib, random, shlex, shutil, subprocess, sys
import measure, peers

GOALS = {"groups of Parquet": 0.8, "two conditions": 2.5, "contains": 2.8, "search": 2.4, "first ten": 2.5, "sort by real": 1.6, "sort by integer and text": 2.0,
         "sort by long text": 1.8, "count": 4.0, "few groups": 1.8, "many groups": 1.2,
         "join": 1.2, "calculation": 1.5, "calculated condition": 1.5, "sql": 2.0, "sql two conditions": 1.0, "sql few groups": 1.0, "sql first ten": 1.0, "sql join": 1.0,
         "sort decimals": 1.3, "where decimals": 2.5, "sum of decimals": 1.6, "group decimals": 1.0,
         "sort days": 1.3, "where days": 2.5, "count of days": 1.6, "group days": 1.0}


def numbers(data, rows):
    """NUM: id, value, level, name."""
    path = data / "numbers.csv"
    if not path.exists():
        rnd = random.Random(7).random
        with open(path, "w") as out:
            out.write("id,value,level,name\n")
            for i in range(rows): out.write(f"{i},{round(rnd() * 1e6, 4)},{int(rnd() * 7)},name {int(rnd() * 100000)}\n")
    return path


def prices(data, rows):
    """PRICES: id, price, day, level."""
    path = data / "prices.csv"
    if not path.exists():
        rnd = random.Random(9).random
        with open(path, "w") as out:
            out.write("id,price,day,level\n")
            for i in range(rows): out.write(f"{i},{rnd() * 1e5:.2f},{1990 + int(rnd() * 35)}-{1 + int(rnd() * 12):02d}-{1 + int(rnd() * 28):02d},{int(rnd() * 7)}\n")
    return path


def price_questions(path):
    """The questions about PRICES, and the check of bb's response: a function of the rows of the file and those of the response, without headers."""
    of = lambda column: lambda row: decimal.Decimal(row[1]) if column == "price" else row[2]
    total = lambda rows: sum(decimal.Decimal(r[1]) for r in rows)
    found = {}
    for column, name, limit, test in (("price", "decimals", "50000", lambda r: decimal.Decimal(r[1]) < 50000), ("day", "days", "2005-06-01", lambda r: r[2] < "2005-06-01")):
        value = of(column)
        quoted = limit if column == "price" else f"'{limit}'"
        parsed = limit if column == "price" else "pl.date(2005, 6, 1)"
        table = "T" if column == "price" else "T.with_columns(pl.col('day').str.to_date())"
        found[f"sort {name}"] = (path, f"--sort {column}", f"select * from T order by {column}", f"T.sort('{column}')", None,
                                 lambda rows, out, value=value: [value(r) for r in out] == sorted(value(r) for r in rows))
        found[f"where {name}"] = (path, f"--where '{column} < {limit}'", f"select * from T where {column} < {quoted}", f"{table}.filter(pl.col('{column}') < {parsed})", None,
                                  lambda rows, out, test=test: out == [r for r in rows if test(r)])
        found[f"group {name}"] = (path, f"--group {column} --agg count", f"select {column}, count(*) from T group by {column} order by {column}",
                                  f"T.group_by('{column}').agg(pl.len()).sort('{column}')", None,
                                  lambda rows, out, value=value: len(out) == len({value(r) for r in rows}) and sum(int(r[1]) for r in out) == len(rows))
    found["sum of decimals"] = (path, "--group level --agg 'sum(price)'", "select level, sum(price) from T group by level order by level",
                                "T.group_by('level').agg(pl.col('price').sum()).sort('level')", None, lambda rows, out: total(rows) == total(out))
    found["count of days"] = (path, "--group level --agg 'min(day),max(day)'", "select level, min(day), max(day) from T group by level order by level",
                              "T.group_by('level').agg(pl.col('day').min(), pl.col('day').max().alias('b')).sort('level')", None,
                              lambda rows, out: min(r[1] for r in out) == min(r[2] for r in rows) and max(r[2] for r in out) == max(r[2] for r in rows))
    return found


def dictionary(data, nums):
    """NUM as a Parquet file that DuckDB wrote, with a name of 2,500 in place of its own."""
    path = data / "numbers.parquet"
    if not path.exists():
        code = (f"import duckdb; duckdb.sql(\"copy (select id, value, level, 'name ' || (hash(name) % 2500) as name from read_csv('{nums}')) "
                f"to '{path}' (format parquet, compression zstd)\")")
        subprocess.run([peers.venv / "bin/python", "-c", code], check=True)
    return path


def rows_of(path):
    with open(path) as file: return [line.rstrip("\n").split(",") for line in file][1:]


def sides(data):
    """LEFT: id, key, value; RIGHT: key, label. Each key of LEFT is in RIGHT once."""
    left, right = data / "left.csv", data / "right.csv"
    if not right.exists():
        rnd, keys = random.Random(8), list(range(100_000))
        rnd.shuffle(keys)
        left.write_text("id,key,value\n" + "".join(f"{i},name {rnd.randrange(100_000)},{i % 977}\n" for i in range(100_000)))
        right.write_text("key,label\n" + "".join(f"name {k},label {k * 7}\n" for k in keys))
    return left, right


def questions(quotes, nums, left, right):
    """{name: (file, bb's options, SQL, polars expression, Miller's verbs)}; SQL and polars name the table T."""
    found = plain_questions(quotes, nums, left, right)
    # The same as statements of --sql.
    for name in ("two conditions", "few groups", "first ten"):
        path, _, sql, expression, _ = found[name]
        found[f"sql {name}"] = (path, f"--sql '{sql.replace(' T', ' ' + path.stem, 1)}'", sql, expression, None)
    path, _, sql, expression, _ = found["join"]
    statement = "select L.*, R.label from left_ L left join right_ R on L.key = R.key".replace("left_", f'"{left.stem}"').replace("right_", f'"{right.stem}"')
    found["sql join"] = (left, f"--from {right} --sql '{statement}'", sql, expression, None)
    return found


def plain_questions(quotes, nums, left, right):
    return {
        "two conditions": (nums, "--where 'value < 500000 and level in (1,2)'", "select * from T where value < 500000 and level in (1,2)",
                           "T.filter((pl.col('value') < 500000) & pl.col('level').is_in([1, 2]))", "filter '$value < 500000 && ($level == 1 || $level == 2)'"),
        "calculation": (nums, "--put 'total = value*level'", "select *, value*level as total from T", "T.with_columns((pl.col('value') * pl.col('level')).alias('total'))",
                        "put '$total = $value * $level'"),
        "calculated condition": (nums, "--where 'value*level > 900'", "select * from T where value*level > 900", "T.filter(pl.col('value') * pl.col('level') > 900)",
                                 "filter '$value * $level > 900'"),
        "contains": (quotes, "--where 'quote ~ desert'", "select * from T where quote ilike '%desert%'",
                     "T.filter(pl.col('quote').str.to_lowercase().str.contains('desert', literal=True))", "filter 'strlen(sub($quote, \"(?i)desert\", \"\")) != strlen($quote)'"),
        "search": (quotes, "--search jesse", "select * from T where regexp_matches(concat_ws(' ', quote, character, note), '(?i)\\bjesse')", None, None),
        "first ten": (nums, "--sort value:desc --limit 10", "select * from T order by value desc limit 10", "T.sort('value', descending=True).head(10)",
                      "top -n 10 -f value -a"),
        "sort by real": (nums, "--sort value", "select * from T order by value", "T.sort('value')", "sort -nf value"),
        "sort by integer and text": (nums, "--sort level,name", "select * from T order by level, name", "T.sort('level', 'name')", "sort -nf level -f name"),
        "sort by long text": (quotes, "--sort quote", "select * from T order by quote", "T.sort('quote')", "sort -f quote"),
        "count": (nums, "--count", "select count(*) as count from T", "T.select(pl.len().alias('count'))", "count"),
        "few groups": (quotes, "--group character --agg 'count,avg(rating),min(rating),max(rating)'",
                       "select character, count(*), avg(rating), min(rating), max(rating) from T group by character order by 1",
                       "T.group_by('character').agg(pl.len(), pl.col('rating').mean(), pl.col('rating').min().alias('a'), pl.col('rating').max().alias('b')).sort('character')",
                       "stats1 -a count,mean,min,max -f rating -g character"),
        "many groups": (nums, "--group value --agg count", "select value, count(*) from T group by value order by value",
                        "T.group_by('value').agg(pl.len()).sort('value')", "count -g value"),
        "join": (left, f"--join {right} --on key", f"select L.*, R.label from T L left join read_csv('{right}') R on L.key = R.key",
                 f"T.join(pl.scan_csv('{right}'), on='key', how='left')", f"join -j key --ul -f {right}"),
        "sql": (quotes, "--sql 'select character, count(*), avg(rating) from quotes where season = 3 group by character'",
                "select character, count(*), avg(rating) from T where season = 3 group by character",
                "T.filter(pl.col('season') == 3).group_by('character').agg(pl.len(), pl.col('rating').mean())", None),
    }


def commands(program, threads, path, ours, sql, polars, miller, out):
    found = {"bb": f"{program} --from {path} {ours} -f csv --threads {threads} -q > {out}"}
    duckdb = next(peers.venv.glob("lib/*/site-packages/duckdb_cli/**/duckdb"), None) or shutil.which("duckdb")
    if duckdb:
        table = f"'{path}'" if path.suffix == ".parquet" else f"read_csv('{path}')"
        found["duckdb"] = f"{duckdb} -c " + shlex.quote(f"COPY ({sql.replace(' T', f' {table}', 1)}) TO '{out}' (FORMAT csv, HEADER)")
    if list(peers.venv.glob("lib/*/site-packages/chdb*")):
        theirs = sql.replace("regexp_matches(concat_ws(' ', quote, character, note), '(?i)\\bjesse')",
                             "match(concat(quote, ' ', character, ' ', ifNull(note, '')), '(?i)\\\\bjesse')")
        form = "Parquet" if path.suffix == ".parquet" else "CSVWithNames"
        query = f"{theirs.replace(' T', f' file({chr(39)}{path}{chr(39)}, {form})', 1)} INTO OUTFILE '{out}' TRUNCATE FORMAT CSVWithNames"
        found["clickhouse"] = f"{peers.venv}/bin/python -c " + shlex.quote(f'import chdb; chdb.query("""{query}""")')
    if polars and list(peers.venv.glob("lib/*/site-packages/polars")):
        found["polars"] = f"{peers.venv}/bin/python -c " + shlex.quote(f"import polars as pl; T = pl.scan_{path.suffix[1:]}('{path}'); {polars}.collect().write_csv('{out}')")
    if miller and shutil.which("mlr"): found["miller"] = f"mlr --csv {miller} {path} > {out}"
    if shutil.which("sqlite3") and "regexp_matches" not in sql and "read_csv" not in sql and path.suffix == ".csv":
        load = f".import --csv {path} T"
        found["sqlite3"] = f"sqlite3 -batch -init /dev/null -csv -header :memory: {shlex.quote(load)} {shlex.quote(sql.replace('ilike', 'like').replace('value', 'cast(value as real)', 0))} > {out}"
    return found


def lines_of(path):
    with open(path, "rb") as file: return sum(1 for _ in file)


def run(program, data, rows, rounds, only, chosen_peers):
    peers.install()
    nums = numbers(data, 3 * rows)
    lines = ["| question | tool | wall s | CPU s | memory MB | times bb's wall | lines |", "|---|---|---:|---:|---:|---:|---:|"]
    goals = ["", "Against the fastest other tool:", "", "| question | fastest other | times slower than bb | goal | |", "|---|---|---:|---:|---|"]
    everything = {n: (*q, None) for n, q in questions(data / "quotes.csv", nums, *sides(data)).items()} | price_questions(prices(data, 3 * rows))
    everything["groups of Parquet"] = (dictionary(data, nums), "--group name --agg 'count,sum(level)'",
                                       "select name, count(*), sum(level) from T group by name order by name",
                                       "T.group_by('name').agg(pl.len(), pl.col('level').sum()).sort('name')", None, None)
    for name, (path, *question, check) in everything.items():
        if only and name.replace(" ", "-") not in only: continue
        out = data / "response.csv"
        all_commands = {t: c for t, c in commands(program, os.cpu_count(), path, *question, out).items()
                        if t == "bb" or not chosen_peers or t in chosen_peers}
        counts = {}
        for tool, command in all_commands.items():
            out.unlink(missing_ok=True)
            status = measure.once(command + " 2>/dev/null")["status"]
            if tool == "bb" and check and status == 0 and not check(rows_of(path), rows_of(out)): status = "wrong values"
            counts[tool] = lines_of(out) if status == 0 and out.exists() else f"exit {status}"
        if not isinstance(counts["bb"], int): raise SystemExit(f"bb failed: {counts['bb']}: {all_commands['bb']}")
        good = {t: c for t, c in all_commands.items() if isinstance(counts[t], int)}
        result = measure.interleaved({t: c + " 2>/dev/null" for t, c in good.items()}, rounds)
        for tool, f in sorted(result.items(), key=lambda p: p[1]["wall"]):
            ratio = f["wall"] / result["bb"]["wall"]
            lines.append(f"| {name} | {tool} | {f['wall']:.3f} | {f['cpu']:.3f} | {f['memory']:.0f} | {ratio:.2f} | {counts[tool]} |")
            print(lines[-1], file=sys.stderr, flush=True)
        rivals = {t: f["wall"] / result["bb"]["wall"] for t, f in result.items() if t != "bb"}
        # The goal of --sql is relative to sqlite3, which imports the file, too.
        if name == "sql": rivals = {t: r for t, r in rivals.items() if t == "sqlite3"}
        if rivals:
            tool, ratio = min(rivals.items(), key=lambda p: p[1])
            goals.append(f"| {name} | {tool} | {ratio:.2f} | {GOALS[name]} | {'reached' if ratio >= GOALS[name] else 'not reached'} |")
        out.unlink(missing_ok=True)
    return lines + goals
