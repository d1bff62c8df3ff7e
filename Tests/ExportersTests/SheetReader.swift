import Codecs
import Conformance
import Documents
import Rows

/// Reads the rows of a sheet of a spreadsheet back.
enum SheetReader {
  static func rows(_ document: [UInt8], _ schema: Schema) throws -> [[Value]] {
    let sheet = document.firstIndex(of: 0).map { Array(document[..<$0]) } ?? document
    let rows = try XMLElement.document(sheet, name: "sheet").all("row")
    guard let head = rows.first, head.elements.map(text) == schema.columns.map(\.name) else {
      throw LawViolation("the first row does not name the columns")
    }
    return rows.dropFirst().map { row in zip(row.elements, schema.columns).map { value(of: $0, $1.type) } }
  }

  private static func value(of cell: XMLElement, _ type: ColumnType) -> Value {
    switch cell.attributes["t"] {
    case "b":
      let truth = cell.text(of: "v") == "1"
      return type == .json ? .json(Array(String(truth).utf8)) : .boolean(truth)
    case "inlineStr":
      let bytes = Array(text(cell).utf8)
      switch type {
      case .json: return .json(JSONByValue.canonical(bytes))
      case .list: return .json(bytes)
      case .bytes: return Base64.decode(bytes).map(Value.bytes) ?? .text(bytes)
      case .integer, .real, .decimal: return .number(bytes)
      default: return .text(bytes)
      }
    default:
      guard let number = cell.text(of: "v") else { return .null }
      if type == .json { return .json(Array(number.utf8)) }
      if let style = cell.attributes["s"], style == "18" || style == "20", let days = Double(number) {
        // A local time has no Z.
        let text = Dates.timestamp(epochSeconds: Int64(((days - 25_569) * 86_400).rounded())) ?? []
        return .text(style == "20" ? Array(text.dropLast()) : text)
      }
      guard cell.attributes["s"] == "2", let day = Int64(number) else { return .number(Array(number.utf8)) }
      return .text(Array((Dates.timestamp(epochSeconds: (day - 25_569) * 86_400) ?? []).prefix(10)))
    }
  }

  /// The text of a cell, `_x0041_` undone.
  private static func text(_ cell: XMLElement) -> String {
    var rest = (cell["is"]?["t"]?.text ?? "").unicodeScalars[...]
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      let escape = rest.prefix(6)
      if scalar == "_", escape.first == "x", escape.count == 6, escape.last == "_",
        let value = UInt32(String(escape.dropFirst().dropLast()), radix: 16), let meant = Unicode.Scalar(value)
      {
        text.append(meant)
        rest = rest.dropFirst(6)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }
}
