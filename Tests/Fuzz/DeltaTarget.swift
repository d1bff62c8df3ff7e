import Dispatch
import Domain
import Lake
import Parquet
import Query
import Rows

/// Any bytes at all, as the log of a Delta table: its entries, between zero bytes, as a checkpoint, and as the metadata
/// of one. What must hold: nothing traps; no file outside the table is opened.
func delta(_ bytes: [UInt8]) {
  let size = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
  let checkpoint = ParquetFile.mark + bytes + bytes + size + ParquetFile.mark
  var entries: [String: [UInt8]] = [:]
  for (version, entry) in bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(9).enumerated() {
    entries["_delta_log/0000000000000000000\(version).json"] = Array(entry)
  }
  read(FuzzedTable(files: entries))
  read(FuzzedTable(files: ["_delta_log/00000000000000000007.checkpoint.parquet": bytes]))
  read(FuzzedTable(files: ["_delta_log/00000000000000000007.checkpoint.parquet": checkpoint]))
}

/// Any bytes at all, as a deletion vector. What must hold: nothing traps; each part has the rows that the whole has.
func deletions(_ bytes: [UInt8]) {
  do throws(Problem) {
    let vector = try DeletionVector(bytes), whole = vector.rows(in: 0..<300_000), middle = bytes.count * 97 % 300_000
    precondition(whole.count <= vector.count && zip(whole, whole.dropFirst()).allSatisfy(<), "not in order")
    precondition(vector.rows(in: 0..<middle) + vector.rows(in: middle..<300_000) == whole, "other rows")
    _ = vector.rows(in: Int.max - 9..<Int.max)
  } catch {
    precondition(error.kind == .badData && error.message != "", "\(error)")
  }
}

private func read(_ table: FuzzedTable) {
  let done = DispatchSemaphore(value: 0)
  Task {
    do throws(Problem) {
      let source = try DeltaSource(try DeltaLocation("delta:fuzz"), in: table, FileInputOptions())
      _ = try await source.tables()
      var request = RowRequest(), selection = Selection()
      try selection.filter(by: "a > 1 or p = x")
      request.selection = selection
      let rows = try await source.rows(of: "fuzz", request)
      while let batch = try await rows.next()?.batch() {
        precondition(batch.width == rows.schema.width, "another width")
      }
    } catch {
      precondition([.badData, .noInput, .unavailable, .usage].contains(error.kind) && error.message != "", "\(error)")
    }
    done.signal()
  }
  done.wait()
}

/// A table in memory that is only read.
private struct FuzzedTable: TableStorage {
  let name = "delta:fuzz"
  let files: [String: [UInt8]]

  func logFiles(from first: String) -> [String]? {
    files.keys.map { String($0.dropFirst("_delta_log/".count)) }.filter { $0 >= first }.sorted()
  }
  func open(_ path: String) -> (any RandomAccessSource)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    precondition(!parts.contains(where: { $0 == ".." || $0.isEmpty }) && !path.utf8.contains(0), "outside: \(path)")
    return files[path].map { MemoryByteSource($0, name: path) }
  }
  func create(_ path: String, _ bytes: [UInt8]) throws(Problem) -> Bool { throw Problem(.bug, "read only") }
  func replace(_ path: String, _ bytes: [UInt8]) throws(Problem) { throw Problem(.bug, "read only") }
  func dataFiles() -> [StoredObject] { [] }
  func remove(_ path: String) throws(Problem) { throw Problem(.bug, "read only") }
  func newFiles() throws(Problem) -> any TableDataFiles { throw Problem(.bug, "read only") }
}
