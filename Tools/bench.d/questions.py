"""Questions about tables: filters, search, sorts, counts, groups, joins and SQL, against DuckDB, ClickHouse, polars, Miller and sqlite3.

NUM has 3 rows for each row of quotes: an integer, a real (without trailing zeros, which would make the column text in bb), an integer of seven values and a
short name. LEFT and RIGHT have 100,000 rows each. The results of all tools have as many lines; see the column of lines."""
import os, pathlib, random, shlex, shutil, subprocess, sys
import measure, peers

GOALS = {"two conditions": 2.5, "contains": 2.5, "search": 2.2, "first ten": 2.0, "sort by real": 1.3, "sort by integer and text": 1.2,
         "sort by long text": 1.7, "count": 3.0, "few groups": 1.6, "many groups": 1.0,
         "join": 1.0, "sql": 2.0}


def numbers(data, rows):
    """NUM: id, value, level, name."""
    path = data / "numbers.csv"
    if not path.exists():
        rnd = random.Random(7).random
        with open(path, "w") as out:
            out.write("id,value,level,name\n")
            for i in range(rows): out.write(f"{i},{round(rnd() * 1e6, 4)},{int(rnd() * 7)},name {int(rnd() * 100000)}\n")
    return path


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
    return {
        "two conditions": (nums, "--where 'value < 500000 and level in (1,2)'", "select * from T where value < 500000 and level in (1,2)",
                           "T.filter((pl.col('value') < 500000) & pl.col('level').is_in([1, 2]))", "filter '$value < 500000 && ($level == 1 || $level == 2)'"),
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
        found["duckdb"] = f"{duckdb} -c " + shlex.quote(f"COPY ({sql.replace(' T', f' read_csv({chr(39)}{path}{chr(39)})', 1)}) TO '{out}' (FORMAT csv, HEADER)")
    if list(peers.venv.glob("lib/*/site-packages/chdb*")):
        theirs = sql.replace("regexp_matches(concat_ws(' ', quote, character, note), '(?i)\\bjesse')",
                             "match(concat(quote, ' ', character, ' ', ifNull(note, '')), '(?i)\\\\bjesse')")
        query = f"{theirs.replace(' T', f' file({chr(39)}{path}{chr(39)}, CSVWithNames)', 1)} INTO OUTFILE '{out}' TRUNCATE FORMAT CSVWithNames"
        found["clickhouse"] = f"{peers.venv}/bin/python -c " + shlex.quote(f'import chdb; chdb.query("""{query}""")')
    if polars and list(peers.venv.glob("lib/*/site-packages/polars")):
        found["polars"] = f"{peers.venv}/bin/python -c " + shlex.quote(f"import polars as pl; T = pl.scan_csv('{path}'); {polars}.collect().write_csv('{out}')")
    if miller and shutil.which("mlr"): found["miller"] = f"mlr --csv {miller} {path} > {out}"
    if shutil.which("sqlite3") and "regexp_matches" not in sql and "read_csv" not in sql:
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
    for name, (path, *question) in questions(data / "quotes.csv", nums, *sides(data)).items():
        if only and name.replace(" ", "-") not in only: continue
        out = data / "answer.csv"
        all_commands = {t: c for t, c in commands(program, os.cpu_count(), path, *question, out).items()
                        if t == "bb" or not chosen_peers or t in chosen_peers}
        counts = {}
        for tool, command in all_commands.items():
            out.unlink(missing_ok=True)
            status = measure.once(command + " 2>/dev/null")["status"]
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
