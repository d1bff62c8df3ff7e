public import Domain
public import Rows

/// Decides in which format each output is written: `-o FILE…`, `-f FORMAT`.
public struct OutputFormats {
  private let named: (any Exporter)?
  private let fallback: any Exporter
  private let exporters: [any Exporter]
  private let forPath: (_ path: String) throws(Problem) -> (any Exporter)?

  /// - Parameters:
  ///   - named: the format of `-f`; nil when it was not given.
  ///   - fallback: the format of standard output and of files without a suffix when nothing else is said.
  ///   - exporters: every format, for advice.
  ///   - forPath: the format of a path's suffix; nil when no format has it.
  public init(
    named: (any Exporter)?, fallback: any Exporter, exporters: [any Exporter],
    forPath: @escaping (_ path: String) throws(Problem) -> (any Exporter)?
  ) {
    self.named = named
    self.fallback = fallback
    self.exporters = exporters
    self.forPath = forPath
  }

  /// The format of each path; `-` is standard output, and so is no path at all.
  /// - Throws: `usage` for an empty path, one that comes twice, a suffix that no format has, and a format that no output would be written in.
  public func choose(for paths: [String]) throws(Problem) -> [(path: String, exporter: any Exporter)] {
    var chosen: [(path: String, exporter: any Exporter)] = []
    for path in paths.isEmpty ? ["-"] : paths {
      guard !path.isEmpty else { throw Problem(.usage, "-o needs the name of a file", hint: "- is standard output") }
      guard !chosen.contains(where: { $0.path == path }) else { throw Problem(.usage, "-o \(path) is given twice") }
      chosen.append((path, try exporter(for: path)))
    }
    // What is said and would count for nothing is a mistake: who says json does not want the table of `out.txt`.
    if let named = named?.descriptor.name, let first = chosen.first,
      !chosen.contains(where: { $0.exporter.descriptor.name == named })
    {
      throw Problem(
        .usage, "\(first.path) is \(first.exporter.descriptor.name) by its suffix, not \(named)",
        hint: "leave -f out, or choose another suffix")
    }
    return chosen
  }

  private func exporter(for path: String) throws(Problem) -> any Exporter {
    if path != "-", let exporter = try forPath(path) { return exporter }
    if let named { return named }
    if path == "-" || !Self.hasSuffix(path) { return fallback }
    let suffix = String(path[path.index(after: path.lastIndex(of: ".") ?? path.startIndex)...])
    let near = Nearest.word(to: suffix, among: exporters.flatMap(\.descriptor.fileExtensions)).map {
      "did you mean .\($0)? else say the format: -f FORMAT"
    }
    throw Problem(.usage, "no format has the suffix of “\(path)”", hint: near ?? "say the format: -f FORMAT")
  }

  private static func hasSuffix(_ path: String) -> Bool {
    path.split(separator: "/").last?.dropFirst().contains(".") ?? false
  }
}
