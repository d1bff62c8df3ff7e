import Codecs
import Domain
import Files
import Glibc
import Rows

/// The history of a directory store: `.bb/history/ID.json`, a file for each entry, so that copies of the store under
/// version control merge.
struct DirectoryHistory {
  private let path: String
  /// Bytes of an entry at most. A change that needs more keeps the old files instead of the rows.
  static let limit = 64 << 20

  /// The history of the directory at `path`.
  init(_ path: String) { self.path = path }

  static func file(of id: String, in path: String) -> String { "\(path)/.bb/history/\(id).json" }

  /// The identifiers of the entries, oldest first.
  func identifiers() throws(Problem) -> [String] {
    let names = try DirectoryListing.names(path + "/.bb/history") ?? []
    return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.filter(RecordIdentifier.isValid)
      .sorted()
  }

  /// All entries, oldest first.
  /// - Throws: `badData` naming the file of what bb does not write.
  func entries(_ journal: DirectoryJournal?) throws(Problem) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    for id in try identifiers() {
      let place = Self.file(of: id, in: path)
      let bytes = try FileByteSource(path: place).bytes(limit: Self.limit + 16 << 20)
      let line = Array(bytes.prefix { $0 != 0x0A })
      entries.append(try Self.entry(line, id, at: place, whole: bytes))
    }
    if let begun = journal?.entry, !entries.contains(where: { $0.id == begun.id }) {
      entries.append(try Self.entry(begun.line, begun.id, at: path + "/.bb/begun", whole: begun.line))
      entries.sort { $0.id < $1.id }
    }
    return HistoryEntry.numbered(entries)
  }

  /// Takes over entries of another store, all or none.
  func adopt(_ entries: [HistoryEntry]) throws(Problem) {
    guard !entries.isEmpty else { return }
    let directory = path + "/.bb/history", temporary = Temporaries.name(beside: directory)
    guard Temporaries.makeTemporaryDirectory(temporary) == 0 else { throw Problem.posix(errno, "create", temporary) }
    defer {
      DirectoryListing.removeAll(temporary)
      Temporaries.forget(temporary)
    }
    for entry in entries {
      let sink = try FileSink(path: "\(temporary)/\(entry.id).json", mode: 0o600)
      try sink.append(Self.line(entry) + [0x0A])
      _ = try sink.flush()
      try sink.place()
    }
    try DirectoryListing.flush(temporary)
    DirectoryListing.removeAll(directory)
    guard unsafe rename(temporary, directory) == 0 else { throw Problem.posix(errno, "rename", directory) }
    try DirectoryListing.flush(path + "/.bb")
  }

  /// An entry as its file has it, without the line end.
  static func line(_ entry: HistoryEntry) -> [UInt8] {
    var members = [
      JSON.Member(Array("id".utf8), .string(entry.id)), JSON.Member(Array("time".utf8), .string(entry.time)),
      JSON.Member(Array("title".utf8), .string(entry.title)),
    ]
    if !entry.undoes.isEmpty {
      members.append(JSON.Member(Array("undoes".utf8), .array(entry.undoes.map { .string($0) })))
    }
    if let command = entry.command { members.append(JSON.Member(Array("command".utf8), .string(command))) }
    members.append(JSON.Member(Array("tables".utf8), HistoryCodec.json(entry.tables)))
    return JSON.object(members).canonicalBytes
  }

  private static func entry(
    _ line: [UInt8], _ id: String, at place: String, whole: [UInt8]
  ) throws(Problem) -> HistoryEntry {
    let document: JSON
    do throws(Problem) { document = try JSON.parse(line, name: place, maximumText: .max) } catch {
      throw MergeConflict.problem(in: whole, at: place) ?? error
    }
    guard document["id"]?.stringValue == id, let time = document["time"]?.stringValue,
      let title = document["title"]?.stringValue, let tables = document["tables"]
    else { throw Problem(.badData, "the store is damaged: not an entry of the history", at: place) }
    return HistoryEntry(
      id: id, time: time, title: title, tables: try HistoryCodec.tables(tables, at: place),
      undoes: document["undoes"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      command: document["command"]?.stringValue)
  }
}
