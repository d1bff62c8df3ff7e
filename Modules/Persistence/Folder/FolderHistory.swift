import Codecs
import Domain
import Glibc
import Rows

/// A folder's `.bb/history.ndjson`: a line for each change, on the disk before the change is made.
struct FolderHistory {
  private let path: String

  /// The history of the folder at `path`.
  init(folder path: String) { self.path = path + "/.bb/history.ndjson" }

  /// Its length in bytes; 0 when there is none.
  func size() throws(Problem) -> Int { Int(try FileStamp.now(at: path)?.size ?? 0) }

  /// All entries, oldest first.
  /// - Throws: `badData` naming the line of what bb does not write.
  func entries() throws(Problem) -> [HistoryEntry] {
    guard try FileStamp.now(at: path) != nil else { return [] }
    let bytes = try FileByteSource(path: path).bytes(limit: .max)
    var entries: [HistoryEntry] = [], line = 1, start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      entries.append(try entry(Array(bytes[start..<end]), at: "\(path):\(line)"))
      (start, line) = (end + 1, line + 1)
    }
    return entries  // What has no line end was never acknowledged.
  }

  /// The last whole entry; nil when there is none.
  func last() throws(Problem) -> HistoryEntry? {
    guard let (start, end) = try lastLine() else { return nil }
    return try entry(try read(start, end - start), at: path)
  }

  /// The number of the last whole entry; 0 when there is none. Reads only its beginning.
  func lastNumber() throws(Problem) -> Int {
    guard let (start, end) = try lastLine() else { return 0 }
    let prefix = Array("{\"number\":".utf8)
    let beginning = try read(start, min(end - start, prefix.count + 20))
    guard beginning.starts(with: prefix) else { throw damage(path) }
    let digits = beginning.dropFirst(prefix.count).prefix { $0 &- 48 < 10 }
    guard let number = Int(String(decoding: digits, as: UTF8.self)) else { throw damage(path) }
    return number
  }

  /// Adds entries, and waits until they are on the disk. A line that was cut short before is removed.
  /// - Returns: the length before and after.
  func append(_ entries: [HistoryEntry]) throws(Problem) -> (before: Int, after: Int) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", path) }
    defer { close(descriptor) }
    let whole = try lastLine()?.end ?? 0
    var bytes = ByteBuffer(capacity: 4096)
    for entry in entries {
      bytes.append(
        bytes: JSON.object([
          "number": .number(Int64(entry.number)), "time": .string(entry.time), "title": .string(entry.title),
          "tables": HistoryCodec.json(entry.tables),
        ]).canonicalBytes)
      bytes.append(byte: 0x0A)
    }
    let place = path
    do throws(Problem) {
      guard ftruncate(descriptor, off_t(whole)) == 0, lseek(descriptor, off_t(whole), SEEK_SET) == off_t(whole) else {
        throw Problem.posix(errno, "write", place)
      }
      try bytes.read { (span) throws(Problem) in try writeAll(span, to: descriptor, place: place) }
      guard fsync(descriptor) == 0 else { throw Problem.posix(errno, "flush", place) }
      if whole == 0 { try Self.flushFolder(of: place) }
    } catch {
      ftruncate(descriptor, off_t(whole))
      throw error
    }
    return (whole, whole + bytes.count)
  }

  /// Takes the last whole entry back, and what was begun behind it.
  func removeLast() throws(Problem) {
    guard let start = try lastLine()?.start else { return }
    guard unsafe Glibc.truncate(path, off_t(start)) == 0 else { throw Problem.posix(errno, "write", path) }
  }

  /// Takes back entries that were added, whose change could not be made.
  func truncate(to size: Int) { _ = unsafe Glibc.truncate(path, off_t(size)) }

  private static func flushFolder(of path: String) throws(Problem) {
    let folder = unsafe open(Temporaries.split(path).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Problem.posix(errno, "open the folder of", path) }
    defer { close(folder) }
    guard fsync(folder) == 0 || errno == EINVAL else { throw Problem.posix(errno, "flush the folder of", path) }
  }

  private func entry(_ line: [UInt8], at place: String) throws(Problem) -> HistoryEntry {
    let document = try JSON.parse(line, name: place)
    guard let number = document["number"]?.integerValue, let time = document["time"]?.stringValue,
      let title = document["title"]?.stringValue, let tables = document["tables"]
    else { throw damage(place) }
    return HistoryEntry(
      number: Int(number), time: time, title: title, tables: try HistoryCodec.tables(tables, at: place))
  }

  private func damage(_ place: String) -> Problem {
    Problem(.badData, "an entry of the history is damaged", at: place)
  }

  /// Where the last whole line begins, and where the next would.
  private func lastLine() throws(Problem) -> (start: Int, end: Int)? {
    var position = try size(), end: Int?
    while position > 0 {
      let length = min(position, 1 << 16)
      position -= length
      let block = try read(position, length)
      for index in block.indices.reversed() where block[index] == 0x0A {
        if let end { return (position + index + 1, end) }
        end = position + index + 1
      }
    }
    return end.map { (0, $0) }
  }

  private func read(_ start: Int, _ length: Int) throws(Problem) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", path) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: length), done = 0
    while done < length {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(descriptor, buffer.baseAddress! + done, length - done, off_t(start + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Problem.posix(count == 0 ? EIO : errno, "read", path) }
      done += count
    }
    return bytes
  }
}
