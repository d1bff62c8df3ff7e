import Codecs
public import Domain
public import Rows

/// Reads the files of a service into a ledger.
public struct TrackerReader {
  /// The outcome of the rows.
  public struct Report: Sendable {
    /// A row that became no record.
    public struct Unused: Sendable, Hashable {
      /// The file and the line, or for JSON the number of the record.
      public let file: String, line: Int
      /// Why.
      public let reason: String
      /// Whether a value cannot be read.
      public var isInvalid = false
    }
    /// The rows of all files that were read, and the files.
    public fileprivate(set) var rows = 0, files = 0
    /// The rows that no rule takes, and those that became questions.
    public fileprivate(set) var skipped: [Unused] = [], uncertain: [Unused] = []
    /// The files that were not read.
    public fileprivate(set) var notRead: [String] = []
    /// Questions that were answered, and those whose rows their files have no longer.
    public fileprivate(set) var answered = 0, withdrawn = 0
  }

  private let files: any NamedFiles
  /// The names without the directory around everything, and as they are.
  private var names: [(name: String, full: String)]
  private static let mostRows = 1_000_000, mostBytes = 1 << 30

  /// A reader of files.
  public init(_ files: any NamedFiles) {
    self.files = files
    var names = files.names.filter { !Self.isOfSystem($0) }.map { (name: $0, full: $0) }
    while let first = names.first?.name.split(separator: "/").first, !["likes", "lists"].contains(first),
      names.allSatisfy({ $0.name.hasPrefix(first + "/") })
    {
      names = names.map { (String($0.name.dropFirst(first.count + 1)), $0.full) }
    }
    self.names = names.sorted { $0.name < $1.name }
  }

  /// Whether macOS or Windows adds such a file to directories and archives.
  private static func isOfSystem(_ name: String) -> Bool {
    let names = [".DS_Store", "Thumbs.db", "__MACOSX", ".bb-files.json"]
    return name.split(separator: "/").contains { $0.hasPrefix("._") || names.contains(String($0)) }
  }

  private static func isTable(_ name: String) -> Bool {
    [".csv", ".json"].contains { name.lowercased().hasSuffix($0) }
  }
  private func bytes(_ file: (name: String, full: String)) throws(Problem) -> [UInt8] {
    try files.bytes(of: file.full, limit: TrackerTable.mostBytes)
  }

  /// The one format that the files are of.
  /// - Throws: `badData` if there is none, `usage` naming them if several fit.
  public mutating func format(among formats: [TrackerFormat]) throws(Problem) -> TrackerFormat {
    if formats.count == 1 {
      try name(for: formats[0])
      return formats[0]
    }
    // A name that one format never opens is not opened to find out.
    let candidates = names.filter { file in
      Self.isTable(file.name) && !formats.contains { $0.isIgnored(file.name) && $0.namesAny(of: names.map(\.name)) }
    }
    var tables: [String: Set<String>] = [:], found: [(count: Int, format: TrackerFormat)] = []
    for isSure in [true, false] where found.isEmpty {
      for format in formats {
        var count = 0
        for file in candidates where isSure ? format.namesSurely(file.name) : format.names(file.name) {
          // A format that some other name is of more surely may not look into this one.
          guard isSure || names.count == 1 || !formats.contains(where: { $0.namesSurely(file.name) }) else { continue }
          if tables[file.name] == nil {
            let header = format.rules.first { TrackerPattern.fits($0.file, file.name) }?.header
            tables[file.name] = try TrackerTable(try bytes(file), name: file.name, header: header).columns
          }
          // A file without records is of any format.
          if !isSure, tables[file.name]?.isEmpty == true { continue }
          if format.rules.contains(where: { $0.takes(file.name, tables[file.name] ?? []) }) { count += 1 }
        }
        if count > 0 { found.append((count, format)) }
      }
    }
    found.sort { ($0.count, $0.format.name) > ($1.count, $1.format.name) }
    let best = found.filter { $0.count == found[0].count }.map(\.format)
    guard let format = best.first else {
      if let archive = names.first(where: { $0.name.lowercased().hasSuffix(".zip") }) {
        guard files.name.split(at: "/").last.map(String.init) != archive.full else {
          throw Problem(.badData, "not a ZIP archive", at: files.name, hint: "download or copy it again")
        }
        throw Problem(
          .badData, "no known tracker format, but an archive: \(archive.name)", at: files.name,
          hint: "extract it, and import what it contains")
      }
      throw Problem(
        .badData, "no known tracker format", at: files.name,
        hint: .advice("formats: \(formats.map(\.name).joined(separator: ", "))"))
    }
    guard best.count == 1 else {
      let names = best.map(\.name).sorted()
      throw Problem(
        .usage, "fits \(names.joined(separator: " and "))", at: files.name,
        hint: .set(.trackerFormat, to: names[0], names[1]))
    }
    return format
  }

