import Codecs
import CommandLineKit
import Domain
import Rows

/// An output: a file or standard output, its format, and the options of the format.
struct OutputTarget: Sendable {
  /// Where it is; `-` is standard output.
  let location: Location
  /// The path, or the table in messages.
  let path: String
  let exporter: any Exporter
  var options: ExportOptions
  /// The compression of the output; nil for none.
  let compression: FileCompression?
  /// Whether it describes the columns of other outputs.
  var isMetadata = false

  init(
    _ location: Location, path: String? = nil, exporter: any Exporter, options: ExportOptions,
    compression: FileCompression? = nil, isMetadata: Bool = false
  ) {
    self.location = location
    self.path = path ?? location.text
    self.exporter = exporter
    self.options = options
    self.compression = compression
    self.isMetadata = isMetadata
  }

  var isServer: Bool { exporter.table != nil }
  /// Whether it is a table that takes the states of stored tables.
  var takesStates: Bool { exporter.table?.excludedFromStates != nil }
  var isFile: Bool { path != "-" && !isServer }
  /// Whether rows are added to a text file.
  var isAppended: Bool { isFile && options.existing == .append && exporter.descriptor.name != "sqlite" }
  var name: String { path == "-" ? "standard output" : isServer ? path : location.shown }
  /// The directory with a trailing slash; empty for the current one.
  private var directory: String { path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "" }
  /// The columns that options of the format name.
  var columns: [String] {
    exporter.descriptor.options.filter(\.namesColumns).flatMap { option in
      (options.values[option.key] ?? "").split { $0 == "+" || $0 == "," }.map { $0.prefix { $0 != ":" }.description }
    }
  }
  func use(isHeldBack: Bool, isPaged: Bool) -> TerminalUse {
    var use = TerminalUse(isHeldBack: isHeldBack, isPaged: isPaged)
    use.isStyled = exporter.descriptor.isStyled
    use.headerLines = exporter.descriptor.headerLines
    return use
  }
  private var described: DescribedFile {
    DescribedFile(
      name: String(Substring(path.utf8.dropFirst(directory.utf8.count))), format: exporter.descriptor, options: options)
  }

  /// The metadata files of `--csvw` and `--datapackage`, which describe the columns of `targets`.
  /// - Throws: `usage` if there is nothing to describe, or an output has the name of a metadata file.
  static func metadata(
    of targets: [OutputTarget], _ invocation: Invocation, _ exporters: any ExporterCatalogue
  ) throws(Problem) -> [OutputTarget] {
    var metadata: [OutputTarget] = []
    let files = targets.filter(\.isFile)
    if invocation.has(OutputOptions.csvw) {
      let described = files.filter { ["csv", "tsv"].contains($0.exporter.descriptor.name) }
      if described.isEmpty {
        throw Problem(.usage, "--csvw requires a CSV or TSV output file", hint: "add -o FILE.csv")
      }
      for file in described {
        let exporter = exporters.metadata(.csvw, of: [file.described])
        metadata.append(
          Self(
            try invocation.locations.location("\(file.path)-metadata.json"), exporter: exporter,
            options: ExportOptions(),
            isMetadata: true))
      }
    }
    if invocation.has(OutputOptions.dataPackage) {
      guard let directory = files.first?.directory else {
        throw Problem(.usage, "--datapackage requires an output file", hint: "add -o FILE")
      }
      if let other = files.first(where: { $0.directory != directory }) {
        throw Problem(
          .usage, "--datapackage requires all outputs in one directory, but \(other.path) is elsewhere",
          hint: "write all outputs to the same directory")
      }
      let exporter = exporters.metadata(.dataPackage, of: files.map(\.described))
      metadata.append(
        Self(
          try invocation.locations.location("\(directory)datapackage.json"), exporter: exporter,
          options: ExportOptions(),
          isMetadata: true))
    }
    for file in metadata where targets.contains(where: { $0.path == file.path }) {
      throw Problem(.usage, "-o \(file.path) would overwrite the column metadata", hint: "use a different file name")
    }
    return metadata
  }
}
