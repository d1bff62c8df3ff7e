import Codecs
import Domain
import Rows

/// Decides in which format each output is written: `-o FILE…`, `-f FORMAT`.
struct OutputFormats {
  private let named: (any Exporter)?
  private let fallback: any Exporter
  private let exporters: [any Exporter]
  private let forPath: (_ path: String) throws(Problem) -> (any Exporter)?

  /// - Parameters:
  ///   - named: the format of `-f`; nil if it was not given.
  ///   - fallback: the default format of standard output and of files without an extension.
  ///   - exporters: all formats, for suggestions.
  ///   - forPath: the format of a path's extension; nil if there is none.
  init(
    named: (any Exporter)?, fallback: any Exporter, exporters: [any Exporter],
    forPath: @escaping (_ path: String) throws(Problem) -> (any Exporter)?
  ) {
    self.named = named
    self.fallback = fallback
    self.exporters = exporters
    self.forPath = forPath
  }

  /// The format of each path; `-` is standard output, and so is an empty list.
  /// - Throws: `usage` for an empty path, a duplicate path, an unknown extension, and a `-f` that no output uses.
  func choose(for paths: [String]) throws(Problem) -> [(path: String, exporter: any Exporter)] {
    var chosen: [(path: String, exporter: any Exporter)] = []
    for path in paths.isEmpty ? ["-"] : paths {
      guard !path.isEmpty else {
        throw Problem(.usage, "missing file name after -o", hint: "use - for standard output")
      }
      let exporter = try exporter(for: path)
      guard !chosen.contains(where: { $0.path == path }) else {
        throw Problem(.usage, "duplicate output -o \(exporter.table?.name ?? path)")
      }
      chosen.append((path, exporter))
    }
    // An option without effect is an error: `-f json -o out.txt` would write a table.
    if let named = named?.descriptor.name, let first = chosen.first,
      !chosen.contains(where: { $0.exporter.descriptor.name == named })
    {
      throw Problem(
        .usage,
        first.exporter.table.map { "-f \(named) does not apply to \($0.name)" }
          ?? "the extension of \(first.path) means \(first.exporter.descriptor.name), but -f is \(named)",
        hint: "remove -f, or change the extension")
    }
    return chosen
  }

  private func exporter(for path: String) throws(Problem) -> any Exporter {
    if path != "-", let exporter = try forPath(path) { return exporter }
    if let named { return named }
    if path == "-" || path.hasPrefix("/dev/") { return fallback }
    let (plain, compression) = FileCompression.split(path)
    guard Self.hasSuffix(plain) else {
      let isFormat = exporters.contains { $0.descriptor.name == path }
      let example = compression == nil ? ".csv" : ".csv.gz"
      throw Problem(
        .usage, "missing format of “\(path)”",
        hint: isFormat
          ? "use -f \(path), or add an extension: -o FILE.\(path)" : "add -f FORMAT, or an extension such as \(example)"
      )
    }
    let suffix = String(plain[plain.index(after: plain.lastIndex(of: ".") ?? plain.startIndex)...])
    let near = SpellingSuggestion.word(to: suffix, among: exporters.flatMap(\.descriptor.fileExtensions)).map {
      Remedy.advice("did you mean .\($0)?")
    }
    throw Problem(
      .usage, "unknown file extension: “\(path)”",
      hint: near ?? .set(.outputFormat))
  }

  private static func hasSuffix(_ path: String) -> Bool {
    path.split(separator: "/").last?.dropFirst().contains(".") ?? false
  }
}
