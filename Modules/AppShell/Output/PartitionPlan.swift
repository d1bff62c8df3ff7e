import Codecs
import CommandLineKit
import Domain
import Lake
import Rows

/// The placeholders of an output's path, and whether earlier files are replaced.
struct PartitionPlan: Sendable {
  let pattern: PathPattern
  private let place: any Place
  private let existing: ExistingFiles
  private let maximumRows: Int
  private let completeBytes: Int
  private let date: String

  /// The options that limit files.
  static let options = PlaceOptions(
    "split", "{n}", "Files of limited size: -o 'part-{n}.csv'",
    [
      ExporterDescriptor.Option("rows", "N", "The most rows of a file"),
      ExporterDescriptor.Option("bytes", "SIZE", "The size from which on a file is complete, for example 512MiB"),
    ])
  private static let prefix = options.name + "."

  /// The assignments of `--option` that are for formats.
  static func formatOptions(_ assignments: [String]) -> [String] {
    assignments.filter { !$0.hasPrefix(prefix) && !$0.hasPrefix(ObjectOptions.prefix) }
  }

  /// Reads the options; nil for outputs without placeholders.
  /// - Throws: `usage` for placeholders in one of several outputs, and for options that require or exclude them.
  init?(_ invocation: Invocation, _ services: AppServices) throws(Problem) {
    let paths = try invocation.locations(OutputOptions.output)
    var patterns: [PathPattern] = []
    for path in paths where !path.isTable {
      if let pattern = try PathPattern(path.text) { patterns.append(pattern) }
    }
    let limits = invocation.all(OutputOptions.formatOption).filter { $0.hasPrefix(Self.prefix) }
    guard let pattern = patterns.first else {
      if let limit = limits.first {
        throw Problem(.usage, "--option \(limit) requires {n} in the path of the output", hint: "use -o 'part-{n}.csv'")
      }
      return nil
    }
    guard paths.count == 1 else {
      throw Problem(.usage, "an output with placeholders must be the only one", hint: "run one command per output")
    }
    for option in [OutputOptions.csvw, OutputOptions.dataPackage, OutputOptions.imageDirectory]
    where invocation.has(option) {
      throw Problem(.usage, "--\(option.name) cannot be used with placeholders in -o")
    }
    self.pattern = pattern
    let action = invocation[OutputOptions.existing] ?? ExistingFiles.refuse.rawValue
    guard let existing = ExistingFiles(rawValue: action) else {
      throw Problem(
        .usage, "invalid value “\(action)” for --existing",
        hint: .choose(action, from: ExistingFiles.allCases.map(\.rawValue), "available values"))
    }
    self.existing = existing
    var rows = Int.max, bytes = Int.max
    for assignment in limits {
      let pair = assignment.dropFirst(Self.prefix.count).split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2, Self.options.options.contains(where: { $0.key == pair[0] }),
        let number = Self.number(pair[1])
      else {
        throw Problem(
          .usage, "invalid option “\(assignment)”", hint: "use split.rows=N or split.bytes=SIZE, for example 512MiB")
      }
      if pair[0] == "rows" { rows = number } else { bytes = number }
    }
    guard limits.isEmpty || pattern.isNumbered else {
      throw Problem(.usage, "--option \(limits[0]) requires {n} in the path of the output")
    }
    (maximumRows, completeBytes) = (rows, bytes)
    date = String(try services.writtenTime().now().timestamp.prefix(10))
    // Found before anything is read.
    place = paths[0].place
    _ = try place.files(existing: existing)
  }

  /// Whether there are files of an earlier export.
  func haveFiles() async throws(Problem) -> Bool {
    try await place.files(existing: .append).hasEarlier()
  }

  /// A number, also with a unit of bytes; nil for anything else and for 0.
  private static func number(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units = ["": 0, "k": 10, "kib": 10, "m": 20, "mib": 20, "g": 30, "gib": 30]
    guard let number = Int(digits), number > 0, number < 1 << 32,
      let shift = units[text.dropFirst(digits.count).lowercased()]
    else { return nil }
    return number << shift
  }

  /// The sink that writes the files of a target.
  /// - Parameter counted: counts the bytes of each file.
  func sink(
    for schema: Schema, of target: OutputTarget, _ services: AppServices, threads: Int,
    counted: @escaping @Sendable (_ sink: any ByteSink, _ path: String) -> any ByteSink
  ) async throws(Problem) -> any RowSink {
    let pattern = self.pattern, place = self.place, existing = self.existing, compression = target.compression
    var configuration = PartitionSink.Configuration(target.exporter, target.options) { () throws(Problem) in
      try place.files(existing: existing)
    }
    configuration.maximumRows = maximumRows
    configuration.completeBytes = completeBytes
    configuration.date = date
    configuration.threads = threads
    configuration.wrap = { (sink, path) throws(Problem) in
      let counted = counted(sink, path)
      guard let compression else { return counted }
      return try CompressingSink(counted, compression, threads: threads)
    }
    return try await PartitionSink(schema, to: pattern, configuration)
  }
}
