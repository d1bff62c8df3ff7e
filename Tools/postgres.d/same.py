"""The same commands on all four stores."""
import re, shlex
from cluster import export, folder, notes, report, run, Cluster, environment, user

SCRIPT = """
N add S05E14 'Ozymandias é 日本'
N add S05E13 'second' --tag best
N add S05E14 'changed' --replace
N add s1e1 'first'
N list
N list -f json
N show S05E14
N search ozym
N search changed
N delete S05E13 --yes
N trash list
N trash restore S05E13
N history
N history -f json
N undo
N undo
N list --plain
N places add Luzern --at 47.05,8.3
N places add Zermatt --at 46.02,7.75 --visited 2024-05
N places list
N places list -f csv
N places set Luzern comment='the bridge'
N places show Luzern
N places delete Zermatt --yes
N actors add 'Bryan Cranston' --birth-date 1956-03-07 --partial
N actors list
N actors list -f ndjson
N favourites add characters 1
N favourites list
N check
N history --plain
E characters --where 'id < 4' -f csv
E characters --search walter -f ndjson --columns name,birthday
E characters --sort name:desc --limit 3 -f json --columns name
E characters --where 'birthday is null' --count
E characters --where 'name = Walter White' --count
E episodes --where 'season = 5' --where 'production = Breaking Bad' -f csv --columns episode,title
E episodes --where 'season in (1,2)' --count
E episodes --where 'title ~ ^A' -f csv --columns title
E episodes --group production --agg count -f csv
E episodes --sample 3 --seed 7 -f csv --columns title
E episodes --limit 2 --offset 5 -f yaml --columns title
E deaths -f csv
E notes -f csv --columns season,episode,text
E places -f csv --columns name,latitude
E actors -f json --columns name
E check --storage STORE
E characters -f markdown --limit 2
E characters -f sql --limit 2
E characters -f html --limit 2 --columns name
E --sql 'SELECT count(*) n FROM characters' -f csv
E profile characters -f csv
E nothing
"""


def unnamed(outputs):
    """The outputs with identifiers, which are random, and the ends of them that are shown, replaced by their number."""
    known = list(dict.fromkeys(re.findall(rb"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", b"".join(outputs))))
    def replaced(text):
        for number, full in enumerate(known):
            text = text.replace(full, b"ID%d" % number)
            for around in (b"| %b |", b"%b\t", b"(id %b)", b"\n%b,"): text = text.replace(around % full[-4:], around % (b"ID%d" % number))
        return text
    return [replaced(text) for text in outputs]


def same(cluster, _, options):
    """The same commands give the same bytes on all four stores; only the name of the store differs."""
    results = {}
    for kind in ("sqlite", "csv", "json", "postgres"):
        store = cluster.url(schema="same") if kind == "postgres" else f"{kind}:{folder}/same-{kind}" + (".db" if kind == "sqlite" else "")
        shown = store.replace("bb@", "") if kind == "postgres" else store
        rc, _, err = run(export, "sync", "--source", "snapshot", "--storage", store, "-q")
        if rc: report(False, f"same: sync into {kind}: {err.decode()}")
        codes, outputs = [], []
        for line in SCRIPT.strip().splitlines():
            words = [w.replace("STORE", store) for w in shlex.split(line)]
            program = {"N": notes, "E": export}[words[0]]
            extra = [] if "--storage" in words else ["--storage", store]
            rc, out, err = run(program, *words[1:], *extra, timeout=60)
            mask = lambda b: b.replace(shown.encode(), b"STORE").replace(store.encode(), b"STORE").replace(store.split(":", 1)[1].encode(), b"STORE")
            codes.append(rc)
            outputs += [mask(out), mask(err)]
        outputs = unnamed(outputs)
        results[kind] = list(zip(SCRIPT.strip().splitlines(), codes, outputs[::2], outputs[1::2]))
    different = 0
    for position, (line, *wanted) in enumerate(results["sqlite"]):
        for kind in ("csv", "json", "postgres"):
            if results[kind][position][1:] != tuple(wanted):
                different += 1
                print(f"  {kind}: {line}\n    sqlite: {wanted}\n    {kind}: {results[kind][position][1:]}"[:900])
    report(different == 0, f"same: {len(results['sqlite'])} commands on four stores, {different} differ")
    good = [r for r in results["sqlite"] if r[1] == 0]
    report(len(good) >= len(results["sqlite"]) - 2, f"same: {len(good)} of them succeed")
    for line, rc, out, err in results["sqlite"]:
        if rc and line != "E nothing": print(f"  {line}: {rc} {err.decode()[:200]}")
    # A store can be moved there and back.
    place = cluster.url(schema="moved")
    for source, target in ((f"sqlite:{folder}/same-sqlite.db", place), (place, f"csv:{folder}/back")):
        rc, out, err = run(notes, "migrate", "--storage", source, "--to", target)
        report(rc == 0, f"same: migrate to {target.split(':')[0]} {err.decode()[:200] if rc else ''}")
    for line in ("list -f json", "history -f json", "places list -f json", "trash list -f json"):
        # A copy cannot undo the loads of the original.
        stores = (place, f"csv:{folder}/back") if "history" in line else (f"sqlite:{folder}/same-sqlite.db", place, f"csv:{folder}/back")
        outputs = {run(notes, *line.split(), "--storage", s)[1] for s in stores}
        report(len(outputs) == 1, f"same: {line} after migration")