  /// Gives one file that its user renamed, or that is read from a pipe, the name of those with its columns.
  /// - Throws: `usage` if files of several names have them.
  private mutating func name(for format: TrackerFormat) throws(Problem) {
    guard names.count == 1, Self.isTable(names[0].name), !format.isIgnored(names[0].name),
      !format.names(names[0].name)
    else { return }
    let columns = try TrackerTable(try bytes(names[0]), name: names[0].name, header: nil).columns
    let suffix = names[0].name.suffix(5).lowercased().hasSuffix(".json") ? ".json" : ".csv"
    var found: [String] = []
    for rule in format.rules where !rule.has.isEmpty && rule.takes(columns) {
      let known = ([rule.file] + format.files).map { $0.replacing("*", with: "") }
      let name = known.first {
        !$0.contains("/") && $0.hasSuffix(suffix) && format.names($0) && rule.takes($0, columns)
      }
      if let name, !found.contains(name) { found.append(name) }
    }
    guard found.count < 2 else {
      throw Problem(
        .usage, "has the columns of several files of \(format.name): \(found.joined(separator: ", "))", at: files.name,
        hint: "import it under the name that the service gave it")
    }
    if let only = found.first { names[0].name = only }
  }

  /// Adds the rows of the files.
  /// The variables of the format have the values given, by name. Days are those of times in the zone; nil for UTC.
  /// - Throws: `badData` for damaged files, and for more rows than one import takes; `usage` for an unknown variable.
  public func read(
    _ format: TrackerFormat, into ledger: TrackerLedger, variables given: [String: String], zone name: String?
  ) throws(Problem) -> Report {
    var report = Report(), variables: [String: String] = [:], bytesRead = 0
    for variable in format.variables { variables[variable.name] = given[variable.name] ?? variable.usual ?? "" }
    for name in given.keys.sorted() where variables[name] == nil {
      throw Problem(
        .usage, "\(format.name) has no variable “\(name)”", hint: .choose(name, from: format.variables.map(\.name)))
    }
    let zone: TimeZoneRules?
    do throws(Problem) { zone = try name.map(TimeZoneRules.named) } catch {
      throw Problem(.usage, error.message, hint: error.hint)
    }
    let read = names.filter { Self.isTable($0.name) && format.names($0.name) }
    report.notRead = names.filter { file in !read.contains { $0.full == file.full } }.map(\.name)
    var tables: [[String]: TrackerTable] = [:], used: [String: Set<Int>] = [:], lines: [String: [Int]] = [:],
      reasons: [String: String] = [:]
    for rule in format.rules {
      for file in read where TrackerPattern.fits(rule.file, file.name) {
        let key = [file.full, rule.header ?? ""]
        if tables[key] == nil {
          let contents = try bytes(file)
          bytesRead += contents.count
          guard bytesRead <= Self.mostBytes else {
            throw Problem(.badData, "the files are larger than \(Self.mostBytes >> 30) GiB", at: files.name)
          }
          tables[key] = try TrackerTable(contents, name: file.name, header: rule.header)
        }
        guard let table = tables[key], rule.takes(file.name, table.columns) else { continue }
        lines[file.name] = table.rows.map(\.line)
        guard table.count <= Self.mostRows else {
          throw Problem(
            .badData, "the file has more than \(Self.mostRows) records", at: file.name, hint: "split the file")
        }
        if let other = rule.unlessFile,
          read.contains(where: { $0.full != file.full && TrackerPattern.fits(other, $0.name) })
        {
          reasons[file.name] = "its rows are those of \(other)"
          continue
        }
        ledger.begin(source: rule.service ?? format.name, rule: rule.name, file: file.name)
        for record in rule.records(of: table, file: file.name) where rule.accepts(record, variables) {
          used[file.name, default: []].insert(record.row)
          let row = rule.row(of: record, format, variables, zone)
          if let reason = ledger.take(row) {
            report.uncertain.append(
              Report.Unused(file: file.name, line: record.line, reason: reason, isInvalid: row.failure != nil))
          }
        }
      }
    }
    for file in read {
      if lines[file.name] == nil {
        lines[file.name] = try TrackerTable(try bytes(file), name: file.name, header: nil).rows.map(\.line)
      }
      let all = lines[file.name] ?? []
      report.files += 1
      report.rows += all.count
      for (row, line) in all.enumerated() where used[file.name]?.contains(row) != true {
        report.skipped.append(
          Report.Unused(file: file.name, line: line, reason: reasons[file.name] ?? "no rule takes it"))
      }
    }
    report.withdrawn = ledger.withdraw()
    report.answered = ledger.askAgain()
    return report
  }
}

extension TrackerFormat {
  fileprivate func namesAny(of files: [String]) -> Bool { files.contains(where: namesSurely) }
}
