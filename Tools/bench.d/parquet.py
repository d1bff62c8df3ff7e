"""CSV into Parquet with zstd at level 1, and Parquet into CSV, against DuckDB, polars, pyarrow and ClickHouse; the files are compared by their sums first.
Then six partitions, texts that repeat 25 times, and --verify against the export without it.

Every tool is a whole process. Python's start is part of the times of the libraries."""
import pathlib, shlex, subprocess, tempfile
import measure, peers


def python(code): return f"{peers.venv}/bin/python -c {shlex.quote(code)}"


def writers(program, source, folder, level):
    """{tool: (command, file)}"""
    def out(name): return f"{folder}/{name}.parquet"
    settings = f"output_format_parquet_compression_method=''zstd'', output_format_compression_level={level}".replace("''", "'")
    return {
        "bb": (f"{program} --from {source} -o {out('bb')} --option parquet.compression=zstd:{level} -q", out("bb")),
        "bb --threads 1": (f"{program} --from {source} -o {out('one')} --option parquet.compression=zstd:{level} --threads 1 -q", out("one")),
        "duckdb": (python(f"import duckdb; duckdb.sql(\"copy (from read_csv('{source}')) to '{out('duckdb')}' (format parquet, compression zstd, compression_level {level})\")"), out("duckdb")),
        "polars": (python(f"import polars as pl; pl.scan_csv('{source}', infer_schema_length=None).sink_parquet('{out('polars')}', compression='zstd', compression_level={level})"), out("polars")),
        "pyarrow": (python(f"import pyarrow.csv as c, pyarrow.parquet as q; q.write_table(c.read_csv('{source}', parse_options=c.ParseOptions(newlines_in_values=True)), "
                           f"'{out('pyarrow')}', compression='zstd', compression_level={level})"), out("pyarrow")),
        "clickhouse": (python(f"import chdb; chdb.query(\"\"\"SELECT * FROM file('{source}', 'CSVWithNames') INTO OUTFILE '{out('clickhouse')}' TRUNCATE FORMAT Parquet SETTINGS {settings}\"\"\")"),
                       out("clickhouse")),
    }


def readers(program, source, folder):
    return {
        "bb": f"{program} --from {source} -o {folder}/bb.csv -q",
        "duckdb": python(f"import duckdb; duckdb.sql(\"copy (from '{source}') to '{folder}/duckdb.csv' (format csv, header)\")"),
        "polars": python(f"import polars as pl; pl.scan_parquet('{source}').sink_csv('{folder}/polars.csv')"),
        "pyarrow": python(f"import pyarrow.csv as c, pyarrow.parquet as q; c.write_csv(q.read_table('{source}'), '{folder}/pyarrow.csv')"),
        "clickhouse": python(f"import chdb; chdb.query(\"\"\"SELECT * FROM file('{source}', 'Parquet') INTO OUTFILE '{folder}/clickhouse.csv' TRUNCATE FORMAT CSVWithNames\"\"\")"),
    }


def sums(path):
    """The number of rows, the sum of the ids and the length of all texts, as DuckDB reads them."""
    done = subprocess.run([peers.venv / "bin/python", "-c",
                           f"import duckdb; print(duckdb.sql(\"select count(*), sum(id), sum(strlen(quote)), sum(strlen(character)) from '{path}'\").fetchall()[0])"],
                          capture_output=True, text=True)
    return done.stdout.strip()


def repetitive(data, rows=4_000_000):
    """A table of `rows` rows with two texts, each of which occurs 25 times, a real, and one of six names."""
    path = data / "repetitive.csv"
    if not path.exists():
        text = f"cast(floor(random() * {rows // 25}) as int)"
        code = (f"import duckdb; duckdb.sql(\"copy (select i as id, 'a text that is repeated, number ' || {text} || ' of many' as quote, 'customer ' || {text} as character, "
                f"round(random() * 100, 2) as price, 'part ' || cast(floor(random() * 6) as int) as part from range({rows}) r(i)) to '{path}' (header)\")")
        subprocess.run([peers.venv / "bin/python", "-c", code], check=True)
    return path


