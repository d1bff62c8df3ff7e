"""The CPU time of the release program against another build of it, on one thread: the conversions of the table in the README, conditions, search, sorts,
groups, SQLite, prices and days, and the start. The programs take turns, and the minimum of the rounds counts, which noise can only raise. The memory is the
least peak of a round."""
import sys
import measure

LIMIT = 1.03
# Files of nothing but prices or dates, which an earlier build read as text.
TYPED = {"prices": 1.15, "days": 1.15}
# The most milliseconds of CPU more that a start may take.
START = 1.0
FORMATS = {"csv": "csv", "json": "json", "ndjson": "ndjson", "db": "sqlite", "md": "markdown"}
CASES = {f"{source} to {target}": f"quotes --from {{data}}/quotes.{source} -f {FORMATS[target]}"
         for source in ("csv", "json", "ndjson", "db") for target in ("csv", "json", "ndjson", "md")} | {
    "csv to sqlite": "--from {data}/quotes.csv -f sqlite -o {data}/gate-{which}.db",
    "csv to parquet": "--from {data}/quotes.csv -o {data}/gate-{which}.parquet",
    "two conditions": "--from {data}/quotes.csv -f csv --where 'season = 3' --where 'quote ~ money'",
    "search": "--from {data}/quotes.csv -f csv --search 'chemistry teacher'", "sort": "--from {data}/quotes.csv -f csv --sort character,rating:desc",
    "group": "--from {data}/quotes.csv -f csv --group character --agg 'count,avg(rating)'",
    "sort prices": "--from {data}/gate-prices.csv -f csv --types '*=decimal' --sort a,b", "where days": "--from {data}/gate-days.csv -f csv --where 'a < 2001-01-01'",
    "prices": "--from {data}/gate-prices.csv -f json", "days": "--from {data}/gate-days.csv -f json",
}


def make(data, rows=1_000_000):
    """Five columns of prices with two digits after the point, and of days."""
    for name, value in (("prices", lambda n: f"{n % 9_000_000 / 100 + 1000:.2f}"), ("days", lambda n: f"{1990 + n % 40}-{1 + n % 12:02d}-{1 + n % 28:02d}")):
        path = data / f"gate-{name}.csv"
        if path.exists(): continue
        with open(path, "w") as out:
            out.write("a,b,c,d,e\n")
            for i in range(rows): out.write(",".join(value(i * 7919 + k * 104_729) for k in range(5)) + "\n")


def start(program, rounds):
    """Milliseconds of CPU of `--version`: of the round of 50 starts that took the least."""
    return min(measure.once(f"sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5; do {program} --version; done; done > /dev/null'")["cpu"] for _ in range(rounds)) * 20


def run(program, other, data, rounds, limit=LIMIT, cells=None):
    """The lines of the table, and the cases above the limit."""
    make(data)
    lines, slow = ["| case | CPU s | CPU s of the other | ratio | MB | MB of the other |", "|---|---:|---:|---:|---:|---:|"], []
    for name, arguments in CASES.items():
        if cells and name.replace(" ", "-") not in cells: continue
        times, memory = {}, {}
        for _ in range(rounds):
            for which, path in (("this", program), ("other", other)):
                words = arguments.format(data=data, which=which)
                target = "" if " -o " in words else " > /dev/null"
                result = measure.once(f"{path} {words} --threads 1 -q{target}")
                if result["status"] and which == "this": raise SystemExit(f"failed: {path} {words}")
                if result["status"]: continue
                times.setdefault(which, []).append(result["cpu"])
                memory.setdefault(which, []).append(result["memory"])
        if "other" not in times:
            lines.append(f"| {name} | {min(times['this']):.3f} | fails | | {min(memory['this']):.1f} | |")
            continue
        ratio = min(times["this"]) / min(times["other"])
        lines.append(f"| {name} | {min(times['this']):.3f} | {min(times['other']):.3f} | {ratio:.3f} | {min(memory['this']):.1f} | {min(memory['other']):.1f} |")
        print(lines[-1], file=sys.stderr, flush=True)
        if ratio > max(limit, TYPED.get(name, 0)): slow.append(f"{name} ({ratio:.3f})")
    for path in data.glob("gate-*"):
        if path.suffix != ".csv": path.unlink()
    if not cells or "start" in cells:
        this, that = start(program, rounds), start(other, rounds)
        lines.append(f"| start, ms | {this:.2f} | {that:.2f} | {this / that:.3f} | | |")
        if this > that + START: slow.append(f"start ({this - that:+.2f} ms)")
    lines += ["", f"Above {limit} (prices and days {TYPED['prices']}): {', '.join(slow) or 'none'}."]
    return lines, slow
