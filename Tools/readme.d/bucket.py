"""A server that speaks enough of S3 for the commands of the articles. It believes every signature, and has every bucket."""
import hashlib, http.server, threading, urllib.parse
from xml.sax.saxutils import escape

objects, uploads = {}, {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers: self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)

    def document(self, name, content): self.answer(200, f'<?xml version="1.0" encoding="UTF-8"?>\n<{name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{content}</{name}>'.encode(), Content_Type="application/xml")

    def serve(self):
        address = urllib.parse.urlsplit(self.path)
        bucket, _, key = urllib.parse.unquote(address.path[1:]).partition("/")
        query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        tag = lambda content: f'"{hashlib.md5(content).hexdigest()}"'
        place = (bucket, key)
        if self.command in ("GET", "HEAD"):
            if "uploads" in query:
                pending = "".join(f"<Upload><Key>{escape(k)}</Key><UploadId>{i}</UploadId><Initiated>2024-01-01T00:00:00.000Z</Initiated></Upload>" for i, (k, _) in uploads.items())
                return self.document("ListMultipartUploadsResult", f"<Bucket>{bucket}</Bucket><IsTruncated>false</IsTruncated>{pending}")
            if not key:
                prefix, delimiter = query.get("prefix", ""), query.get("delimiter")
                found = sorted(k for b, k in objects if b == bucket and k.startswith(prefix))
                groups = sorted({prefix + k[len(prefix):].partition(delimiter)[0] + delimiter for k in found if delimiter and delimiter in k[len(prefix):]})
                rows = "".join(f"<Contents><Key>{escape(k)}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>{escape(tag(objects[bucket, k]))}</ETag><Size>{len(objects[bucket, k])}</Size>"
                               "<StorageClass>STANDARD</StorageClass></Contents>" for k in found if not any(k.startswith(g) for g in groups))
                rows += "".join(f"<CommonPrefixes><Prefix>{escape(g)}</Prefix></CommonPrefixes>" for g in groups)
                return self.document("ListBucketResult", f"<Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(found)}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>{rows}")
            content = objects.get(place)
            if content is None: return self.answer(404, b"<Error><Code>NoSuchKey</Code><Message>none</Message></Error>", Content_Type="application/xml")
            headers = {"ETag": tag(content), "Last_Modified": "Mon, 01 Jan 2024 00:00:00 GMT", "Accept_Ranges": "bytes"}
            part = self.headers.get("Range", "").removeprefix("bytes=")
            if part and self.command == "GET" and content:
                first, _, last = part.partition("-")
                start = int(first) if first else max(0, len(content) - int(last))
                end = min(int(last) if first and last else len(content) - 1, len(content) - 1)
                return self.answer(206, content[start:end + 1], Content_Range=f"bytes {start}-{end}/{len(content)}", **headers)
            return self.answer(200, content, Content_Length=str(len(content)), **headers)
        if self.command == "DELETE":
            uploads.pop(query.get("uploadId"), None) if "uploadId" in query else objects.pop(place, None)
            return self.answer(204)
        if self.command == "POST" and "uploads" in query:
            number = str(len(uploads) + 1)
            uploads[number] = (key, {})
            return self.document("InitiateMultipartUploadResult", f"<Bucket>{bucket}</Bucket><Key>{escape(key)}</Key><UploadId>{number}</UploadId>")
        if "uploadId" in query and "partNumber" in query:
            uploads[query["uploadId"]][1][int(query["partNumber"])] = body
            return self.answer(200, ETag=tag(body))
        if self.headers.get("If-None-Match") and place in objects: return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        if "uploadId" in query: body = b"".join(part for _, part in sorted(uploads.pop(query["uploadId"])[1].items()))
        objects[place] = body
        if self.command == "POST": return self.document("CompleteMultipartUploadResult", f"<Key>{escape(key)}</Key><ETag>{escape(tag(body))}</ETag>")
        self.answer(200, ETag=tag(body))

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve
    def log_message(self, *arguments): pass


def serve():
    """Starts the server; gives its URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
