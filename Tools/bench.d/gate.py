"""The CPU time of the release program against another build of it, on one thread: conversions, two conditions, search, sort, SQLite. The programs take
turns, and the minimum of the rounds counts, which noise can only raise."""
import measure

LIMIT = 1.03
CASES = {
    "csv to ndjson": "--from {data}/quotes.csv -f ndjson", "csv to json": "--from {data}/quotes.csv -f json",
    "json to csv": "--from {data}/quotes.json -f csv", "ndjson to csv": "--from {data}/quotes.ndjson -f csv",
    "csv to markdown": "--from {data}/quotes.csv -f markdown", "sqlite to csv": "quotes --from {data}/quotes.db -f csv",
    "two conditions": "--from {data}/quotes.csv -f csv --where 'season = 3' --where 'quote ~ money'",
    "search": "--from {data}/quotes.csv -f csv --search 'chemistry teacher'", "sort": "--from {data}/quotes.csv -f csv --sort character,rating:desc",
    "csv to sqlite": "--from {data}/quotes.csv -f sqlite -o {data}/gate-{which}.db",
}


def run(program, other, data, rounds):
    """The lines of the table, and the cases above the limit."""
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
        if ratio > LIMIT: slow.append(f"{name} ({ratio:.3f})")
    for which in ("this", "other"): (data / f"gate-{which}.db").unlink(missing_ok=True)
    lines += ["", f"Above {LIMIT}: {', '.join(slow) or 'none'}."]
    return lines, slow