def more(program, data, folder, rounds):
    """Lines of tables: partitions, repeated texts, and --verify."""
    source = repetitive(data)
    duckdb = lambda sql: python(f'import duckdb; duckdb.sql(\"\"\"{sql}\"\"\")')
    cases = {
        "Six partitions": ({
            "bb": f"(rm -rf {folder}/parts; {program} --from {source} -o '{folder}/parts/part={{part}}/rows.parquet' -q)",
            "bb, one file": f"(rm -f {folder}/one.parquet; {program} --from {source} -o {folder}/one.parquet -q)",
            "duckdb": "(rm -rf %s/theirs; %s)" % (folder, duckdb(f"copy (from read_csv('{source}')) to '{folder}/theirs' (format parquet, partition_by (part))"))}, {}),
        "Texts that repeat 25 times": ({
            "bb": f"(rm -f {folder}/r-bb.parquet; {program} --from {source} -o {folder}/r-bb.parquet --option parquet.compression=zstd:3 -q)",
            "duckdb": duckdb(f"copy (from read_csv('{source}')) to '{folder}/r-duckdb.parquet' (format parquet, compression zstd)"),
            "polars": python(f"import polars as pl; pl.scan_csv('{source}').sink_parquet('{folder}/r-polars.parquet', compression='zstd')")},
            {tool: pathlib.Path(folder, f"r-{tool}.parquet") for tool in ("bb", "duckdb", "polars")}),
        "--verify, of the quotes": ({
            "bb": f"(rm -f {folder}/v.parquet; {program} --from {data}/quotes.csv -o {folder}/v.parquet -q)",
            "bb --verify": f"(rm -f {folder}/v.parquet; {program} --from {data}/quotes.csv -o {folder}/v.parquet --verify -q)"}, {}),
    }
    for title, (commands, files) in cases.items():
        results = measure.interleaved(commands, rounds)
        sizes = {tool: path.stat().st_size / 1e6 for tool, path in files.items() if path.exists()}
        yield from ("", f"{title}:", "", "| tool | wall s | CPU s | memory MB | file MB | times bb's wall |", "|---|---:|---:|---:|---:|---:|")
        yield from table({tool: run for tool, run in results.items() if run["status"] == 0}, sizes)


def table(results, sizes):
    best = results["bb"]["wall"]
    for tool, run in sorted(results.items(), key=lambda item: item[1]["wall"]):
        size = f"{sizes[tool]:.1f}" if tool in sizes else ""
        yield f"| {tool} | {run['wall']:.3f} | {run['cpu']:.3f} | {run['memory']:.0f} | {size} | {run['wall'] / best:.2f} |"


def run(program, data, rounds, level=1):
    peers.install()
    subprocess.run([peers.venv / "bin/pip", "-q", "install", "pyarrow"], check=False)
    lines = []
    with tempfile.TemporaryDirectory(dir=data) as folder:
        commands = writers(program, data / "quotes.csv", folder, level)
        expected, broken = None, []
        for tool, (command, path) in commands.items():
            status = measure.once(command + " 2>/dev/null")["status"]
            found = sums(path) if status == 0 else None
            expected = expected or found
            if not found or found != expected: broken.append(tool)
        for tool in broken: lines.append(f"Omitted, since it failed or wrote other values: {tool}.")
        chosen = {tool: command for tool, (command, _) in commands.items() if tool not in broken}
        results = measure.interleaved(chosen, rounds)
        sizes = {tool: pathlib.Path(path).stat().st_size / 1e6 for tool, (_, path) in commands.items() if tool in chosen}
        lines += ["", f"CSV into Parquet, zstd {level}:", "", "| tool | wall s | CPU s | memory MB | file MB | times bb's wall |", "|---|---:|---:|---:|---:|---:|"]
        lines += table(results, sizes)
        source = commands["duckdb" if "duckdb" in chosen else "bb"][1]
        for name, source in (("bb's file", commands["bb"][1]), ("DuckDB's file", source)):
            results = measure.interleaved(readers(program, source, folder), rounds)
            lines += ["", f"{name} into CSV:", "", "| tool | wall s | CPU s | memory MB | | times bb's wall |", "|---|---:|---:|---:|---|---:|"]
            lines += table({tool: run for tool, run in results.items() if run["status"] == 0}, {})
        lines += more(program, data, folder, rounds)
    return lines
