package import Rows

extension Setting {
  package static let invalidUTF8 = Setting("input.invalidUTF8")
  package static let maximumField = Setting("input.maximumField")
  package static let inputFormat = Setting("input.format")
  package static let columnTypes = Setting("input.types")
  package static let recordsPointer = Setting("json.records")
  package static let inputDelimiter = Setting("csv.delimiter")
  package static let inputEncoding = Setting("input.encoding")
  package static let repair = Setting("csv.repair")
  package static let tableNumber = Setting("csv.table")
  package static let raggedRows = Setting("csv.ragged")
  package static let inputNull = Setting("input.null")
  package static let decimalSeparator = Setting("input.decimalSeparator")
  package static let thousands = Setting("input.thousands")
  package static let strictQuotes = Setting("csv.strictQuotes")
  package static let inputQuote = Setting("csv.quote")
  package static let linesAsRecords = Setting("csv.linesAsRecords")
  package static let emptyFields = Setting("csv.emptyFields")

  package static let columns = Setting("selection.columns")
  package static let conditions = Setting("selection.conditions")
  package static let countBy = Setting("selection.countBy")
  package static let grouping = Setting("selection.grouping")
  package static let limit = Setting("selection.limit")

  package static let outputFormat = Setting("output.format")
  /// An option of an output format: `nonfinite`, or `sql.dialect` with the format.
  package static func formatOption(_ key: String) -> Setting { Setting(formatOptionPrefix + key) }
  package static let formatOptions = Setting("output.options")
  /// The beginning of the names of format options.
  package static let formatOptionPrefix = "output.option."
}

extension Remedy {
  /// The hint at repair.
  package static let repairing = Remedy.set(.repair, for: "read it and list what changed")
}
