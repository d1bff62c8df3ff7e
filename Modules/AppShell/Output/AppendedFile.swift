import Codecs
import Dialects
import Domain
import Query
import Rows

/// A file that rows are added to, which keeps its header and its dialect.
struct AppendedFile {
  private let name: String
  /// The columns of the header.
  private let columns: [String]

  /// Prepares the output that rows are added to; nil if any columns can be added.
  init?(preparing targets: inout [OutputTarget], _ services: AppServices) async throws(Problem) {
    guard let position = targets.firstIndex(where: \.isAppended), targets[position].location.place.isFile else {
      return nil
    }
    let target = targets[position]
    if target.compression != nil {
      throw Problem(.usage, "cannot append to a compressed file", at: target.name, hint: "decompress it first")
    }
    let source = try await services.sources.open(.file(target.location, FileInputOptions()))
    guard let sample = try (source as? any SampledFile)?.sample(DialectSniffer.sampleSize) else { return nil }
    // An empty file gets a header.
    if sample.bytes.isEmpty { return nil }
    let input = try sample.input(DialectOptions())
    let file = Remedy.shellWord(target.path)
    guard String(validating: sample.bytes.prefix { $0 != 10 }, as: UTF8.self) != nil, input.encoding.encoding == .utf8
    else {
      throw Problem(
        .usage, "cannot append to a file that is not UTF-8", at: target.name,
        hint: "convert it first: bb-export \(file) --from-encoding windows-1252 -o \(file) --existing replace")
    }
    guard input.hasHeader else {
      throw Problem(
        .usage, "cannot append to a file without a header", at: target.name,
        hint: "write another file, and read both: bb-export A.csv B.csv -o C.csv")
    }
    name = target.name
    columns = try await source.rows(of: try await source.mainTable() ?? "", RowRequest()).schema.columns.map(\.name)
    targets[position].options.values["headers"] = "no"
    if sample.bytes.prefix(sample.bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0).last == UInt8(ascii: "\r") {
      targets[position].options.values["line-ending"] = "crlf"
    }
    if input.delimiter != UInt8(ascii: "\t") {
      targets[position].options.values["delimiter"] = String(decoding: [input.delimiter], as: UTF8.self)
    }
  }

  /// The rows with their columns in the order of the header.
  func ordered(_ rows: any RowStream) throws(Problem) -> any RowStream {
    let own = rows.schema.columns.map(\.name)
    if own == columns { return rows }
    for (column, others, subject) in own.map({ ($0, columns, "the file") }) + columns.map({ ($0, own, "the input") })
    where !others.contains(column) {
      let common = columns.filter(own.contains)
      throw Problem(
        .usage, "\(subject) has no column “\(column)”", at: name,
        hint: common.isEmpty
          ? .set(.existingOutput, to: "replace")
          : .set(.columns, to: common.map(NameListParser.written).joined(separator: ",")))
    }
    var order = Selection()
    order.columns = columns
    return try order.apply(to: rows, scratch: NoScratch())
  }
}
