import Codecs
import Domain
import Files
import Glibc
import Rows

/// The history of a directory store of version 1: `.bb/history.ndjson`, a line for each change, written before the
/// change was made.
struct LegacyHistory {
  private let path: String
  /// Bytes of the file at most.
  private static let limit = 1 << 30

  /// The history of the directory at `path`.
  init(_ path: String) { self.path = path + "/.bb/history.ndjson" }

  /// Removes it, after the store was upgraded.
  func remove() { _ = unsafe unlink(path) }

  /// The interrupted change in the lock file of version 1.
  struct State {
    /// The number of the last entry that is in the files.
    let finished: Int
    /// The new file of a table that was being loaded.
    let loading: FileStamp?

    /// What `bytes` describe; nil for anything else.
    init?(_ bytes: [UInt8]) {
      guard let document = try? JSON.parse(bytes, name: ""), let finished = document["finished"]?.integerValue else {
        return nil
      }
      self.finished = Int(finished)
      loading = document["loading"]?.arrayValue.flatMap { FileStamp($0.compactMap(\.integerValue)) }
    }
  }

  /// All entries, oldest first, with the numbers that they have in the file.
  ///
  /// The identifiers follow from what the file holds: they are the same wherever it is read.
  /// - Throws: `badData` naming the line of what bb did not write.
  func entries() throws(Problem) -> [HistoryEntry] {
    guard let bytes = try FileByteSource.ifPresent(path)?.bytes(limit: Self.limit) else { return [] }
    var entries: [HistoryEntry] = [], identifiers: [Int: String] = [:], line = 1, start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      let place = "\(path):\(line)"
      do throws(Problem) {
        entries.append(try Self.entry(Array(bytes[start..<end]), after: entries.last?.id, identifiers, at: place))
      } catch {
        throw MergeConflict.problem(in: bytes, at: path) ?? error
      }
      if let last = entries.last { identifiers[last.number] = last.id }
      (start, line) = (end + 1, line + 1)
    }
    return entries  // What has no line end was never acknowledged.
  }

  private static func entry(
    _ line: [UInt8], after last: String?, _ identifiers: [Int: String], at place: String
  ) throws(Problem) -> HistoryEntry {
    let document = try JSON.parse(line, name: place, maximumText: .max)
    guard let number = document["number"]?.integerValue, let time = document["time"]?.stringValue,
      let title = document["title"]?.stringValue, let tables = document["tables"]
    else { throw Problem(.badData, "the store is damaged: not an entry of the history", at: place) }
    return entry(
      number: Int(number), time: time, title: title, try HistoryCodec.tables(tables, at: place), after: last,
      identifiers)
  }

  /// An entry that has a number instead of an identifier; the title of an undo names the entry: `undo 12: delete
  /// Luzern`.
  /// - Parameter identifiers: the identifiers of the entries before it, by number.
  static func entry(
    number: Int, time: String, title: String, _ tables: [TableRevisions], after last: String?,
    _ identifiers: [Int: String]
  ) -> HistoryEntry {
    let id = HistoryIdentifier.legacy(number: number, time: time, title: title, after: last)
    var entry = HistoryEntry(id: id, time: time, title: title, tables: tables)
    entry.number = number
    if title.hasPrefix("undo "), let colon = title.unicodeScalars.firstIndex(of: ":"),
      let undone = Int(title[title.index(title.startIndex, offsetBy: 5)..<colon]), let id = identifiers[undone]
    {
      entry.undoes = [id]
      entry.title = "undo" + title[colon...]
    }
    return entry
  }
}
