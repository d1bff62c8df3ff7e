#!/usr/bin/env python3
"""Makes the tables of the benchmark, the same on every machine: data.py DIR ROWS

quotes.{csv,json,ndjson,db}: 8 columns; 40 % of the quotes have a comma, 10 % a quotation mark, 12 % other letters than ASCII, 3 % a line feed,
4 % a backslash, pipe, tab or tag; ratings have one decimal, 1 in 16 all 17 digits; 40 % of the notes are null.
characters.{csv,json,ndjson,db}: a tenth as many rows, 11 columns, lists of text and a list of objects."""
import csv, json, os, random, sqlite3, sys

folder, rows = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
rnd = random.Random(19580907).random
words = ("the of and to in you is that it he was for on are as with his they at be this have from or one had by word but not what all were we "
         "when your can said there use each which she do how their if will up other about out many then them these so some her would make like "
         "him into time has look two more write go see number way could people my than first water been desert chemistry teacher car wash lawyer "
         "chicken restaurant laundry suitcase money barrel train battery bridge judge nephew sister partner doctor hospital office phone motel").split()
foreign = ["Más", "café", "naïve", "über", "“well…”", "señor", "Zoë", "日本語", "Ж", "≥", "🚗", "–", "𝄞"]
people = ["Walter White", "Jesse Pinkman", "Skyler White", "Hank Schrader", "Gus Fring", "Mike Ehrmantraut", "Saul Goodman", "Kim Wexler",
          "Chuck McGill", "Nacho Varga", "Lalo Salamanca", "Howard Hamlin", 'James "Jimmy" McGill', "Marie Schrader", "Todd Alquist", "Lydia Rodarte-Quayle"]


def pick(items): return items[int(rnd() * len(items))]


def sentence(low, high):
    parts = [pick(words) for _ in range(low + int(rnd() * (high - low + 1)))]
    parts[0] = parts[0].capitalize()
    if rnd() < .40: i = int(rnd() * len(parts)); parts[i] += ","
    if rnd() < .10: i = int(rnd() * len(parts)); parts[i] = f'"{parts[i]}"'
    if rnd() < .12: parts[int(rnd() * len(parts))] = pick(foreign)
    if rnd() < .04: parts[int(rnd() * len(parts))] = pick(["back\\slash", "pipe|bar", "tab\there", "<b>&amp;</b>"])
    text = " ".join(parts) + pick([".", ".", ".", "!", "?"])
    middle = text.find(" ", len(text) // 2)
    return text[:middle] + "\n" + text[middle + 1:] if rnd() < .03 and middle > 0 else text


def day(): return f"{2008 + int(rnd() * 15):04d}-{1 + int(rnd() * 12):02d}-{1 + int(rnd() * 28):02d}"


def quote(i):
    return (i, sentence(4, 36), pick(people), f"{1 + int(rnd() * 6)}ABQ{1 + int(rnd() * 22):02d}", 1 + int(rnd() * 6),
            round(rnd() * 10, 1) if rnd() < 15 / 16 else rnd() * 10, day(), None if rnd() < .4 else sentence(2, 6))


def character(i):
    url = f"https://people.example/characters/{i}"
    return (i, f"{pick(people)} {i}", pick(["f", "m", None]), None if rnd() < .5 else 8 + int(rnd() * 70), pick(["black", "brown", "blond", None]),
            [sentence(1, 3) for _ in range(int(rnd() * 5))], [f"{url}/{k}.jpg" for k in range(int(rnd() * 4))], sentence(2, 4), pick(people),
            [{"name": pick(people), "relation": pick(words), "url": url} for _ in range(int(rnd() * 3))], url)


def write(name, columns, ddl, make, count):
    compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    flat = lambda row: tuple(compact(v) if isinstance(v, list) else v for v in row)
    path = os.path.join(folder, name)
    if os.path.exists(path + ".db"): os.remove(path + ".db")
    base = sqlite3.connect(path + ".db")
    base.execute("pragma journal_mode=off"); base.execute("pragma synchronous=off"); base.execute(ddl)
    with open(path + ".csv", "w", newline="") as c, open(path + ".ndjson", "w") as n, open(path + ".json", "w") as j:
        table = csv.writer(c, lineterminator="\n"); table.writerow(columns); j.write("[")
        for start in range(1, count + 1, 10000):
            block = [make(i) for i in range(start, min(start + 10000, count + 1))]
            table.writerows(map(flat, block))
            base.executemany(f"insert into {name} values ({','.join('?' * len(columns))})", map(flat, block))
            for row in block:
                text = compact(dict(zip(columns, row)))
                n.write(text + "\n"); j.write(("\n" if row[0] == 1 else ",\n") + text)
        j.write("\n]\n")
    base.commit(); base.close()


write("quotes", ["id", "quote", "character", "production", "season", "rating", "airDate", "note"],
      "create table quotes(id integer primary key, quote text not null, character text, production text, season integer, rating real, airDate text, note text)",
      quote, rows)
write("characters", ["id", "name", "gender", "age", "hairColor", "occupations", "images", "motto", "playedBy", "relatives", "url"],
      "create table characters(id integer primary key, name text, gender text, age integer, hairColor text, occupations text, images text, motto text, "
      "playedBy text, relatives text, url text)", character, max(1, rows // 10))
