"""The checks of `bb-export site` for Tools/check-external pages: every page in a browser, every link on the disk."""
import base64, hashlib, html.parser, http.server, json, os, pathlib, re, threading, time, urllib.parse


class Links(html.parser.HTMLParser):
    """The addresses and anchors of a page."""
    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(text)
    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"): self.targets.append(value)
            if name == "id": self.anchors.add(value)


class Server:
    """The API responses of a directory, with all images at addresses of this server."""
    def __init__(self, data, png):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                query, name = urllib.parse.parse_qs(url.query), url.path.split("/")[-1]
                if name == "image": return self.answer(png([hashlib.md5((self.path + c).encode()).digest()[0] for c in "rgb"]), "image/png")
                if name in ("characters", "episodes", "quotes", "deaths"): found = data / "six-api" / f"{name}.json"
                elif name == "movies": found = data / "boxoffice" / "movies.order_type_0.json"
                elif name == "movie": found = next((p for p in data.glob("boxoffice/movie_*.json") if json.loads(p.read_text()).get("id") == query["id"][0]), None)
                else: found = next((p for p in data.glob("boxoffice/comments_*.json") if json.loads(p.read_text())["comments"][0]["movie_id"] == query["movie_id"][0]), None)
                if not found: return self.answer(b'{"comments":[]}' if name == "comments" else b"", "application/json", 200 if name == "comments" else 404)
                image = lambda m: f'"http://{self.headers["Host"]}/image?{urllib.parse.quote(m[1], safe="")}"'
                self.answer(re.sub(r'"(https?:[^"]+)"', image, found.read_text()).encode(), "application/json")
            def answer(self, body, kind, status=200):
                self.send_response(status); self.send_header("Content-Type", kind); self.send_header("Content-Length", str(len(body))); self.end_headers()
                try: self.wfile.write(body)
                except OSError: pass  # the client closed the connection
            def log_message(self, *words): pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def personal(bb, work, png):
    """Notes, places, actors and favourites in the store `data`."""
    store = ("--storage", "csv:data", "-q")
    bb("bb-notes", "add", "S05E14", "what a chapter", *store)
    bb("bb-notes", "add", "bcs:1x01", "so it begins\nin black and white", *store)
    for name, place, *more in (("Luzern", "47.05,8.3", "--visited", "2024-05"), ("Albuquerque", "35.08,-106.65"), ("Ísafjörður", "66.07,-23.13")):
        bb("bb-notes", "places", "add", name, "--at", place, "--comment", "a bridge", *more, *store)
    for name in ("a", "b"): (work / f"{name}.png").write_bytes(png([ord(name), 90, 160]))
    bb("bb-notes", "actors", "add", "Bryan Cranston", "--category", "Drama", "--birth-date", "1956-03-07", "--image", "a.png", "--image", "b.png", "--favourite", "--partial",
       "--email", "bc@example.org", "--website", "https://example.org/bc", "--movie", "Argo", *store)
    bb("bb-notes", "actors", "add", "Ryan Reynolds", "--category", "Action", "--age", "44", "--partial", *store)
    bb("bb-notes", "favourites", "add", "characters", "Walter White", *store)
    (work / "people.csv").write_text('id,name\n1,Zoë\n2,a<b\n')
    bb("bb-export", "sync", "--from", "people.csv", *store)


