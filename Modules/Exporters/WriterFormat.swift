public import Domain
public import Rows

/// A format that a writer of rows makes: a description, and a factory of encoders.
public struct WriterFormat: ByteFormat {
  /// The name and the capabilities of the format.
  public let descriptor: ExporterDescriptor
  private let measured: (@Sendable (_ options: ExportOptions) -> ExporterDescriptor.Measuring)?
  private let make:
    @Sendable (_ schema: Schema, _ options: ExportOptions, _ layout: ColumnMetrics) throws(Problem) -> any RowEncoder

  init(
    _ descriptor: ExporterDescriptor, measuring: (@Sendable (ExportOptions) -> ExporterDescriptor.Measuring)? = nil,
    _ make: @escaping @Sendable (Schema, ExportOptions, ColumnMetrics) throws(Problem) -> any RowEncoder
  ) { (self.descriptor, measured, self.make) = (descriptor, measuring, make) }

  /// The rows that are measured.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring {
    measured?(options) ?? descriptor.measuring
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder { try make(schema, options, layout) }
}

struct WriterEncoder: RowEncoder {
  typealias Text = @Sendable (inout ByteBuffer) throws(Problem) -> Void
  let separator: StaticString
  private let start: Text?
  private let write: @Sendable (RowBatch, inout ByteBuffer) throws(Problem) -> Int
  private let end: @Sendable (_ isEmpty: Bool, inout ByteBuffer) throws(Problem) -> Void
  private let report: @Sendable (_ count: Int) -> Warning?

  /// - Parameters:
  ///   - replacement: what is shown for control characters.
  ///   - warning: the warning about cells that `write` reports; nil for one about control characters.
  ///   - write: writes the rows of a batch; returns the number of cells to be reported.
  init(
    separator: StaticString = "", begin: Text? = nil, replacement: String = Self.inMarkup,
    warning: (@Sendable (Int) -> Warning?)? = nil,
    end: @escaping @Sendable (Bool, inout ByteBuffer) throws(Problem) -> Void = { (_, _) in },
    write: @escaping @Sendable (RowBatch, inout ByteBuffer) throws(Problem) -> Int
  ) {
    (self.separator, start, self.write, self.end) = (separator, begin, write, end)
    report = warning ?? { Self.controls($0, shownAs: replacement) }
  }

  static let inMarkup = "U+FFFD (carriage returns as line breaks)", inText = "Unicode control pictures"

  func begin(_ out: inout ByteBuffer) throws(Problem) { try start?(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: try write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) { try end(all.rows == 0, &out) }
  func warning(_ all: EncodedPart) -> Warning? { report(all.reportedCells) }

  /// The warning about cells with control characters; nil if there are none.
  static func controls(_ count: Int, shownAs replacement: String) -> Warning? {
    count == 0 ? nil : Warning("\(counted(count, "cell")) with control characters, shown as \(replacement)")
  }
}

/// `1 cell`, `3 cells`.
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
