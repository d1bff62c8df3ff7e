import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// The files that a command line names as inputs: after `--from`, or as arguments.
///
/// An argument is a file if it contains a dot or a slash, is `-`, or names an existing file and not a dataset. Every
/// other argument is a dataset, or the table of the file.
enum InputFiles {
  /// The same command line with every input file as a value of `--from`, patterns such as `logs/*.csv` expanded, and
  /// with at most one argument, the table.
  /// - Throws: `usage` for arguments that cannot be used together, `noInput` for a pattern that no file matches.
  static func resolved(
    _ invocation: Invocation, _ services: AppServices
  ) async throws(Problem) -> Invocation {
    let places = [Options.storage, Options.source, APIOptions.serverOption]
    var files = invocation.all(Options.from), tables: [String] = []
    if let statement = invocation.arguments.first(where: isStatement) { throw misplaced(statement, invocation) }
    for word in invocation.arguments {
      // A table of a server is named like a file: raw.quotes.
      let location = try invocation.locations.location(word)
      let isTable = try !location.isTable ? files.map(invocation.locations.location).contains(where: \.isTable) : false
      if !places.contains(where: invocation.has), !isTable, isFile(location) {
        files.append(word)
      } else {
        tables.append(word)
      }
    }
    if tables.count > 1 { throw unexpected(tables, with: files) }
    if files.isEmpty, let word = tables.first, !places.contains(where: invocation.has),
      let near = await nearestFile(to: word, invocation)
    {
      throw Problem(.usage, "unknown dataset “\(word)”", hint: near)
    }
    if files.count > 1, let last = invocation.arguments.last, files.last == last, !isPattern(last) {
      let location = try invocation.locations.location(last)
      if !location.place.isRemote, !location.place.isFile, last != "-",
        (try? services.exporters.forPath(FileCompression.split(last).path)) != nil
      {
        let inputs = files.dropLast().map(Remedy.shellWord).joined(separator: " ")
        throw Problem(
          .noInput, "no such file or directory", at: last,
          hint: "to write it, use bb-export \(inputs) -o \(Remedy.shellWord(last))")
      }
    }
    var expanded: [String] = []
    if invocation.has(Options.sql) {
      // The files of a pattern are one table.
      expanded = files
    } else {
      for file in files { expanded += try await expand(file, invocation) }
    }
    try SourceOptions(invocation).checkOwnOptions(of: expanded + invocation.all(Options.join))
    if expanded.count > 1 {
      if expanded.contains("-") {
        throw Problem(
          .usage, "standard input cannot be combined with other files", hint: "save it to a file first")
      }
      if let table = tables.first {
        if let problem = BBExport.program.unknownCommand(table, with: expanded) { throw problem }
        throw Problem(.usage, "“\(table)” cannot be used with several files", hint: "name one file, or only files")
      }
    }
    return expanded.isEmpty
      ? invocation : invocation.replacing(arguments: tables, option: Options.from, values: expanded)
  }

  private static func isFile(_ location: Location) -> Bool {
    let word = location.text
    if location.isTable { return true }
    if word == "-" || word.contains(".") || word.contains("/") { return true }
    if Catalog.all.contains(where: { $0.name == word }) { return false }
    return isPattern(word) || location.place.isFile
  }

  /// The advice for a word that is nearly a file, and neither a dataset nor a command.
  static func nearestFile(to word: String, _ invocation: Invocation) async -> Remedy? {
    if Catalog.all.contains(where: { $0.name == word }) { return nil }
    let isOther =
      SpellingSuggestion.word(to: word, among: Catalog.all.map(\.name)) != nil
      || BBExport.program.unknownCommand(word) != nil
    do throws(Problem) { _ = try await invocation.locations.location(word).place.size() } catch {
      // The name of a file without its extension is the file.
      return error.hint.description.hasPrefix("did you mean \(isOther ? word + "." : "")") ? error.hint : nil
    }
    return nil
  }

  private static func isPattern(_ word: String) -> Bool { word.contains { "*?[".contains($0) } }

  /// The files of a directory, or those that match a pattern; an existing file is none.
  static func expand(_ word: String, _ invocation: Invocation) async throws(Problem) -> [String] {
    let location = try invocation.locations.location(word)
    guard !word.isEmpty, let found = try await location.place.members() else { return [word] }
    guard found.isEmpty else { return found }
    let isObject = location.place.isRemote, isMatched = isPattern(word)
    throw Problem(
      .noInput,
      isMatched
        ? "no \(isObject ? "object" : "file") matches the pattern"
        : isObject ? "no object has this prefix" : "the directory has no files",
      at: location.shown,
      hint: isObject
        ? .listObjects(near: isMatched ? word : String(word.dropLast())) : isMatched ? "list the files with: ls" : "")
  }

  private static func isStatement(_ word: String) -> Bool {
    ["select ", "with ", "from "].contains { word.lowercased().hasPrefix($0) }
  }

