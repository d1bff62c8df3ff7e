public import Rows

/// The beginning of a file.
public struct FileSample: Sendable {
  let name: String
  /// Its first bytes, decompressed.
  public let bytes: [UInt8]
  /// Whether they are all there is, and whether the name says that tabs separate the fields.
  public let isWhole: Bool, isTabbed: Bool

  /// Creates the beginning of a file.
  public init(name: String, bytes: [UInt8], isWhole: Bool, isTabbed: Bool) {
    self.name = name
    self.bytes = bytes
    self.isWhole = isWhole
    self.isTabbed = isTabbed
  }

  /// The columns and their types, as they are read with repair.
  public func input(_ options: DialectOptions) throws(Problem) -> CSVInput {
    var options = options
    options.repairs = true
    // The types of a file that is longer show in its first lines.
    let lines = isWhole ? nil : bytes.prefix(DialectSniffer.firstLook).lastIndex(of: 0x0A)
    return try CSVInput(
      MemoryByteSource(lines.map { Array(bytes[...$0]) } ?? bytes, name: name), sample: bytes.span, isWhole: isWhole,
      options, isTabbed: isTabbed, maximumField: 16 << 20, log: nil)
  }
}

/// A source whose file can be sampled.
public protocol SampledFile: Sendable {
  var formatName: String { get }
  /// Facts about the columns in the file: their names, and the values by column; nil if there are none.
  func columnDetails() throws(Problem) -> (names: [(name: String, type: ColumnType)], values: [String: [Value]])?
  /// The first bytes of the file, at most `count`; nil for a file that is not CSV.
  func sample(_ count: Int) throws(Problem) -> FileSample?
}
