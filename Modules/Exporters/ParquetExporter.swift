import Codecs
public import Domain
import Parquet
public import Rows

/// Apache Parquet: columns in compressed row groups, for analytical engines.
public struct ParquetExporter: ByteFormat {
  private static let compression = ExporterDescriptor.Option(
    "compression", "CODEC",
    "Compression: zstd, zstd:LEVEL (1 to 19), snappy, gzip, lz4 or none [default: zstd; snappy without libzstd]")
  private static let rowGroup = ExporterDescriptor.Option(
    "row-group", "SIZE", "Memory of the rows that make a row group, for example 64MiB [default: 12MiB]")
  private static let pageRows = ExporterDescriptor.Option(
    "page-rows", "N", "The most rows of a page [default: 20000]")
  private static let dictionary = ExporterDescriptor.Option(
    "dictionary", "auto|never", "Write dictionaries of repeated values [default: auto]")
  private static let bloom = ExporterDescriptor.Option.columns(
    "bloom", "COLUMNS", "Columns with a bloom filter, separated by commas [default: none]")
  private static let dates = ExporterDescriptor.Option(
    "dates", "auto|native|text",
    "Dates and timestamps: with their own types if the first rows fit them (auto), always, or as text [default: auto]")
  private static let decimals = ExporterDescriptor.Option(
    "decimals", "double|exact|text",
    "Decimals: as doubles if these hold them, else as exact; as DECIMAL(38,s); or as text [default: double]")
  private static let statistics = ExporterDescriptor.Option(
    "statistics", "yes|no", "Write the bounds of pages and columns [default: yes]")

  /// The format.
  public init() {}

  /// `parquet`.
  public var descriptor: ExporterDescriptor {
    var descriptor = ExporterDescriptor(
      "parquet", fileExtensions: ["parquet"], mediaType: "application/vnd.apache.parquet",
      summary: "Apache Parquet for DuckDB, Spark, pandas and other engines", isExact: true,
      measuring: .head(rows: 10_000),
      options: [
        Self.compression, Self.rowGroup, Self.pageRows, Self.dictionary, Self.bloom, Self.dates, Self.decimals,
        Self.statistics,
      ])
    descriptor.losesBytes = false
    return descriptor
  }

  /// An encoder of row groups.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    guard schema.width > 0 else { throw Problem(.usage, "parquet: the table has no columns") }
    var parquet = ParquetOptions()
    parquet.compression = try Self.compression(options)
    try parquet.compression.load()
    parquet.pageRows = try Self.number(Self.pageRows, in: options, 1...1 << 30) ?? parquet.pageRows
    parquet.usesDictionaries = try options.choice(Self.dictionary, default: Usage.auto) == .auto
    parquet.writesStatistics = try options.flag(Self.statistics, default: true)
    parquet.dates = try options.choice(Self.dates, default: EpochTime.Storage.automatic)
    parquet.decimals = try options.choice(Self.decimals, default: ParquetOptions.Decimals.automatic)
    parquet.bloomFilters = try Self.columns(Self.bloom, in: options, of: schema)
    for (position, column) in schema.columns.enumerated() where column.type == .decimal {
      parquet.decimalSizes[position] = options.types.decimalSize(of: column.name)
    }
    let memory = try Self.size(Self.rowGroup, in: options) ?? 12 << 20
    return RowGroups(
      writer: ParquetWriter(schema, options: parquet, head: layout.head, decimals: layout.decimals), groupBytes: memory,
      nested: schema.typesWarning)
  }

  // MARK: Options

  private enum Usage: String, CaseIterable { case auto, never }

  private static func compression(_ options: ExportOptions) throws(Problem) -> PageCompression {
    guard let text = options.values[compression.key] else { return .usual }
    switch text {
    case "zstd": return .zstd(level: 1)
    case "snappy": return .snappy
    case "gzip": return .gzip
    case "lz4": return .lz4
    case "none": return .none
    default:
      let parts = text.split(separator: ":", maxSplits: 1)
      if parts.count == 2, parts[0] == "zstd", let level = Int(parts[1]), (1...19).contains(level) {
        return .zstd(level: level)
      }
      throw invalid(compression, text, "expected one of: zstd, zstd:1 … zstd:19, snappy, gzip, lz4, none")
    }
  }

  private static func number(
    _ option: ExporterDescriptor.Option, in options: ExportOptions, _ range: ClosedRange<Int>
  ) throws(Problem) -> Int? {
    guard let text = options.values[option.key] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw invalid(option, text, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number of bytes: `64MiB`, `1048576`; at least 64 KiB and at most 1 GiB.
  private static func size(_ option: ExporterDescriptor.Option, in options: ExportOptions) throws(Problem) -> Int? {
    guard let text = options.values[option.key] else { return nil }
    if let bytes = ByteSize.parse(text), (64 << 10...1 << 30).contains(bytes) { return bytes }
    throw invalid(option, text, "expected a size from 64KiB to 1GiB")
  }

  private static func columns(
    _ option: ExporterDescriptor.Option, in options: ExportOptions, of schema: Schema
  ) throws(Problem) -> [String] {
    let names = (options.values[option.key] ?? "").split(separator: ",").map(String.init)
    for name in names where schema.position(of: name) == nil {
      throw Problem(
        .usage, "option \(option.key): unknown column “\(name)”", hint: .choose(name, from: schema.columns.map(\.name)))
    }
    return names
  }

  private static func invalid(_ option: ExporterDescriptor.Option, _ text: String, _ hint: Remedy) -> Problem {
    Problem(.usage, "invalid value “\(text)” for option \(option.key)", hint: hint)
  }
}

/// Encodes row groups, and remembers in its parts what the footer needs.
private struct RowGroups: RowEncoder {
  let writer: ParquetWriter
  let groupBytes: Int
  let nested: Warning?

  func warning(_ all: EncodedPart) -> Warning? { nested }

  func begin(_ out: inout ByteBuffer) throws(Problem) { writer.begin(&out) }

  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart { try encode([batch], &out) }

  func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    var part = EncodedPart(rows: group.reduce(0) { $0 + $1.count })
    guard part.rows > 0 else { return part }
    let start = out.count
    let facts = try writer.append(group, to: &out)
    part.add(facts, byteCount: out.count - start)
    return part
  }

  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) {
    let header = ParquetWriter.headerSize
    let groups = all.records.compactMap { record in
      (record.facts as? ParquetWriter.RowGroup).map { (offset: header + record.offset, group: $0) }
    }
    writer.finish(groups, at: header + all.byteCount, &out)
  }
}