  /// The error for an SQL statement among the arguments.
  private static func misplaced(_ statement: String, _ invocation: Invocation) -> Problem {
    var files = (invocation.all(Options.from) + invocation.arguments).filter { $0.contains(".") && $0 != statement }
    var text = statement
    if files.isEmpty {
      // The file is named as the table is: select * from people.csv.
      files = statement.split { " ,;()'\"".contains($0) }.map(String.init).filter { $0.contains(".") && $0.count > 2 }
      for file in files {
        text = text.replacing("'\(file)'", with: file).replacing(file, with: FileCompression.stem(of: file))
      }
    }
    let inputs = files.isEmpty ? "FILE" : files.map(Remedy.shellWord).joined(separator: " ")
    return Problem(
      .usage, "unexpected SQL statement “\(statement)”",
      hint: "use bb-export \(inputs) --sql \(Remedy.shellWord(text))")
  }

  private static func unexpected(_ words: [String], with files: [String]) -> Problem {
    let isKnown = Catalog.all.contains { $0.name == words[0] }
    if !isKnown, let problem = BBExport.program.unknownCommand(words[0], with: files) { return problem }
    // After a dataset, a word is taken for a name, unless it is a dataset, too.
    let isDataset = Catalog.all.contains { $0.name == words[1] }
    let isNamed = Catalog.all.first { $0.name == words[0] }.map { (try? EpisodeQuery.nameColumn(of: $0)) != nil }
    return Problem(
      .usage, "unexpected argument “\(words[1])”",
      hint: isDataset
        ? "run the command once for each dataset"
        : isNamed == true
          ? "use --name \(Remedy.shellWord(words.dropFirst().joined(separator: " ")))"
          : "usage: \(BBExport.program.usage(of: BBExport.table, path: ["table"]))")
  }

  /// The rows of a statement over all inputs: files, or the tables of a store or an API; and the first of them.
  static func query(
    _ sql: String, _ invocation: Invocation, _ services: AppServices, threads: Int
  ) async throws(Problem) -> (rows: any RowStream, first: any RecordSource) {
    if let word = invocation.arguments.first {
      throw Problem(
        .usage, "unexpected argument “\(word)” with --sql", hint: "name the table in the statement: FROM \(word)")
    }
    let reader = SourceOptions(invocation), files = invocation.all(Options.from)
    if files.count > 1, invocation.has(FileInputOptions.tableOption) {
      throw Problem(.usage, "--as names one input, but there are \(files.count)", hint: "omit --as")
    }
    var sources: [any RecordSource] = []
    for word in files {
      let members = try await expand(word, invocation)
      if members == [word] {
        sources.append(try await services.sources.open(try reader.file(word, try reader.file())))
      } else {
        let name = invocation[FileInputOptions.tableOption] ?? directory(of: word, services)
        let own = invocation.replacing(arguments: [], option: Options.from, values: members)
          .replacing(arguments: [], option: FileInputOptions.tableOption, values: [name])
        sources.append(FileSet(name: word, table: name) { () async throws(Problem) in try await union(own, services) })
      }
    }
    if files.isEmpty {
      sources = [try await services.sources.open(try reader.choice(for: Catalog.quotes.name))]
    }
    return (try await services.sources.query(sql, over: sources, cores: threads), sources[0])
  }

  private static func directory(of pattern: String, _ services: AppServices) -> String {
    let steps = pattern.split(separator: "/").map(String.init)
    let plain = steps.prefix { !isPattern($0) }.last { $0 != "." && $0 != ".." && !$0.hasSuffix(":") }
    return plain ?? services.variables["PWD"]?.split(separator: "/").last.map(String.init) ?? "files"
  }

  private struct FileSet: RecordSource {
    let name: String, table: String
    let open: @Sendable () async throws(Problem) -> any RowStream

    func tables() -> [Schema] { [Schema(table, columns: [])] }
    func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream { try await open() }
  }

  /// The tables of a file that may have several; none if it has one.
  private static func tables(
    of file: String, _ invocation: Invocation, _ services: AppServices
  ) async throws(Problem) -> [String] {
    let suffix = FileCompression.split(file).path.split(separator: ".").last.map(String.init) ?? ""
    guard invocation.arguments.isEmpty, !invocation.has(Options.sheet), file != "-",
      let format = try invocation.value(of: "from-format").map({ (name) throws(Problem) in try FileFormat(named: name) }
      )
        ?? FileFormat(suffix: suffix)
    else { return [] }
    switch format.content {
    case .fields, .json, .rowGroups: return []
    case .database, .workbook, .document:
      let reader = SourceOptions(invocation)
      let source = try await services.sources.open(try reader.file(file, try reader.file()))
      let names = try await source.tables().map(\.name)
      return names.count > 1 ? names : []
    }
  }

