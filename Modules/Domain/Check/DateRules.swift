import Codecs
import Rows

extension CheckRule {
  /// Dates that are in no calendar, and times no clock showed: before 1970 no server kept any.
  static let impossibleDate = CheckRule("impossible-date", "invalid dates and times") { table, _ in
    var findings: [CheckFinding] = []
    for (position, column) in table.columns.enumerated() where column.type.isTemporal {
      for row in 0..<table.count {
        guard let text = table.texts(row, position).first, !isBlank(text),
          let fault = column.type == .date ? fault(ofDate: text) : fault(ofTime: text)
        else { continue }
        findings.append(CheckFinding(record: table.record(row), column: column.name, value: text, fault))
      }
    }
    return findings
  }

  private static func fault(ofDate text: [UInt8]) -> String? {
    guard Dates.isDate(text) else { return "not a date in the form 2013-09-29" }
    return text.lexicographicallyPrecedes("1800".utf8) || !text.lexicographicallyPrecedes("2200".utf8)
      ? "outside the years 1800 to 2199" : nil
  }

  private static func fault(ofTime text: [UInt8]) -> String? {
    guard text.count >= 20, Dates.isDate(Array(text.prefix(10))), text[10] == UInt8(ascii: "T"),
      text.last == UInt8(ascii: "Z")
    else { return "not a timestamp in the form 2013-09-29T20:00:00Z" }
    if text.lexicographicallyPrecedes("1970".utf8) { return "before 1970; the writer's clock was probably wrong" }
    return text.lexicographicallyPrecedes("2200".utf8) ? nil : "after the year 2199"
  }
}
