"""The servers that marked blocks of the pages run against, each started when it is first needed."""
import api

running = {}


def variables(kind):
    """The variables that lead to the server of a kind of block; nil if it is not installed."""
    if kind not in running:
        start = {"": dict, "api": lambda: {"BB_API_URL": api.serve(), "BB_ALLOW_PRIVATE": "true"}, "s3": start_s3, "postgres": start_postgres}.get(kind)
        if start is None: raise SystemExit(f"Tools/check-readme: unknown kind of block: sh {kind}")
        running[kind] = start()
    return running[kind]


def start_s3():
    import bucket
    return {"AWS_ENDPOINT_URL": bucket.serve(), "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"}


def start_postgres():
    import cluster
    return cluster.start()


def stop():
    if running.get("postgres"):
        import cluster
        cluster.stop()