  /// The tables one by one, if each becomes a table of the output: those of files with several, and the others as
  /// files. The command lines that read one of them, and their output; nil if they are read as one table.
  /// - Throws: `usage` for two files with one name, and for options that apply only to a single table.
  static func separate(
    _ invocation: Invocation, _ services: AppServices
  ) async throws(Problem) -> (parts: [Invocation], output: CombinedOutput)? {
    let files = invocation.all(Options.from)
    if files.isEmpty || invocation.has(Options.sql) || invocation.has(FileInputOptions.tableOption) { return nil }
    guard try CombinedOutput.isPossible(invocation, services) else { return nil }
    var tables: [(name: String, file: String, arguments: [String])] = []
    for file in files {
      let inner = try await Self.tables(of: file, invocation, services)
      let stem = FileCompression.stem(of: try invocation.locations.location(file).title)
      let own = inner.isEmpty ? [(stem, file, invocation.arguments)] : inner.map { ($0, file, [$0]) }
      for (name, file, arguments) in own {
        if let other = tables.first(where: { $0.name.lowercased() == name.lowercased() }) {
          throw Problem(
            .usage, "\(URLText.shown(other.file)) and \(URLText.shown(file)) would both be the table “\(name)”",
            hint: "rename one of them, or use --as NAME to write all files as one table")
        }
        tables.append((name, file, arguments))
      }
    }
    guard try CombinedOutput.isWanted(invocation, services, inputs: tables.count) else { return nil }
    let output = try CombinedOutput(invocation, services, tables: tables.map(\.name))
    let parts = tables.map { (table) in
      invocation.replacing(arguments: table.arguments, option: Options.from, values: [table.file])
        .replacing(arguments: table.arguments, option: FileInputOptions.tableOption, values: [table.name])
        .replacing(arguments: table.arguments, option: OutputOptions.output, values: [output.path(of: table.name)])
    }
    return (parts, output)
  }

  /// The rows of several files as one table, or of a part of the files.
  /// - Parameter known: types of columns, as well as those of `--types`.
  static func union(
    _ invocation: Invocation, _ services: AppServices, _ shard: Shard? = nil, types known: ColumnTypes = ColumnTypes(),
    keepsSpellings: Bool = false
  ) async throws(Problem) -> any RowStream {
    var files = invocation.all(Options.from)
    // Of few files, each is divided.
    if let shard, shard.divides(files.count) {
      var sizes: [(name: String, size: Int)] = []
      for file in files { sizes.append((file, try await invocation.locations.location(file).place.size())) }
      files = shard.files(of: sizes)
    }
    let ownShard = shard.flatMap { $0.divides(invocation.all(Options.from).count) ? nil : $0 }
    var choice = try SourceOptions(invocation).file()
    choice.isPart = ownShard != nil
    var types = choice.types
    types.merge(known)
    let shared = choice, isNamed = try SelectionOptions(invocation, services).namesFiles
    var locations: [Location] = []
    for file in files { locations.append(try invocation.locations.location(file)) }
    let needed = try await services.sources.prepare(
      locations, choice, for: try SelectionOptions(invocation, services).conditions(ofPaths: locations, choice.types))
    files = needed.map { files[$0] }
    let parts = try files.map { (file) throws(Problem) in
      try part(file, shared, invocation, services, isNamed: isNamed, ownShard, keepsSpellings: keepsSpellings)
    }
    let stem = try invocation.locations.location(files[0]).title.prefix { $0 != "." }
    return try await UnionRows(parts, table: choice.table ?? (stem.isEmpty ? "input" : String(stem)), types: types)
  }

  /// The table of a file, which can be opened with any types.
  static func part(
    _ file: String, named name: String? = nil, _ choice: FileInputOptions, _ invocation: Invocation,
    _ services: AppServices, isNamed: Bool = false, _ shard: Shard? = nil, keepsSpellings: Bool = false
  ) throws(Problem) -> UnionRows.Part {
    let location = try invocation.locations.location(file)
    let open: UnionRows.Part.Selecting = { (types, request) async throws(Problem) in
      var typed = choice
      typed.types = types
      let choice = try SourceOptions(invocation).file(file, typed)
      let source = try await services.sources.open(choice)
      let table = try await TableCommand.table(of: source, choice, invocation, services.report)
      var own = source.usesSelection ? request : RowRequest()
      own.keepsSpellings = keepsSpellings
      let part: (any RowStream)? = if let shard { try await source.part(shard, of: table, own) } else { nil }
      var rows: any RowStream
      if let part {
        rows = part
      } else {
        rows = try await source.rows(of: table, own)
        if let shard { rows = shard.rows(of: rows) }
      }
      return isNamed ? FileNamedRows(rows, location.shown) : rows
    }
    return UnionRows.Part(name: name ?? location.shown, selecting: open) { (types) async throws(Problem) in
      try await open(types, RowRequest())
    }
  }
}
