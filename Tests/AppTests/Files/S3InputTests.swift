import Domain
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("objects of buckets as inputs") struct S3InputTests {
  /// A bucket "box" that lists and sends objects, and notes the requests.
  private final class Bucket: Sendable {
    let objects: [String: String]
    let requests = Mutex<[HTTPRequest]>([])

    init(_ objects: [String: String]) { self.objects = objects }

    func respond(_ request: HTTPRequest) -> HTTPResponse {
      requests.withLock { $0.append(request) }
      let path = request.url.replacing("http://s3.test/box/", with: "")
      if path.hasPrefix("?") {
        let prefix = path.split { "?&".contains($0) }.first { $0.hasPrefix("prefix=") }?.dropFirst(7) ?? ""
        let wanted = prefix.replacing("%2F", with: "/").replacing("%3D", with: "=")
        let contents = objects.keys.filter { $0.hasPrefix(wanted) }.sorted().map {
          "<Contents><Key>\($0)</Key><Size>1</Size></Contents>"
        }.joined()
        return HTTPResponse(200, "<ListBucketResult><IsTruncated>false</IsTruncated>\(contents)</ListBucketResult>")
      }
      let key = path.replacing("%3D", with: "=").replacing("%20", with: " ")
      guard let text = objects[key] else {
        return HTTPResponse(404, "<Error><Code>NoSuchKey</Code></Error>")
      }
      return HTTPResponse(
        200, text, headers: [HTTPHeader("ETag", "\"1\""), HTTPHeader("Content-Length", String(text.utf8.count))])
    }
  }

  private static let variables = [
    "AWS_ENDPOINT_URL": "http://s3.test", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "SECRETsecret",
  ]

  private func run(_ bucket: Bucket, _ line: String) async -> Shell.Outcome {
    let console = Console { (request) throws(Problem) in bucket.respond(request) }
    let outcome = await console.run(line, variables: Self.variables)
    #expect(!outcome.err.contains("SECRET") && !outcome.err.contains("AKID"), "\(outcome.err)")
    return outcome
  }

  @Test("an object is read by its key, and every request is signed") func object() async {
    let bucket = Bucket(["in/a b.csv": "id\n1\n"])
    let outcome = await run(bucket, "bb-export --from 's3://box/in/a b.csv' -f csv --summary json -v")
    #expect(outcome.out == "id\n1\n" && outcome.err.contains("\"source\":\"s3://box/in/a b.csv\""), "\(outcome.err)")
    let requests = bucket.requests.withLock { $0 }
    #expect(requests.allSatisfy { $0.isSigned && $0.headers.contains { $0.name == "Authorization" } })
  }

  @Test("patterns and directories are one table, with the columns of the keys") func several() async {
    let bucket = Bucket([
      "t/show=a b/1.csv": "id\n1\n", "t/show=c/1.csv": "id\n2\n", "t/_meta/1.csv": "x\n", "u.csv": "id\n3\n",
    ])
    let directory = await run(bucket, "bb-export --from s3://box/t/ -f csv")
    #expect(directory.out == "id,show\n1,a b\n2,c\n", "\(directory.err)")
    let pattern = await run(bucket, "bb-export --from 's3://box/t/show=[c-d]/*.csv' -f csv")
    #expect(pattern.out == "id,show\n2,c\n", "\(pattern.err)")
  }

  @Test("objects that do not exist", arguments: ["s3://box/absent.csv", "s3://box/x*.csv", "s3://box/absent/"])
  func absent(url: String) async {
    let outcome = await run(Bucket(["u.csv": "id\n"]), "bb-export --from '\(url)' -f csv")
    #expect(outcome.status == 66 && outcome.err.contains(url), "\(outcome.err)")
    #expect(outcome.err.contains("hint: list the objects with: bb-export s3 list s3://box/\n"), "\(outcome.err)")
  }

  @Test("the objects of a bucket") func list() async {
    let bucket = Bucket(["t/a b.csv": "id\n", "u.csv": "id\n"])
    let outcome = await run(bucket, "bb-export s3 list s3://box/t/ -f csv")
    #expect(outcome.out == "key,bytes,modified\nt/a b.csv,1,\n", "\(outcome.err)")
    #expect(await run(bucket, "bb-export s3 list s3://box/x -f csv").out == "key,bytes,modified\n")
    #expect(await run(bucket, "bb-export s3 list s3://box --abort-older-than 1d").status == 64)
    let empty = await run(Bucket([:]), "bb-export --from s3://box/ -f csv")
    #expect(empty.status == 66 && !empty.err.contains("hint"), "\(empty.err)")
  }

  @Test("without signatures") func anonymous() async {
    let bucket = Bucket(["u.csv": "id\n1\n"])
    let outcome = await run(bucket, "bb-export --from s3://box/u.csv -f csv --option s3.anonymous=true")
    #expect(outcome.out == "id\n1\n", "\(outcome.err)")
    #expect(bucket.requests.withLock { $0.allSatisfy { !$0.headers.contains { $0.name == "Authorization" } } })
  }
}
