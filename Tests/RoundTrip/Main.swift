import Codecs
import Glibc
import Rows

/// Conversions for `Tools/roundtrip`, many to a process: reads requests from standard input until it ends, and writes
/// the response to each to standard output.
///
/// A request is a line of JSON with `from`, `to` (names of formats), `types` (by column), `threads` and `bytes`,
/// followed by that many bytes of text. The response is a line of JSON with `columns` (name and type) and `sizes`,
/// followed by the texts; or with `problem` and `exit`.
@main enum Main {
  static func main() async {
    var input = Input()
    do throws(Problem) {
      while let line = try input.line() {
        let request = try Request(line)
        let text = try input.bytes(request.count)
        do throws(Problem) {
          let (schema, texts) = try await request.convert(text)
          try answer(schema, texts)
        } catch {
          let problem = JSON.object([
            "problem": .string(error.description), "exit": .number(Int64(error.kind.exitCode)),
          ])
          try write(problem.canonicalBytes + [10])
        }
      }
    } catch {
      let text = Array("\(error)\n".utf8)
      _ = unsafe Glibc.write(2, text, text.count)
      exit(error.kind.exitCode)
    }
  }

  private static func answer(_ schema: Schema, _ texts: [[UInt8]]) throws(Problem) {
    let columns = schema.columns.map { JSON.array([.string($0.name), .string($0.type.name)]) }
    let sizes = texts.map { JSON.number(Int64($0.count)) }
    let head = JSON.object(["columns": .array(columns), "sizes": .array(sizes)])
    try write(head.canonicalBytes + [10] + texts.joined())
  }

  private static func write(_ bytes: [UInt8]) throws(Problem) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Problem(.io, "standard output is closed") }
      rest.removeFirst(count)
    }
  }
}

/// Standard input, in lines and counted bytes.
private struct Input {
  private var held: [UInt8] = []
  private var position = 0

  /// The next line without its line feed; nil at the end.
  mutating func line() throws(Problem) -> [UInt8]? {
    while true {
      if let end = held[position...].firstIndex(of: 10) {
        defer { position = end + 1 }
        return Array(held[position..<end])
      }
      guard read() else { return nil }
    }
  }

  /// The next `count` bytes.
  mutating func bytes(_ count: Int) throws(Problem) -> [UInt8] {
    while held.count - position < count {
      guard read() else { throw Problem(.badData, "the request is cut off") }
    }
    defer { position += count }
    return Array(held[position..<position + count])
  }

  private mutating func read() -> Bool {
    held.removeFirst(position)
    position = 0
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe Glibc.read(0, &part, part.count)
    guard count > 0 else { return false }
    held += part[..<count]
    return true
  }
}
