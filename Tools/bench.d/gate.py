"""The CPU time of the release program against another build of it, on one thread: conversions, two conditions, search, sort, SQLite. The programs take
turns, and the minimum of the rounds counts, which noise can only raise."""
import measure

LIMIT = 1.03
# Files of nothing but prices or dates, which an earlier build read as text.
TYPED = {"prices": 1.15, "days": 1.15}
CASES = {
    "csv to ndjson": "--from {data}/quotes.csv -f ndjson", "csv to json": "--from {data}/quotes.csv -f json",
    "json to csv": "--from {data}/quotes.json -f csv", "ndjson to csv": "--from {data}/quotes.ndjson -f csv",
    "csv to markdown": "--from {data}/quotes.csv -f markdown", "sqlite to csv": "quotes --from {data}/quotes.db -f csv",
    "two conditions": "--from {data}/quotes.csv -f csv --where 'season = 3' --where 'quote ~ money'",
    "search": "--from {data}/quotes.csv -f csv --search 'chemistry teacher'", "sort": "--from {data}/quotes.csv -f csv --sort character,rating:desc",
    "prices": "--from {data}/gate-prices.csv -f json", "days": "--from {data}/gate-days.csv -f json",
    "csv to sqlite": "--from {data}/quotes.csv -f sqlite -o {data}/gate-{which}.db",
}


def make(data, rows=1_000_000):
    """Five columns of prices with two digits after the point, and of days."""
    for name, value in (("prices", lambda n: f"{n % 9_000_000 / 100 + 1000:.2f}"), ("days", lambda n: f"{1990 + n % 40}-{1 + n % 12:02d}-{1 + n % 28:02d}")):
        path = data / f"gate-{name}.csv"
        if path.exists(): continue
        with open(path, "w") as out:
            out.write("a,b,c,d,e\n")
            for i in range(rows): out.write(",".join(value(i * 7919 + k * 104_729) for k in range(5)) + "\n")


def run(program, other, data, rounds, limit=LIMIT):
    """The lines of the table, and the cases above the limit."""
    make(data)
    lines, slow = ["| case | CPU s | CPU s of the other | ratio |", "|---|---:|---:|---:|"], []
    for name, arguments in CASES.items():
        times = {}
        for _ in range(rounds):
            for which, path in (("this", program), ("other", other)):
                words = arguments.format(data=data, which=which)
                target = "" if " -o " in words else " > /dev/null"
                result = measure.once(f"{path} {words} --threads 1 -q{target}")
                if result["status"]: raise SystemExit(f"failed: {path} {words}")
                times.setdefault(which, []).append(result["cpu"])
        ratio = min(times["this"]) / min(times["other"])
        lines.append(f"| {name} | {min(times['this']):.3f} | {min(times['other']):.3f} | {ratio:.3f} |")
        if ratio > max(limit, TYPED.get(name, 0)): slow.append(f"{name} ({ratio:.3f})")
    for which in ("this", "other"): (data / f"gate-{which}.db").unlink(missing_ok=True)
    lines += ["", f"Above {limit} (prices and days {TYPED['prices']}): {', '.join(slow) or 'none'}."]
    return lines, slow
