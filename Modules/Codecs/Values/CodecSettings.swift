public import Rows

extension Setting {
  /// The policy for bytes that are not UTF-8.
  public static let invalidUTF8 = Setting("input.invalidUTF8")
  /// The size limit of a value.
  public static let maximumField = Setting("input.maximumField")
  /// The format of the input.
  public static let inputFormat = Setting("input.format")
  /// The types of columns that are not inferred.
  public static let columnTypes = Setting("input.types")
  /// The place of the records in a JSON document.
  public static let recordsPointer = Setting("json.records")
  /// The field delimiter of CSV input.
  public static let inputDelimiter = Setting("csv.delimiter")
  /// Whether damaged CSV input is repaired.
  public static let repair = Setting("csv.repair")
  /// What happens to records of CSV input that are not as wide as the header.
  public static let raggedRows = Setting("csv.ragged")
  /// The text that means null in the input.
  public static let inputNull = Setting("input.null")
  /// The text before the fraction of numbers in the input.
  public static let decimalSeparator = Setting("input.decimalSeparator")
  /// The text between groups of digits of numbers in the input.
  public static let thousands = Setting("input.thousands")
  /// Whether a quote inside an unquoted field of CSV is an error.
  public static let strictQuotes = Setting("csv.strictQuotes")
  /// Whether each line of a CSV file is a record.
  public static let linesAsRecords = Setting("csv.linesAsRecords")
  /// Whether an empty field of CSV means null or the empty text.
  public static let emptyFields = Setting("csv.emptyFields")

  /// The columns that are written.
  public static let columns = Setting("selection.columns")
  /// The conditions that all rows match.
  public static let conditions = Setting("selection.conditions")
  /// The columns whose values are counted.
  public static let countBy = Setting("selection.countBy")
  /// The columns by which rows are grouped.
  public static let grouping = Setting("selection.grouping")
  /// The greatest number of rows.
  public static let limit = Setting("selection.limit")

  /// The output format.
  public static let outputFormat = Setting("output.format")
  /// An option of an output format: `nonfinite`, or `sql.dialect` with the format.
  public static func formatOption(_ key: String) -> Setting { Setting(formatOptionPrefix + key) }
  /// The options of output formats.
  public static let formatOptions = Setting("output.options")
  /// The beginning of the names of format options.
  public static let formatOptionPrefix = "output.option."
}
