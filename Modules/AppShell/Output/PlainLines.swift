import CommandLineKit
import Domain
import Query
import Rows

/// One record per line, values separated by tabs, for `cut` and `while read`: no header, nothing for null, and `\n`,
/// `\t`, `\\`, `\x1b` for characters that a line cannot contain or that control a terminal.
struct PlainLines: ByteFormat {
  /// `plain`.
  let descriptor = ExporterDescriptor(
    "plain", fileExtensions: [], mediaType: "text/plain; charset=utf-8", summary: "One record per line, tab-separated",
    isExact: false)

  func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder { Encoder() }

  private struct Encoder: RowEncoder {
    func begin(_ out: inout ByteBuffer) {}
    func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
      for row in 0..<batch.count {
        for column in 0..<batch.width {
          if column > 0 { out.append(byte: UInt8(ascii: "\t")) }
          switch batch.value(row, column) {
          case .null: break
          case .text(let bytes), .json(let bytes), .number(let bytes): Self.append(bytes, &out)
          case let value: out.append(StoredKey([value]).text)
          }
        }
        out.append(byte: UInt8(ascii: "\n"))
      }
      return EncodedPart(rows: batch.count)
    }
    func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}

    private static func append(_ bytes: [UInt8], _ out: inout ByteBuffer) {
      // Byte by byte: a line feed after a carriage return, or before a combining accent, is not a Character of its own.
      var line: [UInt8] = []
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "\\"): line += "\\\\".utf8
        case UInt8(ascii: "\t"): line += "\\t".utf8
        case UInt8(ascii: "\n"): line += "\\n".utf8
        default: line.append(byte)
        }
      }
      out.append(Terminal.safe(String(decoding: line, as: UTF8.self)))
    }
  }
}
