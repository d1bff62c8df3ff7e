import Codecs
import Domain
import Files
import Glibc
import Rows

/// Tables as they were before a load replaced them: `.bb/replaced/ID/TABLE`, where `ID` is the history's entry. They
/// are what undo of a load puts back; version control does not keep them, as it has them anyway.
struct ReplacedTables {
  private let root: String
  private var path: String { root + "/.bb/replaced" }

  /// The kept tables of the directory at `path`.
  init(_ path: String) { root = path }

  struct Table {
    /// The previous entry in the manifest; nil if the table did not exist.
    let described: DirectoryManifest.Table?
    /// The path of its file; nil when there was none.
    let rows: String?
    /// The file that described its columns.
    let sidecar: [UInt8]?
    /// The file as bb left it; nil when a user had changed it.
    var known: DirectoryState.File?
    /// Whether the rows are those of `ReplacedTable.differences`, which another kind of store kept.
    var isPart = false
  }

  /// The directory in which a table is kept for an entry.
  func directory(_ id: String, _ table: String) -> String { "\(path)/\(id)/\(TableFileName.stem(of: table))" }

  /// Keeps a table, on the disk when this returns; what does not become part of the history is removed with later ones.
  func keep(_ table: String, _ old: Table, for id: String) throws(Problem) {
    let directory = directory(id, table)
    try Beneath.make(root, directory.below(root), mode: 0o700, isDurable: true)
    if let rows = old.rows { try DirectoryTransaction.keep(rows, as: directory + "/rows") }
    if let sidecar = old.sidecar { try write(sidecar, to: directory + "/sidecar") }
    var members: [JSON.Member] = []
    if let described = old.described { members.append(JSON.Member(Array("table".utf8), described.json)) }
    if let known = old.known { members.append(JSON.Member(Array("known".utf8), known.json)) }
    if old.isPart { members.append(JSON.Member(Array("part".utf8), .boolean(true))) }
    try write(JSON.object(members).canonicalBytes + [0x0A], to: directory + "/table.json")
    try DirectoryListing.flush(directory)
  }

  private func write(_ bytes: [UInt8], to path: String) throws(Problem) {
    let sink = try FileSink(path: path, mode: 0o600)
    try sink.append(bytes)
    _ = try sink.flush()
    try sink.place()
  }

  /// A kept table; nil when it is not kept any more.
  func table(_ table: String, of id: String) throws(Problem) -> Table? {
    let directory = directory(id, table), place = directory + "/table.json"
    guard let file = try FileByteSource.ifPresent(place) else { return nil }
    let document = try JSON.parse(try file.bytes(limit: DirectoryManifest.limit), name: place)
    let rows = directory + "/rows", sidecar = directory + "/sidecar"
    return Table(
      described: document["table"].flatMap(DirectoryManifest.Table.init),
      rows: try FileStamp.now(at: rows) == nil ? nil : rows,
      sidecar: try FileByteSource.ifPresent(sidecar)?.bytes(limit: DirectoryManifest.limit),
      known: document["known"].flatMap(DirectoryState.File.init), isPart: document["part"]?.booleanValue == true)
  }

  /// Whether all tables of an entry are kept.
  func has(_ entry: HistoryEntry) -> Bool {
    entry.tables.allSatisfy { unsafe access(directory(entry.id, $0.schema.name) + "/table.json", F_OK) == 0 }
  }

  func forget(_ id: String) { DirectoryListing.removeAll("\(path)/\(id)") }

  /// Removes the oldest beyond `StoreRules.keptLoads` and `StoreRules.keptBytes`.
  func trim() {
    var bytes = 0
    for (number, id) in ((try? DirectoryListing.names(path)) ?? []).sorted(by: >).enumerated() {
      for table in (try? DirectoryListing.names("\(path)/\(id)")) ?? [] {
        bytes += Int((try? FileStamp.now(at: "\(path)/\(id)/\(table)/rows"))??.size ?? 0)
      }
      if number >= StoreRules.keptLoads || bytes > StoreRules.keptBytes { forget(id) }
    }
  }
}
