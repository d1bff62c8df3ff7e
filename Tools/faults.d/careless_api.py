"""A sync as one should not write it: each request is tried once, what fails is null, and rows are written while they are read."""
import json, sqlite3, sys, urllib.request

url = json.load(open("movies.json"))["base_url"]


def fetched(path, usual):
    try:
        with urllib.request.urlopen(url + path) as answer: return json.load(answer)
    except (OSError, ValueError): return usual


rows = []
if sys.argv[1] == "sync":
    db = sqlite3.connect("movies.db", isolation_level=None)
    for name, columns in (("movies", "id, title, image, minutes"), ("reviews", "movie, id, text")):
        db.execute(f"DROP TABLE IF EXISTS {name}")
        db.execute(f"CREATE TABLE {name} ({columns})")
for movie in fetched("/movies", {"data": []})["data"]:
    row = (movie["id"], movie["title"], movie.get("image"), fetched(f"/movies/{movie['id']}", {}).get("minutes"))
    rows.append(row)
    if sys.argv[1] == "table": continue
    db.execute("INSERT INTO movies VALUES (?, ?, ?, ?)", row)
    for review in fetched(f"/reviews?movie={movie['id']}", {"data": []})["data"]:
        db.execute("INSERT INTO reviews VALUES (?, ?, ?)", (movie["id"], review["id"], review["text"]))
if sys.argv[1] == "table":
    open("out.csv", "w").write("\n".join(["id,title,image,minutes", *(",".join(map(str, row)) for row in rows)]) + "\n")
