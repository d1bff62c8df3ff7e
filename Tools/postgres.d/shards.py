"""A store over three clusters: a table in hash partitions, of which two are on other servers by postgres_fdw."""
import http.server, json, subprocess, threading, time
from urllib.parse import parse_qs, urlsplit
from cluster import Cluster, environment, export, folder, notes, report, run
from laws import run_laws

PAGE = 10_000

# Makes every keyed table of the conformance checks one with partitions on two servers.
TRIGGER = """
CREATE EXTENSION dblink;
CREATE SEQUENCE public.shard_number;
CREATE FUNCTION public.shard() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE t record; number bigint; server record;
BEGIN
  IF current_setting('shard.busy', true) = '1' THEN RETURN; END IF;
  FOR t IN
    SELECT d.objid, format('%I.%I', n.nspname, c.relname) AS name, n.nspname AS schema,
      (SELECT string_agg(format('%I', a.attname), ', ' ORDER BY array_position(i.indkey::smallint[], a.attnum))
       FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::smallint[])
       WHERE i.indrelid = c.oid AND i.indisprimary AND a.attidentity = '') AS key,
      (SELECT string_agg(format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
         CASE WHEN a.attcollation = 0 THEN '' ELSE ' COLLATE "C"' END, CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY a.attnum)
       FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns
    FROM pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE d.object_type = 'table' AND n.nspname LIKE 'law\\_%' AND c.relname NOT LIKE 'bb\\_%' AND c.relkind = 'r'
  LOOP
    CONTINUE WHEN t.key IS NULL;
    PERFORM set_config('shard.busy', '1', true);
    number := nextval('public.shard_number');
    EXECUTE format('DROP TABLE %s', t.name);
    EXECUTE format('CREATE TABLE %s (%s) PARTITION BY HASH (%s)', t.name, t.columns, t.key);
    EXECUTE format('ALTER TABLE %s OWNER TO bb', t.name);
    FOR server IN SELECT srvname, row_number() OVER (ORDER BY srvname) - 1 AS place FROM pg_foreign_server LOOP
      PERFORM dblink_exec(server.srvname, format('CREATE TABLE public.r%s (%s, PRIMARY KEY (%s)); ALTER TABLE public.r%s OWNER TO bb', number, t.columns, t.key, number));
      EXECUTE format('CREATE FOREIGN TABLE %I.bb_part%s_%s PARTITION OF %s FOR VALUES WITH (MODULUS 2, REMAINDER %s) SERVER %I OPTIONS (schema_name ''public'', table_name ''r%s'')',
        t.schema, number, server.place, t.name, server.place, server.srvname, number);
      EXECUTE format('ALTER FOREIGN TABLE %I.bb_part%s_%s OWNER TO bb', t.schema, number, server.place);
    END LOOP;
    PERFORM set_config('shard.busy', '', true);
  END LOOP;
END $$;
CREATE EVENT TRIGGER shard ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.shard();
CREATE FUNCTION public.widen() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE part record;
BEGIN
  FOR part IN
    SELECT s.srvname AS server, (SELECT option_value FROM pg_options_to_table(f.ftoptions) WHERE option_name = 'table_name') AS name,
      (SELECT string_agg(format('ADD COLUMN IF NOT EXISTS %I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ')
       FROM pg_attribute a WHERE a.attrelid = f.ftrelid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
    FROM pg_event_trigger_ddl_commands() d JOIN pg_inherits i ON i.inhparent = d.objid JOIN pg_foreign_table f ON f.ftrelid = i.inhrelid
      JOIN pg_foreign_server s ON s.oid = f.ftserver
  LOOP
    PERFORM dblink_exec(part.server, format('ALTER TABLE public.%I %s', part.name, part.columns));
  END LOOP;
END $$;
CREATE EVENT TRIGGER widen ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION public.widen();
"""


class Quotes(http.server.BaseHTTPRequestHandler):
    """An API with pages of quotes."""
    rows, changed = 1, 0

    def do_GET(self):
        page = int(parse_qs(urlsplit(self.path).query).get("page", ["0"])[0])
        first, last = page * PAGE, min((page + 1) * PAGE, self.rows)
        if first >= last: body, status = b"[]", 404
        else:
            quote = lambda i: {"id": i, "quote": f"Say my name {i * 7919 % 1000003}, “again”." + ("!" if i < self.changed else ""), "character": f"person {i % 16}", "rating": i % 100 / 10}
            body, status = json.dumps([quote(i) for i in range(first, last)]).encode(), 200
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass


