import Codecs
package import CommandLineKit
package import Domain
package import Rows

extension FileInputOptions: OptionGroup {
  private static let reading = "Source"

  static let formatOption = Option.value(
    "from-format", "FORMAT", values: .words(FileFormat.all.map(\.name)),
    default: "from its extension or content", setting: .inputFormat, in: reading, "format of the input")
  /// The name of the input table.
  package static let tableOption = Option.value(
    "as", "NAME", default: "file name without extension", setting: .tableName, in: reading,
    "name to use for the input table")
  /// The types of columns.
  package static let typesOption = Option.value(
    "types", "COLUMN=TYPE,…", values: .list("type"), setting: .columnTypes, in: reading,
    "types of input columns, for example zip=text,price=decimal(12,2),day=date(%d.%m.%Y); money and percent read signs, "
      + "double rounds; a name may have a * for any text, as in *=text; other columns are inferred")
  /// The limits that apply to stores as well.
  package static let limits = [limitBinding, timeoutBinding].map(\.option)

  private static let limitBinding = OptionBinding.number(
    .value(
      "max-field", "MIB", default: "16", setting: .maximumField, in: reading,
      "maximum size of a field; sqlite: of a row"),
    \Self.maximumField, in: 1...1024, times: 1 << 20)
  private static let timeoutBinding = OptionBinding.number(
    .value(
      "timeout", "SECONDS", default: "30", setting: .viewTimeout, in: reading,
      "sqlite: stop a view that returns no row for this long; 0 means never"),
    \Self.timeout, in: 0...86_400)

  /// The options, in the order of the help.
  package static let bindings: [OptionBinding<Self>] =
    [
      .value(formatOption, \.format) { (text) throws(Problem) in try FileFormat(named: text) },
      .value(tableOption, \.table) { (text) throws(Problem) in
        if text.isEmpty { throw Problem(.usage, "missing name after --\(tableOption.name)") }
        return text
      },
      .value(typesOption, \.types) { (text) throws(Problem) in try columnTypes(text) },
      .value(
        .value(
          "records", "POINTER", setting: .recordsPointer, in: reading,
          "json: JSON Pointer to the array of records, for example /results"), \.records
      ) { (text) throws(Problem) in try JSONPointer(text) },
      .value(
        .value(
          "empty-as", "VALUE", values: .words(["null", "text"]), default: "null", setting: .emptyFields, in: reading,
          "how to read an unquoted empty CSV field"), \.csv.emptyIsText
      ) { (text) throws(Problem) in text == "text" },
      .value(
        .value(
          "from-null", "TEXT", repeatable: true, setting: .inputNull, in: reading,
          "csv, tsv: an unquoted field that means null, in addition to the empty one; xlsx: a text or error such as #N/A"
        ), \.nullTexts
      ) { (text) throws(Problem) in [Array(text.utf8)] },
      .value(
        .value(
          "decimal-separator", "CHAR", values: .words([".", ","]), default: ".", setting: .decimalSeparator,
          in: reading,
          "csv, tsv: what separates the fraction of numbers of the input"), \.csv.decimalSeparator
      ) { (text) throws(Problem) in text.utf8.first },
      .value(
        .value(
          "thousands", "CHAR", values: .words([",", ".", "space", "'"]), setting: .thousands, in: reading,
          "csv, tsv: what separates groups of three digits in numbers of the input"), \.csv.thousands
      ) { (text) throws(Problem) in text == "space" ? 32 : text.utf8.first },
      .flag(
        .flag(
          "strict-csv", setting: .strictQuotes, in: reading, "csv, tsv: refuse a quote inside an unquoted field"),
        \.csv.isStrict),
      .flag(
        .flag(
          "from-lines", setting: .linesAsRecords, in: reading,
          "csv, tsv with --shard: each line is a record, so that only the part is read"),
        \.csv.areLines),
      .value(
        .value(
          "encoding-errors", "POLICY", values: .words(["strict", "replace"]), default: "strict", setting: .invalidUTF8,
          in: reading, "how to handle invalid UTF-8"), \.csv.replacesBadEncoding
      ) { (text) throws(Problem) in text == "replace" },
      limitBinding, timeoutBinding,
    ] + dialectBindings

  /// Notes a setting that applies only to some formats.
  package mutating func prefer(_ setting: Setting) { preferences.insert(setting) }

  private static func columnTypes(_ text: String) throws(Problem) -> ColumnTypes {
    var types = ColumnTypes()
    let name = "--\(typesOption.name)"
    var pairs = try NameListParser.list(text, mark: "=", of: typesOption.name)[...], seen: Set<[UInt8]> = []
    while let pair = pairs.popFirst() {
      guard var word = pair.value else {
        throw Problem(
          .usage, "missing type of column “\(pair.name)” in \(name)",
          hint: pair.name.contains(":")
            ? "use \(name) \(Remedy.shellWord(pair.name.replacing(":", with: "=")))"
            : "use COLUMN=TYPE, for example zip=text")
      }
      if pair.name.contains("*") { types.addWildcard(pair.name) }
      guard seen.insert(Array(pair.name.utf8)).inserted else {
        throw Problem(.usage, "column “\(pair.name)” appears more than once in \(name)")
      }
      if let open = word.firstIndex(of: "("), let type = ColumnType(alias: String(word[..<open])), type.isTemporal {
        // A comma of the pattern separates no columns.
        while !word.hasSuffix(")"), let next = pairs.first, next.value == nil {
          word += ",\(next.name)"
          pairs = pairs.dropFirst()
        }
        let pattern = String(word[word.index(after: open)...].dropLast())
        guard word.hasSuffix(")"), DatePattern(any: pattern) != nil, !pair.name.contains("*") else {
          throw Problem(
            .usage, "invalid type “\(word)”", hint: "use a pattern such as date(%d.%m.%Y) or date(dd.MM.yyyy)")
        }
        types.set(pair.name, to: type, pattern: pattern)
        continue
      }
      if word.hasPrefix("decimal(") {
        // The comma between the digits separates no columns.
        if !word.hasSuffix(")"), let next = pairs.first, next.value == nil {
          word += ",\(next.name)"
          pairs = pairs.dropFirst()
        }
        guard let size = DecimalSize(word) else {
          throw Problem(
            .usage, "invalid type “\(word)”",
            hint: "use decimal(DIGITS,SCALE) with up to 38 digits, SCALE of them after the point")
        }
        types.set(pair.name, to: size)
        continue
      }
      if NumberPattern.Mark(rawValue: word) != nil {
        types.set(pair.name, to: .decimal, pattern: word)
        continue
      }
      if ColumnType.roundingWords.contains(word.lowercased()) {
        types.round(pair.name)
        continue
      }
      guard let type = ColumnType(alias: word) else {
        throw Problem(
          .usage, "unknown type “\(word)”",
          hint: .choose(
            word,
            from: ColumnType.allCases.map(\.name) + ["double"] + NumberPattern.Mark.allCases.map(\.rawValue),
            "available types"))
      }
      types[pair.name] = type
    }
    return types
  }
}
