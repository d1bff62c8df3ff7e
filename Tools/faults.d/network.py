"""Every fault of the fault server against bb-export: exit code, time, requests, memory, earlier files, messages."""
import json, subprocess, urllib.request
import apis, increments, runs
from runs import Folder, Report, Run, SECRET, digest, message_faults, release, top

DEADLINE = 30 + 5     # the program's own for a request with all its tries, and what the machine may add
MEMORY = 100    # megabytes: four times the largest text of a response (20 MB), and the program
GOOD = b"id,title\n1,a\n"
# With wrong credentials no user gets the cached response to the right ones.
REFUSED = {"status_401", "basic_401"}
SOURCE = {"bb_source": 1, "name": "faulty", "base_url": "http://127.0.0.1:9", "auth": {"type": "bearer", "env": "FAULT_TOKEN"},
          "datasets": [{"name": "items", "path": "/items", "records": "/data", "paging": {"type": "next_url", "pointer": "/next", "max_pages": 20},
                        "key": ["id"], "columns": [{"name": "id", "type": "integer"}, {"name": "title"}]}]}


class Server:
    """The fault server, for as long as this process lives."""

    def __init__(self):
        subprocess.run(["swift", "build", "--package-path", top, "--product", "fault-server"], check=True, capture_output=True)
        self.process = subprocess.Popen([top / ".build/debug/fault-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        table = json.loads(self.process.stdout.readline())
        self.url, self.faults = f"http://127.0.0.1:{table['port']}", table["faults"]

    def tell(self, order, fault):
        with urllib.request.urlopen(f"{self.url}/!{order}/{fault['name']}") as answer: return json.load(answer)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Client:
    """bb-export as it is released."""
    name, has_cache = "bb-export", True

    def command(self, url, out, *more):
        return ["bb-export", "items", "--source", "faulty.json", "--api", url.replace("http://", f"http://u:{SECRET}@"), "-f", "csv", "-o", out, *more]


class Reckless(Client):
    """A client that believes what comes, for as long as it comes; the campaign must find fault with it."""
    name, has_cache = "curl", False
    def command(self, url, out, *more): return ["sh", "-c", f"curl -sSL {url}/items >/dev/null && printf 'id,title\\n1,a\\n' >out.csv"]


def prepared(folder):
    (folder / "faulty.json").write_text(json.dumps(SOURCE))
    (folder / "out.csv").write_bytes(b"old\n")


def ran(client, server, fault, folder, limit, *more):
    if fault["group"] == "retry" and client.has_cache: more = ("--deadline", "12", *more)
    return Run(client.command(f"{server.url}/{fault['name']}", "out.csv", *more), folder, {"FAULT_TOKEN": SECRET}, limit=limit)


def common(run, limit):
    """What every run must keep, however it ends."""
    faults = []
    if run.is_late: faults.append(f"not over in {limit} s")
    if run.megabytes > MEMORY: faults.append(f"{run.megabytes:.0f} MB")
    if run.status < 0 and not run.is_late: faults.append(f"ended by signal {-run.status}")
    return faults


def ended(run, folder, expected):
    """How a run that ended with or without the record must have left things."""
    faults = []
    if run.status != expected: faults.append(f"exit code {run.status} instead of {expected}: {run.words[:200]}")
    out = (folder / "out.csv").read_bytes()
    if expected == 0 and not out.startswith(b"id,title\n1,"): faults.append(f"gave {out[:60]}")
    if expected != 0 and out != b"old\n": faults.append("the file that was there is not as it was")
    if left := [p.name for p in folder.iterdir() if p.name not in ("faulty.json", "out.csv", ".cache")]: faults.append(f"left {left}")
    return faults


def with_nothing(client, server, fault, limit):
    """The first run ever."""
    with Folder() as folder:
        prepared(folder)
        server.tell("ill", fault)
        run = ran(client, server, fault, folder, limit)
        asked = server.tell("asked", fault)
        expected = {"answered": 0, "badData": 65, "down": 69}[fault["outcome"]]
        faults = common(run, limit) + ended(run, folder, expected) + message_faults(run.err, int(expected != 0))
        if not fault["least"] <= asked["asked"] <= fault["most"]:
            faults.append(f"{asked['asked']} requests instead of {fault['least']} to {fault['most']}")
        if asked["leaks"]: faults.append("the key reached another host")
        return faults + leaks(folder)


def with_an_answer(client, server, fault, limit):
    """A run when a good response is in the cache."""
    with Folder() as folder:
        prepared(folder)
        server.tell("well", fault)
        first = ran(client, server, fault, folder, limit)
        if first.status or (folder / "out.csv").read_bytes() != GOOD: return [f"no good answer to begin with: {first.words}"]
        (folder / "out.csv").write_bytes(b"old\n")
        kept = digest(folder / ".cache")
        server.tell("ill", fault)
        run = ran(client, server, fault, folder, limit)
        is_refused = fault["name"] in REFUSED
        expected = {"answered": 0, "badData": 65, "down": 69 if is_refused else 0}[fault["outcome"]]
        faults = common(run, limit) + ended(run, folder, expected)
        faults += message_faults(run.err, int(fault["outcome"] != "answered"))
        if fault["outcome"] == "down" and not is_refused and b"using a cached response" not in run.err: faults.append("does not report the cached response")
        if fault["outcome"] != "answered":
            if digest(folder / ".cache") != kept: faults.append("the cache is not as it was")
            again = ran(client, server, fault, folder, limit, "--offline")
            if again.status or (folder / "out.csv").read_bytes() != GOOD: faults.append(f"--offline does not return the good response: {again.words}")
        return faults + leaks(folder)


def leaks(folder):
    """Files that hold the secret."""
    return [f"the key is in {p.name}" for p in folder.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]


def campaign(server, client, faults, limit=DEADLINE, width=8):
    report = Report(f"network: {client.name}")
    def one(fault):
        found = with_nothing(client, server, fault, limit)
        if client.has_cache: found += [f"with a cache: {f}" for f in with_an_answer(client, server, fault, limit)]
        report.add(f"{fault['group']}: {fault['name']}", found)
    runs.in_parallel(width, one, faults)
    return report


def run(arguments):
    if arguments[:1] == ["apis"]: return apis.self_test() if "--self-test" in arguments else apis.campaign(apis.Client()).end()
    if arguments[:1] == ["sync"]: return increments.campaign(*map(int, arguments[1:3]))
    server = Server()
    try:
        names = [a for a in arguments if not a.startswith("-")]
        faults = [f for f in server.faults if not names or f["name"] in names or f["group"] in names]
        if "--quick" in arguments: faults = [f for f in faults if f["quick"]]
        if "--self-test" in arguments:
            chosen = [f for f in server.faults if f["quick"] or f["name"] in ("endless_body", "endless_chunks")]
            report = campaign(server, Reckless(), chosen, limit=8)
            print(f"self-test: the campaign finds fault with {len(report.failures)} of {report.cases} runs of a client without limits")
            return apis.self_test() and "framing: ok" not in report.failures and {"floods: endless_body", "content: wrong_types", "status: status_403"} <= set(report.failures)
        # The slow ones first: they wait, the others work.
        faults.sort(key=lambda f: f["group"] != "time")
        held = campaign(server, Client(), faults).end()
        return held if names else all([apis.campaign(apis.Client()).end(), increments.campaign(), held])
    finally:
        server.stop()
