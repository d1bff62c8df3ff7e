"""Many writers, and processes that are killed."""
import random, subprocess, time
from cluster import export, folder, notes, report, run, Cluster, environment, user


def writers(cluster, pool, options):
    for name, where in (("directly", cluster.port), ("through pgbouncer", pool)):
        if not where: continue
        place = f"postgres://bb@127.0.0.1:{where}/t?schema=writers_{where}"
        count = options.writers
        started = time.monotonic()
        running = [subprocess.Popen([notes, "places", "add", f"place {i}", "--at", f"{i},{i}", "--storage", place], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(count)]
        codes = [(p.wait(), p.stderr.read().decode()) for p in running]
        seconds = time.monotonic() - started
        rows = cluster.psql(f'SELECT count(*) FROM "writers_{where}".places')
        numbers = cluster.psql(f'SELECT string_agg(number::text, \',\' ORDER BY number) FROM "writers_{where}".bb_history')
        good = all(c == 0 for c, _ in codes) and rows == str(count) and numbers == ",".join(map(str, range(1, count + 1)))
        report(good, f"writers {name}: {count} at once on a new store, {rows} rows, numbers without gaps, {seconds:.1f} s" + ("" if good else f" {[c for c in codes if c[0]][:3]}"))


def kills(cluster, _, options):
    """A client or its backend is killed at a random time; what was acknowledged is there, and nothing is half there."""
    place = cluster.url(schema="kills")
    run(notes, "places", "add", "first", "--at", "1,1", "--storage", place)
    seed = random.Random(18)
    acknowledged, killed, unclear = {"first"}, 0, 0
    for number in range(options.kills):
        name = f"p{number}"
        process = subprocess.Popen([notes, "places", "add", name, "--at", "1,1", "--storage", place], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(seed.random() * .12)
        if number % 2:
            process.kill()
        else:
            cluster.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bb'", "postgres")
        code, error = process.wait(), process.stderr.read().decode()
        if code == 0: acknowledged.add(name)
        elif code in (69, 75, -9): killed += 1
        else: unclear += 1; print(f"  exit {code}: {error}")
    names = set(run(export, "places", "--storage", place, "-f", "csv", "--columns", "name")[1].decode().split()[1:])
    lost = acknowledged - names
    report(not lost and not unclear, f"kills: {options.kills}, of which {killed} met a change; {len(acknowledged)} acknowledged, {len(lost)} lost, {unclear} unclear")
    half = cluster.psql("SELECT (SELECT count(*) FROM kills.places) = (SELECT count(*) FROM kills.bb_history)")
    report(half == "t", "kills: each record has its entry in the history")
    report(run(notes, "check", "--storage", place)[0] == 0, "kills: check finds nothing")
    # A backend that is killed while rows are copied.
    big = folder / "rows.csv"
    big.write_text("id,t\n" + "".join(f"{i},{'x' * 50}\n" for i in range(300_000)))
    whole = broken = 0
    for number in range(10):
        process = subprocess.Popen([export, "--from", str(big), "-o", cluster.url(table=f"big{number}")], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(.05 + seed.random() * .5)
        cluster.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bb'", "postgres")
        code = process.wait()
        count = cluster.psql(f"SELECT CASE WHEN to_regclass('public.big{number}') IS NULL THEN 0 ELSE (xpath('/row/c/text()', query_to_xml('SELECT count(*) c FROM public.big{number}', false, true, '')))[1]::text::int END", check=False)
        whole += code == 0 and count == "300000"
        broken += (code == 0) != (count == "300000") or count not in ("0", "300000")
    report(broken == 0, f"kills: 10 backends during a copy, {whole} were complete, {broken} half")
