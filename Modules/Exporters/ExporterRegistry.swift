public import Domain
public import Rows

/// The formats there are: a list of values, which help texts, completions, suffix matching and the laws read.
public struct ExporterRegistry: Sendable {
  /// The built-in formats, in the order of the help; the first is the default.
  public static let builtIn: [any Exporter] = [
    MarkdownExporter(), CSVExporter.csv, JSONExporter.json, JSONExporter.ndjson, CSVExporter.tsv, TableExporter(),
    RecordExporter(), HTMLExporter(), XLSXExporter(), SQLExporter(), YAMLExporter(), GeoJSONExporter(),
    MapExporter.gpx, MapExporter.kml, VCardExporter(), SingerExporter(),
  ]

  /// The formats, in the order of the help.
  public let exporters: [any Exporter]

  /// A registry of `exporters`; two of one name or suffix are a mistake of the programmer.
  public init(_ exporters: [any Exporter] = ExporterRegistry.builtIn) {
    let names = exporters.map(\.descriptor.name), suffixes = exporters.flatMap(\.descriptor.fileExtensions)
    precondition(Set(names).count == names.count, "two exporters of one name")
    precondition(Set(suffixes).count == suffixes.count, "two exporters of one suffix")
    self.exporters = exporters
  }

  /// The built-in formats, with those of other modules before the one called `name`.
  public init(adding others: any Exporter..., before name: String) {
    let position = Self.builtIn.firstIndex { $0.descriptor.name == name } ?? Self.builtIn.count
    self.init(Self.builtIn[..<position] + others + Self.builtIn[position...])
  }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest word.
  public func exporter(named name: String) throws(Problem) -> any Exporter {
    if let found = exporters.first(where: { $0.descriptor.name == name }) { return found }
    let names = exporters.map(\.descriptor.name)
    // A suffix is nearly a name: `md`, `jsonl`.
    let bySuffix = exporters.first { $0.descriptor.fileExtensions.contains(name.lowercased()) }?.descriptor.name
    throw Self.unknown("format", name, nearest: bySuffix ?? Nearest.word(to: name, among: names), among: names)
  }

  /// The format whose suffix `path` has, without regard to case; nil when none has.
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
      for descriptor in try takers(of: assignment, among: chosen) {
        all[descriptor.name]?.values[assignment.key] = assignment.value
      }
    }
    return all
  }

  /// The formats that an assignment is for, its key and value checked.
  private func takers(
    of assignment: OptionAssignment, among chosen: [any Exporter]
  ) throws(Problem) -> [ExporterDescriptor] {
    var candidates = chosen.map(\.descriptor)
    if let format = assignment.format {
      candidates = candidates.filter { $0.name == format }
      if candidates.isEmpty { candidates = [try exporter(named: format).descriptor] }
    }
    var takers: [ExporterDescriptor] = []
    for descriptor in candidates {
      guard let option = descriptor.options.first(where: { $0.key == assignment.key }) else { continue }
      if let choices = option.choices, !choices.contains(assignment.value) {
        throw option.problem(with: assignment.value)
      }
      takers.append(descriptor)
    }
    guard !candidates.isEmpty else {
      throw Problem(.usage, "no format is named that has options", hint: "name it with --format")
    }
    if takers.isEmpty {
      var keys: [String] = []
      for key in candidates.flatMap({ $0.options.map(\.key) }) where !keys.contains(key) { keys.append(key) }
      let names = candidates.map(\.name).joined(separator: ", ")
      if keys.isEmpty {
        throw Problem(.usage, "\(names): there is no option “\(assignment.key)”", hint: "the format has no options")
      }
      throw Self.unknown(
        "option of \(names)", assignment.key, nearest: Nearest.word(to: assignment.key, among: keys), among: keys)
    }
    return takers
  }

  private static func unknown(_ what: String, _ word: String, nearest: String?, among words: [String]) -> Problem {
    let meant = nearest.map { "did you mean \($0)? " } ?? ""
    return Problem(.usage, "no \(what) “\(word)”", hint: "\(meant)there are: \(words.joined(separator: ", "))")
  }
}

/// What stands behind `--option`: `key=value` or `format.key=value`.
private struct OptionAssignment {
  var format: String?
  var key: String
  var value: String

  init(_ text: String) throws(Problem) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw Problem(.usage, "--option \(text): no value", hint: "write [FORMAT.]KEY=VALUE, as in csv.line-ending=crlf")
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
