"""Comparable tools, installed where possible (from PyPI into a private directory, from Debian), and their commands for each conversion.

ClickHouse is PyPI's `chdb`, which is a library: its clock starts with the Python process, import included, like every other's."""
import json, os, pathlib, shlex, shutil, subprocess, sys

home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "bb-bench"
venv = home / "venv"


def install():
    if not (venv / "bin" / "python").exists():
        home.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    for package, module in (("duckdb", "duckdb"), ("duckdb-cli", "duckdb_cli"), ("polars", "polars"), ("chdb", "chdb")):
        if not list(venv.glob(f"lib/*/site-packages/{module}*")):
            done = subprocess.run([venv / "bin" / "pip", "-q", "install", package], capture_output=True, text=True)
            if done.returncode: print(f"skipped: {package} cannot be installed: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    wanted = [p for p, tool in (("sqlite3", "sqlite3"), ("miller", "mlr"), ("jq", "jq")) if not shutil.which(tool)]
    if wanted:
        root = [] if os.getuid() == 0 else ["sudo"]
        subprocess.run([*root, "apt-get", "-qq", "install", "-y", "--no-install-recommends", *wanted], stdout=subprocess.DEVNULL, check=False)


def commands(data, table, columns, source, target, out):
    """{tool: shell command} for one cell; a tool that cannot do the cell is not in it."""
    path = f"{data}/{table}.{source}"
    found = {}
    duckdb = next(venv.glob("lib/*/site-packages/duckdb_cli/**/duckdb"), None) or shutil.which("duckdb")
    readers = {"csv": f"read_csv('{path}')", "json": f"read_json('{path}', format='array')", "ndjson": f"read_json('{path}', format='newline_delimited')"}
    forms = {"csv": "(FORMAT csv, HEADER)", "json": "(FORMAT json, ARRAY true)", "ndjson": "(FORMAT json)"}
    if duckdb and source in readers:
        if target in forms: found["duckdb"] = f"{duckdb} -c " + shlex.quote(f"COPY (SELECT * FROM {readers[source]}) TO '{out}' {forms[target]}")
        else: found["duckdb"] = f"{duckdb} -cmd '.mode markdown' -cmd '.maxrows -1' -c " + shlex.quote(f"SELECT * FROM {readers[source]}") + f" > {out}"
    if list(venv.glob("lib/*/site-packages/chdb*")):
        inputs = {"csv": f"file('{path}', 'CSVWithNames')", "json": f"file('{path}', 'JSONEachRow')", "ndjson": f"file('{path}', 'JSONEachRow')",
                  "db": f"sqlite('{path}', '{table}')"}
        outputs = {"csv": ("CSVWithNames", "format_csv_null_representation=''"), "json": ("JSONEachRow", "output_format_json_array_of_rows=1"),
                   "ndjson": ("JSONEachRow", "output_format_json_array_of_rows=0"), "md": ("Markdown", "max_threads=2")}
        form, setting = outputs[target]
        query = (f"SELECT * FROM {inputs[source]} INTO OUTFILE '{out}' TRUNCATE FORMAT {form} SETTINGS {setting}, "
                 "output_format_json_quote_64bit_integers=0, input_format_try_infer_dates=0, input_format_try_infer_datetimes=0")
        found["clickhouse"] = f"{venv}/bin/python -c " + shlex.quote(f'import chdb; chdb.query("""{query}""")')
    if list(venv.glob("lib/*/site-packages/polars")):
        scan = {"csv": f"pl.scan_csv('{path}', infer_schema_length=None)", "ndjson": f"pl.scan_ndjson('{path}', infer_schema_length=None)",
                "json": f"pl.read_json('{path}', infer_schema_length=None).lazy()"}
        sink = {"csv": f".sink_csv('{out}')", "ndjson": f".sink_ndjson('{out}')", "json": f".collect().write_json('{out}')"}
        if source in scan and target in sink and not (table == "characters" and target == "csv"):
            found["polars"] = f"{venv}/bin/python -c " + shlex.quote(f"import polars as pl; {scan[source]}{sink[target]}")
    if shutil.which("mlr") and source != "db":
        flags = {"csv": "csv", "json": "json", "ndjson": "jsonl", "md": "md"}
        found["miller"] = f"mlr --i{flags[source]} --o{flags[target]} cat {path} > {out}"
    if shutil.which("sqlite3") and source == "db":
        mode = {"csv": [".headers on", ".mode csv"], "json": [".mode json"], "md": [".headers on", ".mode markdown"]}
        if target in mode: query, setup = f"select * from {table}", mode[target]
        else: query, setup = "select json_object(" + ", ".join(f"'{c}', {c}" for c in columns) + f") from {table}", [".mode list"]
        found["sqlite3"] = " ".join(["sqlite3 -batch -init /dev/null", path, *map(shlex.quote, setup), shlex.quote(query), ">", out])
    return found
