import Codecs
import Rows

extension DocumentFormat {
  /// Messages of the Singer specification.
  public static let singer = DocumentFormat("singer", ["singer"], SingerDocument.self)
}

/// The records of messages of the Singer specification; each stream is a table.
struct SingerDocument: MixedDocument {
  static let isInterleaved = true, isText = false
  private var text: DocumentText
  var table: String?
  var pending: (table: String, record: DocumentRecord)?

  init(_ source: any ByteSource, limit: Int) throws(Problem) { text = try DocumentText(source, limit: limit) }

  mutating func read() throws(Problem) {
    while true {
      let line = text.line
      guard let source = try text.nextLine() else { return }
      if source.trimmed.isEmpty { continue }
      let message = try JSON.parse(source, name: "\(text.name):\(line)")
      guard let type = message["type"]?.stringValue else {
        throw text.problem("expected a message of Singer, with a type", line: line)
      }
      guard type == "RECORD" else { continue }
      guard let stream = message["stream"]?.stringValue, let record = message["record"], case .object = record else {
        throw text.problem("expected a RECORD message with a stream and a record", line: line)
      }
      return pending = (stream, .object(record))
    }
  }
}
