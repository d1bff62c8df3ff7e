import Codecs
public import Domain
public import Rows

/// The output formats, as a list of values that help, completions, detection by extension and the conformance checks
/// read.
public struct ExporterRegistry: Sendable {
  /// The built-in formats, in the order of the help; the first is the default.
  public static let builtIn: [any Exporter] = [
    WriterFormat.markdown, CSVExporter.csv, WriterFormat.json, WriterFormat.ndjson, CSVExporter.tsv, TableExporter(),
    WriterFormat.record, HTMLExporter(), XLSXExporter(), ParquetExporter(), WriterFormat.sql, WriterFormat.yaml,
    WriterFormat.geojson,
    WriterFormat.gpx, WriterFormat.kml, WriterFormat.vcard, SingerExporter(),
  ]

  /// The formats that draw values instead of writing them.
  static let charts: [any Exporter] = [
    ChartExporter.bars, ChartExporter.line, ChartExporter.histogram, ChartExporter.matrix, ChartExporter.svg,
  ]

  /// The formats, in the order of the help.
  public let exporters: [any Exporter]

  /// A registry of `exporters`; two of one name or suffix are a mistake of the programmer.
  public init(_ exporters: [any Exporter] = ExporterRegistry.builtIn) {
    self.exporters = exporters
    // In debug builds only: every start makes a registry, and no descriptor is needed yet.
    assert(Self.isUnique(exporters.map(\.descriptor.name)), "internal error: duplicate exporter name")
    assert(Self.isUnique(exporters.flatMap(\.descriptor.fileExtensions)), "internal error: duplicate file extension")
  }

  private static func isUnique(_ words: [String]) -> Bool { Set(words).count == words.count }

  /// The built-in formats and charts, with formats of other modules before the one called `name`.
  public init(adding others: any Exporter..., before name: String) {
    let position = Self.builtIn.firstIndex { $0.descriptor.name == name } ?? Self.builtIn.count
    self.init(Self.builtIn[..<position] + others + Self.builtIn[position...] + Self.charts)
  }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest word.
  public func exporter(named name: String) throws(Problem) -> any Exporter {
    if let found = exporters.first(where: { $0.descriptor.name == name }) { return found }
    let names = exporters.map(\.descriptor.name)
    // A suffix is nearly a name: `md`, `jsonl`.
    let suffix = name.lowercased() == "excel" ? "xlsx" : name.lowercased()
    let bySuffix = exporters.first { $0.descriptor.fileExtensions.contains(suffix) }?.descriptor.name
    throw Self.unknown(
      "format", name, nearest: bySuffix ?? SpellingSuggestion.word(to: name, among: names), among: names)
  }

  /// The format with the extension of `path`, ignoring case; nil if there is none.
  public func exporter(forPath path: String) -> (any Exporter)? {
    let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = file.lastIndex(of: ".") else { return nil }
    let suffix = file[file.index(after: dot)...].lowercased()
    return exporters.first { $0.descriptor.fileExtensions.contains(suffix) }
  }

  /// The options for each of the `chosen` formats, by name, out of what `--option [FORMAT.]key=value` said.
  ///
  /// An option without a format goes to every chosen format that knows it; one with a format to that one only. The
  /// last of several wins.
  /// - Throws: `usage` for a format, key or value that there is not, with the nearest word.
  public func options(
    _ assignments: [String], for chosen: [any Exporter]
  ) throws(Problem) -> [String: ExportOptions] {
    var all: [String: ExportOptions] = [:]
    for exporter in chosen { all[exporter.descriptor.name] = ExportOptions() }
    for text in assignments {
      let assignment = try OptionAssignment(text)
      for (descriptor, key) in try takers(of: assignment, among: chosen) {
        all[descriptor.name]?.values[key] = assignment.value
      }
    }
    return all
  }

  /// The formats that an assignment applies to, each with the key of the option; checks the key and the value.
  private func takers(
    of assignment: OptionAssignment, among chosen: [any Exporter]
  ) throws(Problem) -> [(ExporterDescriptor, key: String)] {
    var candidates = chosen.map(\.descriptor)
    if let format = assignment.format {
      candidates = candidates.filter { $0.name == format }
      if candidates.isEmpty { candidates = [try exporter(named: format).descriptor] }
    }
    var takers: [(ExporterDescriptor, key: String)] = []
    for descriptor in candidates {
      guard let option = descriptor.options.first(where: { $0.isNamed(assignment.key) }) else { continue }
      if let choices = option.choices, !choices.contains(assignment.value) {
        throw option.problem(with: assignment.value)
      }
      takers.append((descriptor, option.key))
    }
    guard !candidates.isEmpty else {
      throw Problem(
        .usage, "a format option requires an output format", hint: .set(.outputFormat, for: "choose a format"))
    }
    if takers.isEmpty {
      var keys: [String] = []
      for key in candidates.flatMap({ $0.options.map(\.key) }) where !keys.contains(key) { keys.append(key) }
      let names = candidates.map(\.name).joined(separator: ", ")
      let others = exporters.map(\.descriptor).filter { $0.options.contains { $0.isNamed(assignment.key) } }
      if let other = others.first {
        throw Problem(
          .usage, "option “\(assignment.key)” does not apply to \(names)", hint: .set(.outputFormat, to: other.name))
      }
      if keys.isEmpty {
        throw Problem(.usage, "unknown option “\(assignment.key)” for \(names)", hint: "the format has no options")
      }
      throw Self.unknown(
        "option", assignment.key, of: names, nearest: SpellingSuggestion.word(to: assignment.key, among: keys),
        among: keys)
    }
    return takers
  }

  private static func unknown(
    _ what: String, _ word: String, of: String? = nil, nearest: String?, among words: [String]
  ) -> Problem {
    let hint: Remedy =
      nearest.map { "did you mean \($0)?" } ?? "available \(what)s: \(words.joined(separator: ", "))"
    return Problem(.usage, "unknown \(what) “\(word)”\(of.map { " for \($0)" } ?? "")", hint: hint)
  }
}

/// The value of `--option`: `key=value` or `format.key=value`.
private struct OptionAssignment {
  var format: String?
  var key: String
  var value: String

  init(_ text: String) throws(Problem) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw Problem(
        .usage, "missing value in the format option “\(text)”",
        hint: "use [FORMAT.]KEY=VALUE, for example csv.line-ending=crlf")
    }
    let name = text[..<equals]
    value = String(text[text.index(after: equals)...])
    if let dot = name.firstIndex(of: ".") {
      format = String(name[..<dot])
      key = String(name[name.index(after: dot)...])
    } else {
      key = String(name)
    }
  }
}
