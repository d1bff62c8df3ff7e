import Codecs
import Rows

extension DocumentFormat {
  /// Messages of the Singer specification.
  public static let singer = DocumentFormat("singer", ["singer"], SingerDocument.self)
}

/// The records of messages of the Singer specification; each stream is a table.
struct SingerDocument: TableDocument {
  static let isInterleaved = true, isText = false
  private var text: DocumentText
  /// The stream of the current run of records, and its first record.
  private var stream: String?
  private var pending: (stream: String, record: JSON)?

  init(_ source: any ByteSource, limit: Int) throws(Problem) { text = try DocumentText(source, limit: limit) }

  mutating func nextTable() throws(Problem) -> String? {
    while try nextRecord() != nil {}
    if let pending { stream = pending.stream } else { stream = try nextMessage() }
    return stream
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    guard let stream else { return nil }
    if pending == nil { _ = try nextMessage() }
    guard let (name, record) = pending, name == stream else {
      self.stream = nil
      return nil
    }
    pending = nil
    return .object(record)
  }

  /// Reads up to the next record, which is pending then; returns its stream, nil at the end.
  private mutating func nextMessage() throws(Problem) -> String? {
    while true {
      let line = text.line
      guard let source = try text.nextLine() else { return nil }
      if source.trimmed.isEmpty { continue }
      let message = try JSON.parse(source, name: "\(text.name):\(line)")
      guard let type = message["type"]?.stringValue else {
        throw text.problem("expected a message of Singer, with a type", line: line)
      }
      guard type == "RECORD" else { continue }
      guard let stream = message["stream"]?.stringValue, let record = message["record"], case .object = record else {
        throw text.problem("expected a RECORD message with a stream and a record", line: line)
      }
      pending = (stream, record)
      return stream
    }
  }
}
