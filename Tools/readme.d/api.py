"""A server that speaks the APIs of bb-export with a few made-up records, so that the commands of README.md can be run."""
import http.server, json, struct, threading, urllib.parse, zlib

SHOWS = {"Breaking Bad": 514, "Better Call Saul": 101, "El Camino": 101}
CHARACTER = {"character_id": 1, "name": "Walter White", "birthday": "09-07-1958", "occupations": ["a"], "images": ["http://127.0.0.1/1.png"], "full_name": "W",
             "aliases": [], "status": "Dead", "appearance": {"breaking_bad": [5], "better_call_saul": [6], "el_camino": [1]}, "portrayed_by": "P",
             "productions": list(SHOWS)}
EPISODES = [{"episode_id": n, "production": show, "episode": episode, "title": f"T{n}", "air_date": "01-02-2010", "synopsis": "s", "written_by": "w",
             "directed_by": "d", "characters": ["Walter White", "N. N."], "image": "http://127.0.0.1/2.png"} for n, (show, episode) in enumerate(SHOWS.items(), 1)]
QUOTES = [{"quote_id": n, "quote": f"Q{n}", "character": "Walter White", "production": show, "episode": 101} for n, show in enumerate(SHOWS, 1)]
DEATH = {"death_id": 1, "character": "Walter White", "cause": "c", "details": "d", "responsible": [], "connected": [], "last_words": "l",
         "production": "Breaking Bad", "episode": 516, "image": "http://127.0.0.1/3.png"}
MOVIE = {"id": "f1", "title": "Any Movie", "grade": 12, "reservation_grade": 1, "reservation_rate": 35.5, "user_rating": 8, "date": "2020-01-02",
        "thumb": "http://127.0.0.1/4.png", "audience": 7, "actor": "A (b), C", "director": "D", "duration": 100, "genre": "G", "synopsis": "s", "image": ""}
COMMENT = {"id": "c1", "movie_id": "f1", "writer": "W", "rating": 9, "timestamp": 1569267102.0, "contents": "x"}
ANSWERS = {"/characters": [CHARACTER], "/episodes": EPISODES, "/quotes": QUOTES, "/deaths": [DEATH], "/movies": {"movies": [MOVIE]}, "/movie": MOVIE,
           "/comments": {"movie_id": "f1", "comments": [COMMENT]}}


chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
PIXEL = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).replace("http://127.0.0.1/", f"http://127.0.0.1:{self.server.server_port}/").encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.endswith(".png"):
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(PIXEL)))
            self.end_headers()
            return self.wfile.write(PIXEL)
        value = ANSWERS.get(urllib.parse.urlparse(self.path).path)
        self.answer(404 if value is None else 200, {"message": "nothing"} if value is None else value)

    def do_POST(self): self.answer(201, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
    def log_message(self, *arguments): pass


def serve():
    """Starts the server; gives its URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
