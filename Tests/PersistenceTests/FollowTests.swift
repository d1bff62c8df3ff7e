import Codecs
import Dialects
import Domain
import Glibc
import Rows
import TestSupport
import Testing

@testable import Persistence

@Suite("rows as they arrive") struct FollowTests {
  /// The rows of a pipe that is filled piece by piece, and the error at the end.
  private static func rows(
    _ pieces: [String], format: FileFormat? = nil, _ options: FileInputOptions = FileInputOptions()
  ) async -> (columns: [String], rows: [String]) {
    let path = TemporaryDirectory().path + "/pipe"
    guard unsafe mkfifo(path, 0o600) == 0 else { return ([], ["cannot create a pipe"]) }
    // Another process writes: reading a pipe occupies a thread, of which tasks may have only one.
    let parts = pieces.map { "printf %s '\($0.replacing("'", with: "'\\''"))'; sleep 0.15" }.joined(separator: "; ")
    guard let writer = unsafe popen("{ \(parts); } > \(path)", "w") else { return ([], ["cannot start sh"]) }
    defer { unsafe pclose(writer) }
    var found: [String] = [], columns: [String] = []
    do throws(Problem) {
      let rows = try await FollowedRows(path, format, options)
      columns = rows.schema.columns.map { "\($0.name) \($0.type.name)" }
      while let batch = try await rows.next()?.batch() {
        for row in 0..<batch.count {
          found.append(
            (0..<batch.width).map { column in
              let spelling = rows.schema.columns[column].spelling
              return String(decoding: spelling.written(batch.value(row, column)), as: UTF8.self)
            }.joined(separator: " "))
        }
      }
    } catch { found.append("\(error.place.split(separator: "/").last ?? ""): \(error.message)") }
    return (columns, found)
  }

  @Test("a pipe with CSV is read line by line, its types are those of the first rows") func csv() async {
    let result = await Self.rows(["a,b\n1,x\n", "2,\"y\n", "z\"\n3", ",w\n", "q,v\n"])
    #expect(result.columns == ["a integer", "b text"])
    #expect(result.rows.dropLast() == ["1 x", "2 y\nz", "3 w"])
    #expect(result.rows.last == "pipe:6:1: invalid value “q” for column “a”: expected integer")
  }

  @Test("objects of JSON are recognised, of which a quote is part of no field") func ndjson() async {
    let result = await Self.rows(["{\"a\":1,\"b\":\"it's \\\"\"}\n", "{\"a\":2}\n"])
    #expect(result.columns == ["a integer", "b text"])
    #expect(result.rows == ["1 it's \"", "2 "])
  }

  @Test("later times may be spelled otherwise") func times() async {
    let first = "t,l\n2024-01-05T10:00:00+02:00,2024-01-05T10:00\n"
    let csv = await Self.rows([first, "2024-01-05 09:00Z,2024-01-05 10:00\n"])
    #expect(csv.columns == ["t timestamp", "l datetime"])
    #expect(csv.rows == ["2024-01-05T10:00:00+02:00 2024-01-05T10:00", "2024-01-05 09:00Z 2024-01-05 10:00"])
    let json = await Self.rows(["{\"t\":\"2024-01-05T10:00:00Z\"}\n", "{\"t\":\"2024-01-05T10:00:00-05:00\"}\n"])
    #expect(json.rows == ["2024-01-05T10:00:00Z", "2024-01-05T10:00:00-05:00"])
  }

  @Test("a dialect that later pieces would not be read in is refused") func dialect() async {
    var options = FileInputOptions()
    options.dialect.quote = .character(0x27)
    let result = await Self.rows(["a,b\n1,'x,y'\n", "2,'y,z'\n"], options)
    #expect(result.rows.first?.contains("cannot be read as they arrive") == true)
  }

  @Test("a file is refused") func file() async {
    let directory = TemporaryDirectory()
    guard let file = unsafe fopen(directory.path + "/t.csv", "w") else { return }
    unsafe fclose(file)
    do throws(Problem) {
      _ = try await FollowedRows(directory.path + "/t.csv", nil, FileInputOptions())
      Issue.record("no error")
    } catch { #expect(error.kind == .usage && error.hint.description.contains("tail -n +1 -f")) }
  }
}
