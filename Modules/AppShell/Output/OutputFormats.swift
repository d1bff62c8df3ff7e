import Codecs
import Domain
import Rows

/// Decides in which format each output is written: `-o FILE…`, `-f FORMAT`.
struct OutputFormats {
  private let named: (any Exporter)?
  private let fallback: any Exporter
  private let exporters: [any Exporter]
  private let own: (_ location: Location) throws(Problem) -> (any Exporter)?

  /// - Parameters:
  ///   - named: the format of `-f`; nil if it was not given.
  ///   - fallback: the default format of standard output and of files without an extension.
  ///   - exporters: all formats, for suggestions.
  ///   - own: the format of a table, or of a path's extension; nil if there is none.
  init(
    named: (any Exporter)?, fallback: any Exporter, exporters: [any Exporter],
    own: @escaping (_ location: Location) throws(Problem) -> (any Exporter)?
  ) {
    self.named = named
    self.fallback = fallback
    self.exporters = exporters
    self.own = own
  }

  /// The format of each location; `-` is standard output.
  /// - Throws: `usage` for an empty path, a duplicate path, an unknown extension, and a `-f` that no output uses.
  func choose(for locations: [Location]) throws(Problem) -> [(location: Location, exporter: any Exporter)] {
    var chosen: [(location: Location, exporter: any Exporter)] = []
    for location in locations {
      guard !location.text.isEmpty else {
        throw Problem(.usage, "missing file name after -o", hint: "use - for standard output")
      }
      let exporter = try exporter(for: location)
      guard !chosen.contains(where: { $0.location == location }) else {
        throw Problem(.usage, "duplicate output -o \(location.shown)")
      }
      chosen.append((location, exporter))
    }
    // An option without effect is an error: `-f json -o out.txt` would write a table.
    if let named = named?.descriptor.name, let first = chosen.first,
      !chosen.contains(where: { $0.exporter.descriptor.name == named })
    {
      throw Problem(
        .usage,
        first.exporter.table.map { "-f \(named) does not apply to \($0.name)" }
          ?? "the extension of \(first.location.shown) means \(first.exporter.descriptor.name), but -f is \(named)",
        hint: "remove -f, or change the extension")
    }
    return chosen
  }

  private func exporter(for location: Location) throws(Problem) -> any Exporter {
    let path = location.text
    if let named, Self.form(of: location, by: named.descriptor) != nil { return named }
    if let named, named.descriptor.describesRows, path.hasSuffix(".json") { return named }
    if path != "-", let exporter = try own(location) { return exporter }
    if let named { return named }
    if path == "-" || path.hasPrefix("/dev/") { return fallback }
    let (plain, compression) = FileCompression.split(path)
    guard Self.hasSuffix(plain) else {
      let isFormat = exporters.contains { $0.descriptor.name == path }
      var isDirectory = false
      do throws(Problem) { _ = try location.place.check(replaces: true) } catch {
        isDirectory = error.message == "is a directory"
      }
      if isDirectory {
        throw Problem(
          .usage, "-o \(location.shown) is a directory",
          hint: "use -o \(path)/ for a file of each table, or name a file: -o \(path)/FILE.csv")
      }
      let example = compression == nil ? ".csv" : ".csv.gz"
      throw Problem(
        .usage, "missing format of “\(location.shown)”",
        hint: isFormat
          ? "use -f \(path), or add an extension: -o FILE.\(path)" : "add -f FORMAT, or an extension such as \(example)"
      )
    }
    let suffix = String(plain[plain.index(after: plain.lastIndex(of: ".") ?? plain.startIndex)...])
    let near = SpellingSuggestion.word(to: suffix, among: exporters.flatMap(\.descriptor.fileExtensions)).map {
      Remedy.advice("did you mean .\($0)?")
    }
    let isZipped = ["gzip", "z", "zstd"].contains(suffix.lowercased())
    throw Problem(
      .usage, "unknown file extension: “\(location.shown)”",
      hint: isZipped ? "did you mean .\(suffix.lowercased() == "zstd" ? "zst" : "gz")?" : near ?? .set(.outputFormat))
  }

  /// The form in which a format draws a file, by the extension; nil for formats with one form, and other extensions.
  static func form(of location: Location, by format: ExporterDescriptor) -> String? {
    guard !location.isTable, location.text != "-" else { return nil }
    let path = FileCompression.split(location.text).path.lowercased()
    guard let word = format.drawings.first(where: { path.hasSuffix("." + $0) }) else { return nil }
    return word == "htm" ? "html" : word == "txt" ? "text" : word
  }

  private static func hasSuffix(_ path: String) -> Bool {
    path.split(separator: "/").last?.dropFirst().contains(".") ?? false
  }
}
