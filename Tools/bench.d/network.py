"""Downloads from nginx on loopback, in memory: 2,000 small resources of a source with parent → child requests, and 500 images of 50 KB, over HTTP/1.1
and over HTTP/2 with TLS, compared with `curl --parallel` in the same run. Before anything is timed, the results of both are compared byte by byte."""
import hashlib, json, os, pathlib, shutil, signal, socket, subprocess, sys, tempfile, time
import measure

RESOURCES, IMAGES = 2000, 500


def image(number, size):
    """A structurally valid JPEG."""
    head = bytes([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) + b"JFIF\0" + bytes([1, 1, 0, 0, 1, 0, 1, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0,
                                                                  0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0])
    noise = b"".join(hashlib.sha512(f"{number} {block}".encode()).digest() for block in range(size // 64)).replace(b"\xff", b"\xff\0")
    return head + noise + b"\xff\xd9"


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """nginx that serves a directory, plain and with TLS."""

    def __init__(self, folder):
        self.folder = folder
        self.plain, self.tls = port(), port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)
        (folder / "nginx.conf").write_text(f"""
            {"user root;" if os.getuid() == 0 else ""} daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
            events {{ worker_connections 512; }}
            http {{
              access_log off; sendfile on; tcp_nodelay on; keepalive_requests 1000000; root {folder}/www; etag on;
              types {{ application/json json; image/jpeg jpg; }}
              client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4;
              scgi_temp_path {folder}/t5;
              server {{ listen 127.0.0.1:{self.plain}; }}
              server {{ listen 127.0.0.1:{self.tls} ssl http2; http2_max_concurrent_streams 128;
                        ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; }}
            }}""")
        self.process = subprocess.Popen(["nginx", "-c", folder / "nginx.conf", "-e", folder / "error.log"], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.tls)).close()
                return
            except OSError: time.sleep(0.05)
        raise SystemExit("nginx does not start:\n" + (folder / "error.log").read_text())

    def base(self, protocol): return f"http://127.0.0.1:{self.plain}" if protocol == "h1" else f"https://127.0.0.1:{self.tls}"

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def make(folder):
    www = folder / "www"
    (www / "items").mkdir(parents=True); (www / "images").mkdir()
    (www / "list.json").write_text(json.dumps([{"id": n} for n in range(RESOURCES)]))
    for n in range(RESOURCES):
        (www / "items" / f"{n}.json").write_text(json.dumps([{"item": n, "title": f"number {n}", "score": n / 8, "text": "some words of it " * 70}]))
    for n in range(IMAGES): (www / "images" / f"{n}.jpg").write_bytes(image(n, 50_000))


def commands(program, folder, server, kind, protocol):
    """What is compared: {tool: command}, and what each leaves."""
    base, flags = server.base(protocol), "" if protocol == "h1" else f"--cacert {folder}/cert.pem"
    version = "--http1.1" if protocol == "h1" else "--http2"
    config = folder / f"{kind}-{protocol}.curl"
    out = folder / "out"
    if kind == "resources":
        config.write_text("".join(f'url = "{base}/items/{n}.json"\noutput = "{out}/{n}.json"\n' for n in range(RESOURCES)))
        source = {"bb_source": 1, "name": "bench", "base_url": base, "datasets": [
            {"name": "list", "path": "/list.json", "key": ["id"], "columns": [{"name": "id", "type": "integer"}]},
            {"name": "items", "path": "/items/{item}.json", "key": ["item"], "parent": {"dataset": "list", "param": "item", "column": "id"},
             "columns": [{"name": "item", "type": "integer"}, {"name": "title"}, {"name": "score", "type": "real"}, {"name": "text"}]}]}
        (folder / f"source-{protocol}.json").write_text(json.dumps(source))
        mine = f"{program} items --source {folder}/source-{protocol}.json {flags} --proxy none -q -o {out}/all.ndjson"
    else:
        config.write_text("".join(f'url = "{base}/images/{n}.jpg"\noutput = "{out}/{n}.jpg"\n' for n in range(IMAGES)))
        (folder / f"images-{protocol}.csv").write_text("id,image\n" + "".join(f"{n},{base}/images/{n}.jpg\n" for n in range(IMAGES)))
        mine = f"{program} images --from {folder}/images-{protocol}.csv {flags} --proxy none -q -o {out}"
    theirs = lambda most: f"curl -s --no-progress-meter --noproxy '*' {version} {flags} --parallel --parallel-max {most} -K {config} 2>/dev/null"
    return {"bb-export": mine, "curl --parallel": theirs(50), "curl --parallel-max 16": theirs(16)}


def verdict(kind, tool, folder):
    """Whether everything is there."""
    out, www = folder / "out", folder / "www"
    if kind == "images":
        name = "{}-1.jpg" if tool == "bb-export" else "{}.jpg"
        return all((out / name.format(n)).read_bytes() == (www / "images" / f"{n}.jpg").read_bytes() for n in range(IMAGES))
    if tool != "bb-export":
        return all((out / f"{n}.json").read_bytes() == (www / "items" / f"{n}.json").read_bytes() for n in range(RESOURCES))
    rows = [json.loads(line) for line in open(out / "all.ndjson")]
    return rows == [json.loads((www / "items" / f"{n}.json").read_text())[0] for n in range(RESOURCES)]


def run(program, rounds):
    for tool in ("nginx", "curl", "openssl"):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"): raise SystemExit(f"skipped: {tool} is not installed")
    os.environ["PATH"] += ":/usr/sbin"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bb-network-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    server = None
    try:
        make(folder)
        server = Server(folder)

        def fresh():
            for name in ("out", "cache"): shutil.rmtree(folder / name, ignore_errors=True)
            (folder / "out").mkdir()

        lines = ["| work | client | wall ms | CPU ms | memory MB | times bb's wall |", "|---|---|---:|---:|---:|---:|"]
        for kind in ("resources", "images"):
            for protocol in ("h1", "h2"):
                tools = commands(program, folder, server, kind, protocol)
                for tool, command in tools.items():
                    fresh()
                    status = measure.once(command)["status"]
                    if status or not verdict(kind, tool, folder): raise SystemExit(f"{tool}: {kind} over {protocol}: exit {status}, or not all is there")
                result = measure.interleaved(tools, rounds, before=fresh)
                for tool, f in result.items():
                    lines.append(f"| {kind} {protocol} | {tool} | {f['wall'] * 1000:.0f} | {f['cpu'] * 1000:.0f} | {f['memory']:.0f} | "
                                 f"{f['wall'] / result['bb-export']['wall']:.2f} |")
                    print(lines[-1], file=sys.stderr, flush=True)
        lines += ["", "The work is not the same: bb-export also parses each response, caches it, checks its record and writes all records to one file, in order; of images it checks "
                  "every byte, and records their properties. curl writes one file per response."]
        return f"{RESOURCES:,} resources of 1.3 KB and {IMAGES} images of 50 KB, median of {rounds}", lines
    finally:
        if server: server.stop()
        shutil.rmtree(folder, ignore_errors=True)
