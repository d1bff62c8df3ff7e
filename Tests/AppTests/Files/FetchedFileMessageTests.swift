import Domain
import Rows
import TestSupport
import Testing

@Suite("messages on fetched files name their URLs") struct FetchedFileMessageTests {
  /// A bucket "box" and a web server, with the same objects.
  private static func respond(_ objects: [String: [UInt8]]) -> @Sendable (HTTPRequest) -> HTTPResponse {
    { request in
      var path = request.url
      for start in ["http://s3.test/box/", "https://me:SECRET@data.example/"] where path.hasPrefix(start) {
        path.removeFirst(start.count)
      }
      if path.hasPrefix("?") {
        let prefix = path.split { "?&".contains($0) }.first { $0.hasPrefix("prefix=") }?.dropFirst(7) ?? ""
        let wanted = prefix.replacing("%2F", with: "/").replacing("%3D", with: "=")
        let keys = objects.keys.filter { $0.hasPrefix(wanted) }.sorted()
        let contents = keys.map { "<Contents><Key>\($0)</Key><Size>\(objects[$0]?.count ?? 0)</Size></Contents>" }
        return HTTPResponse(
          200, "<ListBucketResult><IsTruncated>false</IsTruncated>\(contents.joined())</ListBucketResult>")
      }
      path = String(path.prefix { $0 != "?" }).replacing("%3D", with: "=")
      guard let bytes = objects[path] else { return HTTPResponse(404, "<Error><Code>NoSuchKey</Code></Error>") }
      let fields = [HTTPHeader("ETag", "\"1\""), HTTPHeader("Content-Length", String(bytes.count))]
      return HTTPResponse(status: 200, headers: HTTPFields(fields), url: request.url, body: Bytes(bytes: bytes))
    }
  }