def site_checks(browser, expect, bb, work, png, check_page, check_hostile, HOSTILE):
    data = pathlib.Path(os.environ.get("BB_TEST_DATA", "/nonexistent"), "data")
    if data.is_dir():
        server = Server(data, png)
        images = ("--storage", "csv:data", "--images", "data/images", "--allow-private", "-q")
        bb("bb-export", "sync", "characters", "episodes", "quotes", "deaths", "--api", server.url + "/api", *images)
        bb("bb-export", "sync", "movies", "comments", "--source", "box-office", "--api", server.url, *images)
    else:
        print("site: without BB_TEST_DATA there are no quotes, movies and portraits", flush=True)
        bb("bb-export", "sync", "--source", "snapshot", "--storage", "csv:data", "-q")
    personal(bb, work, png)
    began = time.monotonic()
    bb("bb-export", "site", "-o", "site", "--storage", "csv:data", "--title", "My shows")
    seconds = time.monotonic() - began
    bb("bb-export", "site", "-o", "again", "--storage", "csv:data", "--title", "My shows", "-q")
    files = lambda name: {str(p.relative_to(work / name)): p.read_bytes() for p in sorted((work / name).rglob("*")) if p.is_file()}
    site = files("site")
    expect(site == files("again"), "two sites of one store differ")
    # Links and anchors.
    pages = {name: Links(text.decode()) for name, text in site.items() if name.endswith(".html")}
    links = 0
    for name, page in pages.items():
        for target in page.targets:
            if re.match(r"(https?|mailto):", target): continue
            path, _, anchor = target.partition("#")
            other = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(path))) if path else name
            links += 1
            if other not in site or anchor and other in pages and urllib.parse.unquote(anchor) not in pages[other].anchors: expect(False, f"{name}: broken link {target}")
    if data.is_dir():
        addresses = {a for c in json.loads(bb("bb-export", "characters", "--storage", "csv:data", "-f", "json")) for a in c["images"] or []}
        shown = {t for n, p in pages.items() if n.startswith("characters/") for t in p.targets if "/images/characters/" in t}
        expect(len(shown) == len(addresses), f"site: {len(shown)} of {len(addresses)} images of characters")
        print(f"site: {len(shown)} of {len(addresses)} images of characters", flush=True)
        # The same images in pages of a table, for each dataset and option, and from a file.
        bb("bb-export", "characters", "--storage", "csv:data", "-o", "copy-characters.csv", "-q")
        bb("bb-export", "sync", "characters", "--api", server.url + "/api", "--storage", "sqlite:s.db", "--images", "elsewhere", "--allow-private", "-q")
        for dataset, columns in (("characters", ["images"]), ("episodes", ["image"]), ("deaths", ["image"]), ("movies", ["image", "thumbnail"])):
            records = json.loads(bb("bb-export", dataset, "--storage", "csv:data", "-f", "json"))
            # A poster stands for its thumbnail.
            wanted = {a for r in records for c in columns for a in (r[c] if isinstance(r[c], list) else [r[c]]) if a}
            ways = [(["--storage", "csv:data"], "embed"), (["--storage", "csv:data"], "local"), (["--storage", "csv:data", "--image-dir", "data/images"], "embed")]
            if dataset == "characters": ways += [(["--storage", "sqlite:s.db"], "embed"), (["--from", "copy-characters.csv", "--image-dir", "data/images"], "embed")]
            for words, option in ways:
                name = dataset if "--from" not in words else None
                bb("bb-export", *([name] if name else []), *words, "--option", f"images={option}", "-o", "pictures.html")
                browser.open(work / "pictures.html")
                found = browser.evaluate("[...new Set([...document.querySelectorAll('tbody a'), ...document.images].map(e => e.href || e.src).filter(a => /^(data:image|file:.*images)/.test(a)))].length")
                digests = len({hashlib.sha256(a.encode()).digest() for a in wanted})
                expect(found <= digests and found >= (digests if option == "local" else digests * .8), f"{dataset} {words} {option}: {found} of {digests} images")
    # Every page in the browser: lists and every tenth page in all four ways, the others once.
    for place, name in enumerate(sorted(pages)):
        if name.endswith("index.html") or "/" not in name or place % 10 == 0: check_page(browser, work / "site" / name, images=True, allowed=("file:",))
        else: check_page(browser, work / "site" / name, images=True, allowed=("file:",), ways=((1280, False),))
    # On a phone: a header of one line, the title of a record before its image, and little movement while loading.
    browser.call("Page.addScriptToEvaluateOnNewDocument", source="window.shift = 0; new PerformanceObserver(l => { for (const e of l.getEntries()) shift += e.value }).observe({type: 'layout-shift', buffered: true})")
    for name in ("characters/walter-white-1.html", "index.html", "characters/index.html", "places/index.html"):
        for width, most in ((390, 57), (1280, 65)):
            browser.open(work / "site" / name, width=width, height=844)
            time.sleep(.3)
            expect(browser.evaluate("document.querySelector('header').offsetHeight") <= most, f"{name}, {width} px: header")
            expect(browser.evaluate("shift") <= .05, f"{name}, {width} px: layout shift {browser.evaluate('shift')}")
            first = browser.evaluate("(() => { const t = document.querySelector('h1').getBoundingClientRect(), i = document.querySelector('main img'); return t.bottom < 300 && (!i || t.top <= i.getBoundingClientRect().top) })()")
            expect(first, f"{name}, {width} px: the title is not first")
    browser.open(work / "site" / "characters" / "walter-white-1.html")
    expect(browser.evaluate("(async () => { document.querySelector('main figure a:has(> img)').click(); await new Promise(d => setTimeout(d, 200)); return document.querySelector('dialog').open && document.querySelector('dialog img').naturalWidth > 0 })()"), "lightbox of the site")
    expect(browser.evaluate("document.querySelector('svg.bb-chart desc').textContent.length") > 10, "chart of appearances")
    # The search, and everything else without scripts.
    browser.open(f"file://{work}/site/search.html#walter%20white")
    found = "(async () => { for (let i = 0; i < 100 && !/result|^0/.test(document.querySelector('#n').value.replace(/.*so far/, '')); i++) await new Promise(d => setTimeout(d, 30)) })()"
    browser.evaluate(found)
    expect(browser.evaluate("document.querySelectorAll('#hits mark').length") >= 2, "search: marked words")
    expect(browser.evaluate("document.querySelector('#hits a').getAttribute('href')") == "characters/walter-white-1.html", "search: the first hit")
    browser.open(work / "site" / "places" / "index.html")
    before = browser.evaluate("document.querySelector('svg.map .land').getAttribute('viewBox')")
    browser.evaluate("document.querySelector('.zoom button').click()")
    expect(browser.evaluate("document.querySelector('svg.map .land').getAttribute('viewBox')") != before, "the map does not zoom")
    for name, word in (("index.html", "Characters"), ("characters/walter-white-1.html", "Bryan Cranston"), ("places/index.html", "Luzern"), ("notes/index.html", "what a chapter")):
        browser.open(work / "site" / name, scripts=False)
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
        expect(word in browser.evaluate("document.body.innerText"), f"{name} without JavaScript")
    print(f"site: {len(pages)} pages, {len(site)} files, {sum(map(len, site.values())) / 1e6:.2f} MB, {links} links, in {seconds:.2f} s", flush=True)
    # Hostile records.
    columns = {"characters": (["name", "full_name", "status", "portrayed_by", "nickname"], ["images", "aliases", "occupations"]),
               "episodes": (["title", "synopsis", "written_by", "directed_by", "image"], ["characters"]), "quotes": (["quote", "character", "production"], []),
               "deaths": (["character", "cause", "details", "image", "last_words"], ["responsible"]), "movies": (["title", "image", "thumbnail", "synopsis"], ["actors", "genres"]),
               "comments": (["writer", "contents", "writer_image"], [])}
    for dataset, (texts, lists) in columns.items():
        rows = []
        for i, value in enumerate(HOSTILE):
            row = {"id": value if dataset in ("movies", "comments") else i + 1, **{c: HOSTILE[(i + k) % len(HOSTILE)] for k, c in enumerate(texts)}, **{c: HOSTILE for c in lists}}
            if dataset == "quotes": row["occurrence"] = 1
            if dataset == "episodes": row.update(production=value, season=1, episode=i + 1)
            if dataset == "comments": row["movie_id"] = value
            rows.append(row)
        (work / f"{dataset}.json").write_text(json.dumps(rows))
        bb("bb-export", "sync", "--from", f"{dataset}.json", "--storage", "json:bad", "-q")
    for images in ("local", "remote"):
        bb("bb-export", "site", "-o", f"bad-{images}", "--storage", "json:bad", "--images", images, "--title", HOSTILE[0], "-q")
        names = sorted(p for p in (work / f"bad-{images}").rglob("*.html"))
        for page in names[:: 1 if images == "local" else 5]: check_hostile(browser, page, f"site with hostile records ({images}), {page.name}")
    browser.open(f"file://{work}/bad-local/search.html#script")
    browser.evaluate(found)
    expect(browser.evaluate("ran") == [] and browser.evaluate("document.querySelectorAll('#hits li').length") > 5, "search of hostile records")
    print(f"site: {len(names)} pages of hostile records", flush=True)
    if os.environ.get("BB_CONFIGURATION") == "release":
        with open(work / "characters.csv", "w") as file:
            file.write("id,name,full_name,portrayed_by,status\n")
            for i in range(20_000): file.write(f"{i},Character {i},Full name of {i},Actor {i % 500},alive\n")
        bb("bb-export", "sync", "--from", "characters.csv", "--storage", "csv:people", "-q")
        began = time.monotonic()
        bb("bb-export", "site", "-o", "many", "--storage", "csv:people", "-q")
        seconds = time.monotonic() - began
        print(f"site: 20,000 records in {seconds:.2f} s", flush=True)
        expect(seconds <= 5, f"a site of 20,000 records takes {seconds:.2f} s")


def screenshots(browser, work, target):
    """Images of the site for the README."""
    browser.open(work / "site" / "characters" / "walter-white-1.html", width=1000, height=560)
    time.sleep(.3)
    (target / "site.webp").write_bytes(base64.b64decode(browser.call("Page.captureScreenshot", format="webp", quality=80)["data"]))
