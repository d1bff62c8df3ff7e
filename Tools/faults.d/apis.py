"""APIs that throttle, change their records, fail for some of them, or end too early, and syncs that are killed: what is stored stays right."""
import http.server, json, os, pathlib, random, signal, sqlite3, subprocess, sys, threading, time, urllib.parse
import runs
from runs import Folder, Report, release

COUNT = 60


class Server:
    """Serves movies, the details of each, and the reviews of each; `faults` names what is wrong with it."""

    def __init__(self, **faults):
        outer = self
        self.faults, self.asked, self.refused, self.window, self.lock = faults, 0, 0, [0, 0], threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass

            def do_GET(self):
                status, body, headers = outer.answer(self.path)
                text = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(text))} | headers).items(): self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128
            def handle_error(self, *_): pass

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listener.server_port}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def stop(self):
        self.listener.shutdown()
        self.listener.server_close()

    def movie(self, i):
        record = {"id": i, "title": f"movie {i}", self.faults.get("image", "image"): f"http://x/{i}"}
        if self.faults.get("code"): record["code"] = i if self.faults["code"] == "number" else f"c{i}"
        return record

    def answer(self, path):
        with self.lock:
            self.asked += 1
            if rate := self.faults.get("rate"):
                second = int(time.monotonic())
                if second != self.window[0]: self.window = [second, 0]
                self.window[1] += 1
                if self.window[1] > rate:
                    self.refused += 1
                    return 429, {"message": "slow down"}, {"Retry-After": "1"} if self.faults.get("says", True) else {}
        time.sleep(self.faults.get("delay", 0))
        url = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/movies":
            records = [self.movie(i) for i in range(1, COUNT + 1)]
            if self.faults.get("short"): return 200, {"data": records[:40], "has_more": True}, {}
            return 200, {"data": records}, {}
        number = int(query.get("movie") or url.path.rsplit("/", 1)[1])
        kind = "reviews" if url.path == "/reviews" else "details"
        if number in self.faults.get(kind, {}): return (*self.faults[kind][number], {})
        if kind == "reviews": return 200, {"data": [{"id": k, "text": f"{number}-{k}"} for k in (1, 2)]}, {}
        return 200, {"minutes": number + self.faults.get("longer", 0)}, {}


def source(url):
    return {"bb_source": 2, "name": "movies", "base_url": url, "datasets": [
        {"name": "movies", "path": "/movies", "records": "/data", "key": ["id"], "ignored": ["/code"],
         "supplements": [{"for": "each", "path": "/movies/{id}", "param": "id", "columns": [{"name": "minutes"}]}],
         "columns": [{"name": "id", "type": "integer"}, {"name": "title"}, {"name": "image"}, {"name": "minutes", "type": "integer"}]},
        {"name": "reviews", "path": "/reviews", "records": "/data", "key": ["movie", "id"],
         "parent": {"dataset": "movies", "param": "movie", "column": "id"},
         "columns": [{"name": "movie", "type": "integer", "from": "#parent"}, {"name": "id", "type": "integer"}, {"name": "text"}]}]}


class Client:
    """bb-export."""
    name = "bb-export"
    def sync(self, *datasets): return ["bb-export", "sync", *datasets, "--source", "./movies.json", "--storage", "sqlite:movies.db", "--refresh"]
    def table(self): return ["bb-export", "movies", "--source", "./movies.json", "--refresh", "-f", "csv", "-o", "out.csv"]


class Careless:
    """A client that tries once, takes what comes, and writes while it reads; the campaign must find fault with it."""
    name = "careless client"
    def sync(self, *datasets): return [sys.executable, pathlib.Path(__file__).with_name("careless_api.py"), "sync"]
    def table(self): return [sys.executable, pathlib.Path(__file__).with_name("careless_api.py"), "table"]


