import Codecs
import Dialects
import Documents
import Domain
import Files
import Rows

extension FileFormat {
  private static func suffix(of path: String) -> String? {
    let last = FileCompression.split(path).path.split(at: "/").last ?? ""
    return last.unicodeScalars.lastIndex(of: ".").map { last[last.index(after: $0)...].lowercased() }
  }

  /// The format that the name of a file means.
  init?(ofFile path: String) {
    guard let found = Self.suffix(of: path).flatMap({ FileFormat(suffix: $0) }) else { return nil }
    self = found
  }

  /// The format of a file: by suffix, else by what the bytes look like; text that looks like nothing else is CSV.
  static func detecting(
    _ path: String, _ bytes: any ByteSource, _ reading: FileInputOptions, place: String, isOwn: Bool
  ) throws(Problem) -> FileFormat {
    let named = FileFormat(ofFile: path)
    if let named, named != .csv, named != .tsv { return named }
    let suffix = suffix(of: path)
    var read = ArenaBuilder(capacity: 4096)
    if let source = try bytes.reopened() {
      // A pipe gives its bytes in pieces of any size.
      while read.room > 0, try source.read(into: &read, limit: read.room) > 0 {}
    }
    let encoding = CharacterEncoding.finding(read.bytes.span, isWhole: read.room > 0, reading.dialect.encoding)
    let beginning = encoding.text(of: read.bytes)
    if named == nil, let format = FileFormat(beginning: beginning, suffix: suffix) {
      return format == .ndjson && reading.records != nil ? .json : format
    }
    try ForeignFormat.refuse(
      place, path: isOwn ? bytes.name : nil, suffix: suffix, beginning: beginning, isNamed: named != nil)
    if let named { return named }
    guard !beginning.contains(0) else {
      throw Problem(
        .usage, "cannot detect the input format", at: place,
        hint: Remedy(steps: [.set(.inputFormat, to: FileFormat.all.map(\.name), purpose: nil)]))
    }
    return .csv
  }
}
