"""Numbers that are not finite: every operator against DuckDB, on the same Parquet files."""
import json, math, pathlib, random, subprocess
import pyarrow as pa, pyarrow.parquet as pq

VALUES = [math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -1.5, 3.0, 1e308, -1e308, 5e-324, None]
CONSTANTS = ["NaN", "Infinity", "-Infinity", "0", "1.5", "2.5", "-1.5", "1e308", "3"]
NAMES = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(value):
    """A text that is equal for equal numbers."""
    value = NAMES.get(value, value)
    return "null" if value is None else "NaN" if math.isnan(value) else repr(float(value) + 0.0) if value else "0.0"


def check(program, folder, fail, duckdb, tables, seed):
    path, other = pathlib.Path(folder) / "n.parquet", pathlib.Path(folder) / "o.parquet"
    compared = 0

    def bb(*words):
        run = subprocess.run([program, *map(str, words), "-f", "ndjson", "--nonfinite", "string"], capture_output=True, text=True, cwd=folder)
        if run.returncode: fail("nonfinite: " + " ".join(map(str, words)), run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def same(what, found, wanted):
        nonlocal compared
        compared += 1
        if found != wanted: fail(f"nonfinite: {what}", f"{found[:9]} instead of {wanted[:9]}")

    for turn in range(tables):
        chance = random.Random(f"{seed} {turn}")
        for file in (path, other):
            rows = chance.randrange(1, 60)
            columns = {name: pa.array([chance.choice(VALUES) for _ in range(rows)], type) for name, type in (("c", pa.float64()), ("d", pa.float64()), ("f", pa.float32()))}
            columns["l"] = pa.array([[chance.choice(VALUES) for _ in range(chance.randrange(3))] for _ in range(rows)], pa.list_(pa.float64()))
            pq.write_table(pa.table({"id": pa.array(range(rows)), **columns}), file, row_group_size=chance.choice([4, 100]), use_dictionary=chance.random() < .5,
                           data_page_size=chance.choice([16, 1 << 20]), write_page_index=chance.random() < .5)
        # From tables: DuckDB skips row groups by bounds that say nothing about NaN.
        for name, file in (("n", path), ("o", other)): duckdb.sql(f"create or replace temp table {name} as select * from '{file}'")
        sql = lambda text: duckdb.sql(text.replace("?", "n")).fetchall()
        for comparison in ("<", "<=", "=", "!=", ">", ">="):
            for constant in CONSTANTS:
                for column in ("c", "f"):
                    if column == "f" and constant == "1e308": continue
                    found = [row["id"] for row in bb(path, "--where", f"{column} {comparison} {constant}", "--columns", "id")]
                    same(f"{column} {comparison} {constant}", found, [id for id, in sql(f"select id from ? where {column} {comparison} '{constant}'::double order by id")])
            found = [row["id"] for row in bb(path, "--where", f'c {comparison} "d"', "--columns", "id")]
            same(f"c {comparison} d", found, [id for id, in sql(f"select id from ? where c {comparison} d order by id")])
        for order in ("asc", "desc"):
            found = [number(row["c"]) for row in bb(path, "--sort", "c:desc" if order == "desc" else "c", "--columns", "c")]
            same(f"sort {order}", found, [number(c) for c, in sql(f"select c from ? order by c {order} nulls last")])
        found = sorted([number(row["c"]), *map(number, (row["n"], row["low"], row["high"], row["all"]))]
                       for row in bb(path, "--group", "c", "--agg", "count as n, min(d) as low, max(d) as high, distinct(d) as all"))
        same("group", found, sorted(list(map(number, row)) for row in sql("select c, count(*), min(d), max(d), count(distinct d) from ? group by c")))
        # The order of additions is DuckDB's own: sums of few numbers that are far apart differ.
        found = [number(value) for row in bb(path, "--where", "c in (NaN, Infinity, -Infinity, 1.5, 3)", "--agg", "sum(c) as s, avg(c) as m") for value in (row["s"],)]
        same("sum", found, [number(value) for value, in sql("select sum(c) from ? where c in ('NaN', 'Infinity', '-Infinity', 1.5, 3)")])
        found = sorted((row["id"], row[next(k for k in row if k != "id")]) for row in bb(path, "--join", other, "--on", "c", "--join-type", "inner", "--columns", "id,o.id"))
        same("join", found, sorted(sql(f"select a.id, b.id from ? a join o b on a.c = b.c")))
        for policy, wanted in (("null", None), ("string", "word")):
            lines = subprocess.run([program, path, "--columns", "l", "-f", "ndjson", "--nonfinite", policy], capture_output=True, text=True, cwd=folder).stdout.splitlines()
            lists = [json.loads(line)["l"] for line in lines]
            same(f"lists as {policy}", [[number(v) for v in row] for row in lists],
                 [[("null" if v is None or policy == "null" and not math.isfinite(v) else number(v)) for v in row] for row, in sql("select l from ?")])
    print(f"nonfinite: {compared} results compared with DuckDB {duckdb.__version__}", flush=True)