def stored(folder, table):
    try:
        with sqlite3.connect(folder / "movies.db") as db: return [tuple(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]
    except sqlite3.Error as error: return str(error)


def movies(server, minutes=lambda i: i): return [(i, f"movie {i}", f"http://x/{i}", minutes(i)) for i in range(1, COUNT + 1)]
def reviews(without=()): return [(i, k, f"{i}-{k}") for i in range(1, COUNT + 1) for k in (1, 2) if i not in without]


class Case:
    """A client in a directory with the description of a server."""

    def __init__(self, client, folder): self.client, self.folder, self.found = client, folder, []
    def describe(self, server): (self.folder / "movies.json").write_text(json.dumps(source(server.url)))
    def expect(self, holds, what):
        if not holds: self.found.append(what)

    def sync(self, server, status, *datasets, limit=60):
        self.describe(server)
        run = runs.Run(self.client.sync(*datasets), self.folder, limit=limit)
        self.expect(run.status == status, f"exit code {run.status} instead of {status}: {run.words[:200]}")
        self.expect(not run.is_late, f"not over in {limit} s")
        return run

    def holds(self, table, rows, what):
        now = stored(self.folder, table)
        if now != rows: self.found.append(f"{what}: {table} has {len(now)} rows, of which {sum(r not in rows for r in now)} are others" if isinstance(now, list) else f"{what}: {now}")


def throttled(case, says):
    server = Server(rate=20, says=says)
    try:
        run = case.sync(server, 0, "movies")
        case.holds("movies", movies(server), "after 429")
        # 61 requests at 20 a second take three seconds.
        case.expect(run.seconds <= 30, f"{run.seconds:.0f} s")
        case.expect(server.refused <= 120, f"{server.refused} refused requests")
    finally: server.stop()


def renamed(case):
    server = Server()
    try:
        case.sync(server, 0, "movies")
        server.faults["image"] = "portrait"
        run = case.sync(server, 65, "movies")
        case.expect(b"/portrait" in run.err, "does not name the new member")
        case.holds("movies", movies(server), "after a member was renamed")
    finally: server.stop()


def failed_details(case, answer):
    server = Server()
    try:
        case.sync(server, 0, "movies")
        server.faults |= {"details": {7: answer}, "longer": 1000}
        case.sync(server, 75, "movies")
        case.holds("movies", movies(server, lambda i: i if i == 7 else i + 1000), "after a failed detail")
        (case.folder / "out.csv").write_text("old\n")
        run = runs.Run(case.client.table(), case.folder)
        case.expect(run.status == 75, f"exit code {run.status} instead of 75 with a file")
        case.expect((case.folder / "out.csv").read_text() == "old\n", "a partial file replaced a complete one")
        partial = case.folder / "out.csv.partial"
        case.expect(partial.exists() and len(partial.read_text().splitlines()) == COUNT + 1, "no partial file")
    finally: server.stop()


def failed_list(case):
    server = Server()
    try:
        case.sync(server, 0)
        server.faults["reviews"] = {9: (500, {})}
        case.sync(server, 75)
        case.holds("reviews", reviews(), "after a failed list")
    finally: server.stop()


def all_failed(case):
    server = Server()
    try:
        case.sync(server, 0, "movies")
        server.faults["details"] = {i: (500, {}) for i in range(1, COUNT + 1)}
        case.sync(server, 69, "movies")
        case.holds("movies", movies(server), "after all details failed")
    finally: server.stop()


def short(case):
    server = Server()
    try:
        case.sync(server, 0, "movies")
        server.faults["short"] = True
        case.sync(server, 65, "movies")
        case.holds("movies", movies(server), "after a short list")
    finally: server.stop()


def killed(case, kills=8):
    server, draw = Server(), random.Random(5)
    try:
        case.sync(server, 0)
        old = movies(server)
        server.faults |= {"longer": 5, "delay": 0.01}
        new = movies(server, lambda i: i + 5)
        env = {"PATH": f"{release}:/usr/bin:/bin", "HOME": str(case.folder), "LC_ALL": "C.UTF-8"}
        for _ in range(kills):
            process = subprocess.Popen([str(word) for word in case.client.sync()], cwd=case.folder, env=env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            at = server.asked + draw.randrange(1, 130)
            while server.asked < at and process.poll() is None: time.sleep(0.001)
            if process.poll() is None: os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            now = stored(case.folder, "movies")
            case.expect(now in (old, new), f"after a kill movies has neither the old nor the new {COUNT} rows")
            case.holds("reviews", reviews(), "after a kill")
        case.sync(server, 0)
        case.holds("movies", new, "at the end")
    finally: server.stop()


CASES = {
    "throttled, with Retry-After": lambda case: throttled(case, True), "throttled, without a time": lambda case: throttled(case, False),
    "a member is renamed": renamed, "a detail request fails": lambda case: failed_details(case, (500, {})),
    "the details of one record are cut": lambda case: failed_details(case, (200, b'{"minutes": ')),
    "the details of one record are of another type": lambda case: failed_details(case, (200, {"minutes": "long"})),
    "the list of one parent fails": failed_list, "all details fail": all_failed, "the list ends too early": short, "killed": killed,
}


def campaign(client):
    report = Report(f"network: APIs, {client.name}")
    for name, work in CASES.items():
        with Folder(runs.BASE) as folder:
            case = Case(client, folder)
            work(case)
            report.add(name, case.found[:3])
    return report


def self_test():
    """Whether the campaign finds fault with a careless client in every case."""
    report = campaign(Careless())
    print(f"self-test: the campaign finds fault with {len(report.failures)} of {report.cases} runs of a careless client")
    return len(report.failures) == report.cases
