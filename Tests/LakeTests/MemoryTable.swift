import Codecs
import Domain
import Rows
import Synchronization
import Testing

/// A Delta table in memory.
final class MemoryTable: TableStorage {
  let name = "delta:memory"
  let files = Mutex<[String: [UInt8]]>([:])
  /// Entries of another writer, which appear when an entry of theirs is about to be created.
  let others = Mutex<[String: [UInt8]]>([:])

  func logFiles(from first: String) -> [String]? {
    let names = files.withLock { $0.keys.filter { $0.hasPrefix("_delta_log/") }.map { String($0.dropFirst(11)) } }
    return names.isEmpty ? nil : names.filter { $0 >= first }.sorted()
  }
  func open(_ path: String) -> (any RandomAccessSource)? {
    files.withLock { $0[path] }.map { MemoryByteSource($0, name: path) }
  }
  func create(_ path: String, _ bytes: [UInt8]) -> Bool {
    let other = others.withLock { $0.removeValue(forKey: path) }
    return files.withLock { files in
      if let other { files[path] = other }
      if files[path] != nil { return false }
      files[path] = bytes
      return true
    }
  }
  func replace(_ path: String, _ bytes: [UInt8]) { files.withLock { $0[path] = bytes } }
  func newFiles() -> any TableDataFiles { MemoryFileSet(self) }
  /// The data files, all of which were written in 2020.
  func dataFiles() -> [StoredObject] {
    files.withLock { files in
      files.filter { !$0.key.hasPrefix("_") }.map {
        StoredObject(key: $0.key, size: $0.value.count, modified: Instant(seconds: 1_600_000_000))
      }
    }
  }
  func remove(_ path: String) { files.withLock { $0[path] = nil } }
  var parquetFiles: [String] { files.withLock { $0.keys.filter { $0.hasSuffix(".parquet") } }.sorted() }

  func entry(_ version: Int) -> String { "_delta_log/" + String(repeating: "0", count: 19) + "\(version).json" }
  /// The actions of an entry.
  func actions(_ version: Int) throws -> [JSON] {
    let text = try #require(files.withLock { $0[entry(version)] })
    return try text.split(separator: 10).map { try JSON.parse(Array($0), name: "entry") }
  }
  func write(_ lines: String..., as version: Int) {
    files.withLock { $0[entry(version)] = Array(lines.joined(separator: "\n").utf8) }
  }
}

private final class MemoryFileSet: TableDataFiles {
  private let table: MemoryTable
  private let paths = Mutex<[String]>([])
  init(_ table: MemoryTable) { self.table = table }
  func sink(_ path: String) -> any ByteSink {
    paths.withLock { $0.append(path) }
    return MemoryFile(path, table)
  }
  func flush() {}
  func keep() {}
  func abandon() async {
    for path in paths.withLock({ $0 }) { table.files.withLock { $0[path] = nil } }
  }
}

private struct MemoryFile: ByteSink {
  let name: String
  let table: MemoryTable
  init(_ name: String, _ table: MemoryTable) { (self.name, self.table) = (name, table) }
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let bytes = bytes.bytes()
    table.files.withLock { $0[name, default: []] += bytes }
  }
  func commit() {}
  func abandon() async { table.files.withLock { $0[name] = nil } }
}

/// Keeps nothing.
struct Nowhere: ByteSink {
  let name = "nowhere"
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {}
  func commit() {}
  func abandon() async {}
}