def shards(cluster, pool, options):
    others = {name: Cluster(name) for name in ("one", "two")}
    api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quotes)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    try:
        cluster.psql("CREATE EXTENSION postgres_fdw")
        for name, other in others.items():
            cluster.psql(f"""CREATE SERVER {name} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '{other.port}', dbname 't', batch_size '5000', fetch_size '10000');
              CREATE USER MAPPING FOR bb SERVER {name} OPTIONS (user 'bb', password_required 'false'); CREATE USER MAPPING FOR root SERVER {name} OPTIONS (user 'root'); GRANT USAGE ON FOREIGN SERVER {name} TO bb""")
            other.psql("GRANT ALL ON SCHEMA public TO bb")
        million(cluster, others, api.server_address[1], options)
        cluster.psql(TRIGGER)
        run_laws("over three clusters", f"postgres://bb@127.0.0.1:{cluster.port}/t")
        spread = [int(other.psql("SELECT count(*) FROM pg_class WHERE relname ~ '^r[0-9]+$'")) for other in others.values()]
        report(min(spread) > 50, f"shards: {spread} tables of the checks on the other clusters")
    finally:
        api.shutdown()
        for other in others.values(): other.stop()


def million(cluster, others, port, options):
    (folder / "quotes.json").write_text(json.dumps({"bb_source": 2, "name": "quotes-api", "base_url": f"http://127.0.0.1:{port}", "datasets": [{
        "name": "quotes", "path": "/quotes", "key": ["id"], "paging": {"type": "page", "param": "page", "first": 0, "stop": "not-found"},
        "columns": [{"name": "id", "type": "integer"}, {"name": "quote"}, {"name": "character"}, {"name": "rating", "type": "decimal"}]}]}))
    place = cluster.url(schema="sharded")

    def sync(*more):
        started = time.monotonic()
        rc, out, err = run(export, "sync", "quotes", "--source", f"{folder}/quotes.json", "--storage", place, "--refresh", *more, timeout=1500)
        return rc, (out + err).decode().strip(), time.monotonic() - started

    rc, text, _ = sync()
    report(rc == 0, f"shards: a first sync makes the table: {text}")
    # As the help describes it.
    for number, other in enumerate(others.values()):
        other.psql(f"CREATE TABLE quotes_{number} (id bigint PRIMARY KEY, quote text COLLATE \"C\", character text COLLATE \"C\", rating text COLLATE \"C\")", role="bb")
    parts = "; ".join(f"CREATE FOREIGN TABLE sharded.q{n} PARTITION OF sharded.q FOR VALUES WITH (MODULUS 2, REMAINDER {n}) SERVER {name} OPTIONS (schema_name 'public', table_name 'quotes_{n}')" for n, name in enumerate(others))
    cluster.psql(f"""BEGIN; CREATE TABLE sharded.q (LIKE sharded.quotes) PARTITION BY HASH (id); {parts}; INSERT INTO sharded.q SELECT * FROM sharded.quotes;
      DROP VIEW sharded.quotes_typed; DROP TABLE sharded.quotes; ALTER TABLE sharded.q RENAME TO quotes; COMMIT""", role="bb")
    Quotes.rows = options.rows
    rc, text, seconds = sync()
    counts = [int(other.psql(f"SELECT count(*) FROM quotes_{n}")) for n, other in enumerate(others.values())]
    good = rc == 0 and sum(counts) == options.rows and min(counts) > options.rows * .49 * (options.rows > 10_000)
    report(good, f"shards: sync of {options.rows} quotes onto two of three clusters, {counts}, in {seconds:.1f} s: {text.splitlines()[-1:]}")
    Quotes.changed = 100
    rc, text, seconds = sync()
    report(rc == 0 and "100" in text and cluster.psql("SELECT count(*) FROM sharded.quotes WHERE quote LIKE '%!'") == "100", f"shards: the next sync changes 100, in {seconds:.1f} s: {text.splitlines()[-1:]}")
    rc, out, err = run(export, "quotes", "--storage", place, "--where", "id in (5, 99)", "-f", "csv", "--columns", "id,rating")
    report(out == b"id,rating\n5,0.5\n99,9.9\n", f"shards: two rows {out}{err}")
    report(run(export, "quotes", "--storage", place, "--count")[1].strip() == str(options.rows).encode(), "shards: all rows are counted")
    rc, out, err = run(notes, "undo", "--storage", place, timeout=600)
    report(rc == 0 and cluster.psql("SELECT count(*) FROM sharded.quotes WHERE quote LIKE '%!'") == "0", f"shards: undo {err.decode()}")
    report(run(notes, "check", "--storage", place, timeout=600)[0] == 0, "shards: check finds nothing")
    # Together or not at all, also when one of the servers is away.
    others["two"].stop("fast")
    Quotes.changed = 200
    rc, text, _ = sync()
    others["two"].start()
    changed = cluster.psql("SELECT count(*) FROM sharded.quotes WHERE quote LIKE '%!'")
    report(rc in (69, 74, 75) and changed == "0", f"shards: without one server nothing is changed: {rc} {text.splitlines()[:1]}")