  private struct Bytes: AsyncSequence, Sendable {
    let bytes: [UInt8]
    struct Iterator: AsyncIteratorProtocol {
      var rest: [UInt8]?
      mutating func next() async throws(Problem) -> [UInt8]? {
        defer { rest = nil }
        return rest
      }
    }
    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes) }
  }

  private static let variables = [
    "AWS_ENDPOINT_URL": "http://s3.test", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "SECRETsecret",
  ]

  /// The places that files are read from.
  enum Origin: String, CaseIterable, Sendable {
    case bucket, server

    func url(_ key: String) -> String {
      self == .bucket
        ? "s3://box/\(key)" : "https://me:SECRET@data.example/\(key)?v=2&X-Amz-Credential=AKID&X-Amz-Signature=SECRET"
    }
    /// The URL without the values of its query.
    func place(_ key: String) -> String {
      self == .bucket
        ? "s3://box/\(key)" : "https://data.example/\(key)?v=…&X-Amz-Credential=…&X-Amz-Signature=…"
    }
  }

  private func run(
    _ objects: [String: [UInt8]], _ line: String, files: [String: String] = [:]
  ) async -> Shell.Outcome {
    let console = Console(files, respond: Self.respond(objects))
    let outcome = await console.run(line, variables: Self.variables)
    let all = outcome.err + outcome.out
    #expect(!all.contains("SECRET") && !all.contains("AKID"), "\(all)")
    #expect(!all.contains(console.home) && !all.contains(".data"), "\(all)")
    return outcome
  }

  private static func parquetMagic(_ footer: UInt32) -> [UInt8] {
    Array("PAR1".utf8) + [0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: footer >> ($0 * 8)) } + Array("PAR1".utf8)
  }
  private static let gzipStart: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF]
  private static let zstdStart: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x05, 0x29, 0x00]

  /// Damaged files, and the beginnings of their messages after the place.
  private static let damaged: [(key: String, bytes: [UInt8], message: String)] = [
    ("x.csv", Array("id,name\n1,a\n2\n".utf8), ":3:2: expected 2 fields, found 1"),
    ("bad.csv", Array("id,name\n1,\u{FF}".utf8.prefix(10)) + [0xFF, 10], ":"),
    ("x.json", Array("[{\"a\":1},{\"a\" 2}]".utf8), ":1:15: "),
    ("x.ndjson", Array("{\"a\":1}\n{\"a\"".utf8), ":2:"),
    ("x.csv.gz", gzipStart, ": "), ("x.json.zst", zstdStart, ": "),
    ("x.parquet", parquetMagic(0xFFFF), ": "), ("x.xlsx", Array("PK\u{3}\u{4}nothing".utf8), ": "),
    ("x.db", Array("SQLite format 3\0".utf8) + Array(repeating: 7, count: 600), ": "),
    ("empty.csv", [], ": "), ("x.bin", Array("MZ".utf8) + [0, 0, 1], ": "),
  ]

  @Test("damaged files", arguments: Origin.allCases, damaged.indices)
  func message(origin: Origin, index: Int) async {
    let (key, bytes, message) = Self.damaged[index], url = origin.url(key), place = origin.place(key)
    let outcome = await run([key: bytes], "bb-export --from '\(url)' -f csv")
    #expect(outcome.status == (key.hasSuffix(".bin") ? 64 : 65), "\(outcome.err)")
    #expect(outcome.err.hasPrefix("bb-export: \(place)\(message)"), "\(outcome.err)")
    let asJSON = await run([key: bytes], "bb-export --from '\(url)' -f csv --errors json")
    #expect(asJSON.err.contains("\"place\":\"\(place)"), "\(asJSON.err)")
  }

  @Test("options that do not fit, and missing tables", arguments: Origin.allCases) func options(origin: Origin) async {
    let url = origin.url("x.csv"), place = origin.place("x.csv")
    for options in ["--records /a", "--table other", "--types zz=integer", "--join '\(url)' --on zz"] {
      let outcome = await run(["x.csv": Array("id\n1\n".utf8)], "bb-export --from '\(url)' -f csv \(options)")
      #expect([64, 66].contains(outcome.status), "\(outcome.err)")
      if !options.contains("zz") { #expect(outcome.err.contains(place), "\(outcome.err)") }
    }
  }

  @Test("warnings and summaries", arguments: Origin.allCases) func summaries(origin: Origin) async {
    let url = origin.url("x.csv"), place = origin.place("x.csv")
    let outcome = await run(
      ["x.csv": Array("id,id\n1,2\n".utf8)], "bb-export --from '\(url)' -f csv --summary json -v")
    #expect(outcome.status == 0 && outcome.err.contains("warning: \(place): "), "\(outcome.err)")
    #expect(outcome.err.contains("\"source\":\"\(place)\""), "\(outcome.err)")
  }

  @Test("several files, compared files, and tables of one name", arguments: Origin.allCases)
  func several(origin: Origin) async {
    let objects = ["a.csv": Array("id\n1\n".utf8), "b.csv": Array("no\n1\n".utf8), "d/a.csv": Array("id\n".utf8)]
    let (a, b, other) = (origin.url("a.csv"), origin.url("b.csv"), origin.url("d/a.csv"))
    let union = await run(objects, "bb-export --from '\(a)' --from '\(b)' -f csv")
    #expect(union.status == 64 && union.err.contains(origin.place("b.csv")), "\(union.err)")
    let same = await run(objects, "bb-export --from '\(a)' --from '\(other)' -o all.db")
    #expect(same.status == 64 && same.err.contains(origin.place("d/a.csv")), "\(same.err)")
    let compared = await run(objects, "bb-export diff '\(a)' '\(b)' -f csv")
    #expect(compared.status == 64 && compared.err.contains(origin.place("a.csv")), "\(compared.err)")
  }

  @Test("the summary names the table, not the file that is joined to it", arguments: Origin.allCases)
  func joined(origin: Origin) async {
    let objects = ["a.csv": Array("id\n1\n".utf8), "b.csv": Array("id,x\n1,2\n".utf8)]
    let line = "bb-export --from '\(origin.url("a.csv"))' --join '\(origin.url("b.csv"))' --on id -f csv"
    let outcome = await run(objects, line + " --summary json")
    #expect(outcome.out == "id,b.id,b.x\n1,1,2\n", "\(outcome.err)")
    #expect(outcome.err.contains("\"source\":\"\(origin.place("a.csv"))\""), "\(outcome.err)")
  }

  @Test("parts of the work", arguments: Origin.allCases) func shards(origin: Origin) async {
    let objects = ["a.csv": Array("id\n1\n".utf8), "b.csv": Array("id\n2\n".utf8)]
    var rows: [String] = []
    for part in 1...2 {
      let outcome = await run(
        objects, "bb-export --from '\(origin.url("a.csv"))' --from '\(origin.url("b.csv"))' --shard \(part)/2 -f csv")
      #expect(outcome.status == 0, "\(outcome.err)")
      rows += outcome.out.split(separator: "\n").dropFirst().map(String.init)
    }
    #expect(rows.sorted() == ["1", "2"])
  }

  @Test("files of a partitioned directory in a bucket") func partitions() async {
    let objects = ["t/p=1/a.csv": Array("id\n1\n".utf8), "t/p=2/b.csv": Array("id\n1,2\n".utf8)]
    let outcome = await run(objects, "bb-export --from s3://box/t/ -f csv")
    #expect(outcome.status == 65, "\(outcome.err)")
    #expect(outcome.err.hasPrefix("bb-export: s3://box/t/p=2/b.csv:2:3: "), "\(outcome.err)")
  }

  @Test("data files of a Delta table in a bucket", arguments: [false, true]) func delta(isMissing: Bool) async {
    let log = [
      #"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#,
      #"{"metaData":{"id":"x","format":{"provider":"parquet"},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}"#,
      #"{"add":{"path":"part-0.parquet","partitionValues":{},"size":1}}"#,
    ]
    var objects = ["t/_delta_log/00000000000000000000.json": Array(log.joined(separator: "\n").utf8)]
    if !isMissing { objects["t/part-0.parquet"] = Self.parquetMagic(0xFFFF) }
    let outcome = await run(objects, "bb-export --from delta:s3://box/t -f csv")
    #expect(outcome.status == 65, "\(outcome.err)")
    let place = isMissing ? "delta:s3://box/t: " : "s3://box/t/part-0.parquet: "
    #expect(outcome.err.hasPrefix("bb-export: \(place)"), "\(outcome.err)")
    #expect(outcome.err.contains("part-0.parquet"))
  }
}
