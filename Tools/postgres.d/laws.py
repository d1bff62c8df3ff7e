"""The conformance checks of stores on a real server."""
import os, subprocess
from cluster import report, top


def run_laws(what, place):
    done = subprocess.run(["swift", "test", "--skip-build", "--no-parallel", "--filter", "StoreLawTests|NotesLawTests|RowSinkLawTests"], cwd=top, capture_output=True, text=True, env=os.environ | {"BB_TEST_POSTGRES": place})
    held = done.stdout.count("fixture → postgres, law") + done.stdout.count("fixture → postgres, seed")
    good = held > 0 and done.returncode == 0
    report(good, f"laws {what}: {held} cases on PostgreSQL")
    if not good: print("\n".join([l for l in (done.stdout + done.stderr).splitlines() if "✘" in l][:40]))


def laws(cluster, pool, options):
    for what, port in (("directly", cluster.port), ("through pgbouncer", pool)):
        if port: run_laws(what, f"postgres://bb@127.0.0.1:{port}/t")
        else: print("skipped: through pgbouncer (it is not installed)")
