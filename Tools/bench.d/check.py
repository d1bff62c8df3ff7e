"""Compares a converted file with the reference rows, value by value: each number must read back the same, and null is not the empty text."""
import csv, json, re


def records(path, form, columns):
    if form == "ndjson": return [json.loads(line) for line in open(path)]
    if form == "json": return json.load(open(path))
    if form == "csv": return csv_records(path, columns)
    return markdown_records(path, columns)


def csv_records(path, columns):
    csv.field_size_limit(1 << 30)
    rows = list(csv.reader(open(path, newline="")))
    if rows[0] != columns: return []
    return [dict(zip(columns, row)) for row in rows[1:]]


def markdown_records(path, columns):
    split = lambda line: [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    lines = [line for line in open(path).read().split("\n") if line]
    rows = [split(line) for line in lines[2:]]
    return [dict(zip(columns, row)) if len(row) == len(columns) else {} for row in rows]


def same(value, wanted, form):
    if form == "csv" or form == "md":
        if wanted is None: return value == ""
        if isinstance(wanted, list): return form == "md" or json.loads(value) == wanted
        if isinstance(wanted, (int, float)): return value not in ("", None) and float(value) == wanted
        return value == wanted if form == "csv" else value is not None
    return type(value) is type(wanted) and value == wanted or isinstance(wanted, float) and isinstance(value, int) and value == wanted


def verdict(path, form, reference):
    """`exact`, or the first columns that differ and how often."""
    try: rows = records(path, form, list(reference[0]))
    except Exception as error: return f"unreadable: {str(error)[:40]}"
    if len(rows) != len(reference): return f"{len(rows)} rows of {len(reference)}"
    wrong = {}
    for row, wanted in zip(rows, reference):
        for name, value in wanted.items():
            try: good = same(row.get(name), value, form)
            except Exception: good = False
            if not good: wrong[name] = wrong.get(name, 0) + 1
    return ", ".join(f"{name}: {count}" for name, count in sorted(wrong.items(), key=lambda p: -p[1])[:3]) or "exact"
