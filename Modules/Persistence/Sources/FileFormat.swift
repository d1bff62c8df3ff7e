public import Domain

/// A format that tables are read from.
public enum FileFormat: String, Sendable, Hashable, CaseIterable {
  /// Fields separated by commas.
  case csv
  /// Fields separated by tabs.
  case tsv
  /// A JSON array of objects.
  case json
  /// One JSON object a line.
  case ndjson
  /// An SQLite database.
  case sqlite

  /// Suffixes that choose it, in small letters.
  public var suffixes: [String] {
    switch self {
    case .csv: ["csv"]
    case .tsv: ["tsv", "tab"]
    case .json: ["json"]
    case .ndjson: ["ndjson", "jsonl"]
    case .sqlite: ["db", "sqlite", "sqlite3", "db3"]
    }
  }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest name.
  public init(named name: String) throws(Problem) {
    guard let format = Self(rawValue: name) ?? Self(suffix: name) else {
      let names = Self.allCases.map(\.rawValue)
      let near = Nearest.word(to: name, among: names).map { "did you mean \($0)?" }
      throw Problem(
        .usage, "no format “\(name)” to read", hint: near ?? "there are: \(names.joined(separator: ", "))")
    }
    self = format
  }

  /// The format of a suffix; nil when no format has it.
  init?(suffix: String) {
    guard let format = Self.allCases.first(where: { $0.suffixes.contains(suffix.lowercased()) }) else { return nil }
    self = format
  }

  /// What the first bytes of a file look like; nil when they could be anything.
  init?(beginning bytes: [UInt8]) {
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      self = .sqlite
      return
    }
    var text = bytes[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    switch text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
    case UInt8(ascii: "["): self = .json
    case UInt8(ascii: "{"): self = .ndjson
    default: return nil
    }
  }
}
