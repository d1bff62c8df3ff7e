"""Incremental syncs from a server that fails, throttles and cuts, while the program is killed: the table equals the server's,
and requests stay near what is needed."""
import http.server, json, math, os, random, signal, sqlite3, subprocess, threading, time, urllib.parse
import runs
from runs import Folder, Report, release

LIMIT = 500
MEMORY = 120
BASE = 1_700_000_000


def stamp(seconds): return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Data:
    """The records of the server, in order of their last change: many share a time, and some more than a page holds."""

    def __init__(self, count):
        self.records = []
        for i in range(count):
            second = i // 7 if not count // 3 <= i < count // 3 + 3 * LIMIT + 17 else (count // 3) // 7
            self.records.append((BASE + second, i + 1, f"name {i}", False))
        self.records.sort()

    def change(self, seed):
        """Some records change, some are new, some are deleted."""
        draw, last = random.Random(seed), self.records[-1][0] + 10
        chosen = set(draw.sample(range(len(self.records)), len(self.records) // 50))
        changed = [(last + k // 3, self.records[i][1], f"changed {seed}", k % 5 == 0) for k, i in enumerate(sorted(chosen))]
        new = [(last + len(changed) + k, len(self.records) + k + 1, f"new {seed}", False) for k in range(LIMIT)]
        self.records = sorted([r for i, r in enumerate(self.records) if i not in chosen] + changed + new)

    def table(self): return sorted((i, name, stamp(at)) for at, i, name, gone in self.records if not gone)


class Server:
    """Serves pages of the records; one percent each of its responses are 500, cut, and 429."""

    def __init__(self, data, faults=True):
        outer, self.data, self.asked, self.draw, self.faults = self, data, 0, random.Random(7), faults
        self.lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass

            def do_GET(self):
                with outer.lock:
                    outer.asked += 1
                    fault = outer.draw.random() if outer.faults else 1
                query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
                if fault < 0.01: return self.reply(500, b'{"error":"oops"}')
                if fault < 0.02: return self.reply(429, b'{"error":"slow down"}', [("Retry-After", "1")])
                body = outer.page(query)
                if fault < 0.03:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body[:len(body) // 2])
                    self.close_connection = True
                    return
                self.reply(200, body)

            def reply(self, status, body, headers=()):
                self.send_response(status)
                for name, value in [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers]: self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            def handle_error(self, *_): pass

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listener.server_port}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def page(self, query):
        import bisect, calendar
        at = 0
        if "since" in query:
            since = calendar.timegm(time.strptime(query["since"], "%Y-%m-%dT%H:%M:%SZ"))
            at = bisect.bisect_left(self.data.records, (since, -1, "", False))
        at += int(query.get("offset", 0))
        rows = self.data.records[at:at + int(query["limit"])]
        return json.dumps({"data": [{"id": i, "name": n, "updated_at": stamp(t), "deleted": gone} for t, i, n, gone in rows],
                           "has_more": at + len(rows) < len(self.data.records)}).encode()

    def stop(self): self.listener.shutdown()


def source(url):
    return {"bb_source": 2, "name": "items", "base_url": url, "datasets": [{
        "name": "items", "path": "/items", "records": "/data", "key": ["id"], "ignored": ["/deleted"],
        "paging": {"type": "offset", "param": "offset", "limit_param": "limit", "limit": LIMIT, "max_pages": 1000000,
                   "until": {"at": "/has_more", "is": False}},
        "incremental": {"column": "updated_at", "param": "since", "order": "ascending", "deletes": {"at": "/deleted"}},
        "columns": [{"name": "id", "type": "integer"}, {"name": "name"}, {"name": "updated_at", "type": "timestamp"}]}]}


def sync(folder, limit=3600):
    return runs.Run(["bb-export", "sync", "items", "--source", "./items.json", "--storage", "sqlite:items.db"], folder, limit=limit)


def killed(folder, server, at):
    """Runs a sync, and kills it once the server has had `at` requests; whether it ended before."""
    env = {"PATH": f"{release}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
    process = subprocess.Popen(["bb-export", "sync", "items", "--source", "./items.json", "--storage", "sqlite:items.db"], cwd=folder, env=env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while server.asked < at and process.poll() is None: time.sleep(0.0005)
    time.sleep(random.random() * 0.02)
    if process.poll() is None: process.kill()
    process.stderr.read()
    return process.wait() != -signal.SIGKILL


def stored(folder):
    with sqlite3.connect(folder / "items.db") as db:
        return sorted(db.execute("SELECT id, name, updated_at FROM items"))


def faults_of(folder, server, run, asked, needed, kills):
    found = []
    if run.megabytes > MEMORY: found.append(f"{run.megabytes:.0f} MB; at most {MEMORY}")
    if run.status != 0: found.append(f"exit code {run.status}: {run.words[:300]}")
    table, rows = server.data.table(), stored(folder)
    if table != rows: found.append(f"the table has {len(rows)} rows that are not the {len(table)} of the server")
    most = math.floor(1.04 * needed) + kills + 4
    if asked > most: found.append(f"{asked} requests; at most {most} for {needed} pages and {kills} kills")
    return found


def campaign(count=20_000, kills=20):
    report, seed = Report("network: incremental sync"), random.Random(count)
    data = Data(count)
    server = Server(data)
    try:
        with Folder() as folder:
            (folder / "items.json").write_text(json.dumps(source(server.url)))
            needed = math.ceil(count / LIMIT)
            done = 0
            for at in sorted(seed.sample(range(1, max(needed, kills + 1)), kills)):
                if server.asked >= at: at = server.asked + 1
                if not killed(folder, server, at): done += 1
            run = sync(folder)
            found = faults_of(folder, server, run, server.asked, needed, kills)
            print(f"{count} records: {server.asked} requests for {needed} pages, {done} kills, last run {run.seconds:.1f} s, {run.megabytes:.0f} MB", flush=True)
            report.add(f"first sync, {kills} kills", found)
            for turn in range(2):
                data.change(turn)
                before, needed = server.asked, math.ceil((count // 50 + LIMIT) / LIMIT) + 1
                run = sync(folder)
                report.add(f"changes {turn + 1}", faults_of(folder, server, run, server.asked - before, needed, 2))
            before = server.asked
            run = sync(folder)
            report.add("nothing changed", faults_of(folder, server, run, server.asked - before, 1, 1))
    finally:
        server.stop()
    return report.end()
