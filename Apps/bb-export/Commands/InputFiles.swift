import AppShell
import Codecs
import CommandLineKit
import Dialects
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
    if tables.count > 1 { throw unexpected(tables) }
    var expanded: [String] = []
    for file in files { expanded += try await expand(file, invocation) }
    try SourceOptions(invocation).checkOwnOptions(of: expanded + invocation.all(Options.join))
    if expanded.count > 1 {
      if expanded.contains("-") {
        throw Problem(
          .usage, "standard input cannot be combined with other files", hint: "save it to a file first")
      }
      if let table = tables.first {
        if let problem = BBExport.program.unknownCommand(table) { throw problem }
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

  private static func isPattern(_ word: String) -> Bool { word.contains { "*?[".contains($0) } }

  /// The files of a directory, or those that match a pattern; an existing file is none.
  static func expand(_ word: String, _ invocation: Invocation) async throws(Problem) -> [String] {
    let location = try invocation.locations.location(word)
    guard !word.isEmpty, let found = try await location.place.members() else { return [word] }
    guard found.isEmpty else { return found }
    let isObject = location.place.isRemote, isMatched = isPattern(word)
    let isStatement = ["select ", "with ", "from "].contains { word.lowercased().hasPrefix($0) }
    let advice: Remedy =
      isStatement ? "name the files, and use --sql: bb-export FILE --sql 'SELECT …'" : "list the files with: ls"
    throw Problem(
      .noInput,
      isMatched
        ? "no \(isObject ? "object" : "file") matches the pattern"
        : isObject ? "no object has this prefix" : "the directory has no files",
      at: location.shown,
      hint: isObject ? .listObjects(near: isMatched ? word : String(word.dropLast())) : isMatched ? advice : "")
  }

  private static func unexpected(_ words: [String]) -> Problem {
    if let problem = BBExport.program.unknownCommand(words[0]) { return problem }
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

  /// The rows of a statement over all inputs: files, or the tables of a store or an API.
  static func query(
    _ sql: String, _ invocation: Invocation, _ services: AppServices, threads: Int
  ) async throws(Problem) -> any RowStream {
    if let word = invocation.arguments.first {
      throw Problem(
        .usage, "unexpected argument “\(word)” with --sql", hint: "name the table in the statement: FROM \(word)")
    }
    let reader = SourceOptions(invocation), files = invocation.all(Options.from)
    var choices: [SourceChoice] = []
    for file in files { choices.append(try reader.file(file, try reader.file())) }
    if files.isEmpty { choices = [try reader.choice(for: Catalog.quotes.name)] }
    var sources: [any RecordSource] = []
    for choice in choices { sources.append(try await services.sources.open(choice)) }
    return try await services.sources.query(sql, over: sources, cores: threads)
  }

  /// The files one by one, if each becomes a table of the output: the command lines that read one of them, and their
  /// output. Nil if they are read as one table.
  /// - Throws: `usage` for two files with one name, and for options that apply only to a single table.
  static func separate(
    _ invocation: Invocation, _ services: AppServices
  ) throws(Problem) -> (parts: [Invocation], output: CombinedOutput)? {
    let files = invocation.all(Options.from)
    if files.isEmpty || invocation.has(Options.sql) || invocation.has(FileInputOptions.tableOption) { return nil }
    guard try CombinedOutput.isWanted(invocation, services, inputs: files.count) else { return nil }
    var tables: [String] = []
    for file in files {
      let name = FileCompression.stem(of: try invocation.locations.location(file).title)
      guard let other = tables.firstIndex(where: { $0.lowercased() == name.lowercased() }) else {
        tables.append(name)
        continue
      }
      throw Problem(
        .usage,
        "\(URLText.shown(files[other])) and \(URLText.shown(file)) would both be the table “\(name)”",
        hint: "rename one of them, or use --as NAME to write all files as one table")
    }
    let output = try CombinedOutput(invocation, services, tables: tables)
    let parts = zip(files, tables).map { file, table in
      invocation.replacing(arguments: invocation.arguments, option: Options.from, values: [file])
        .replacing(arguments: invocation.arguments, option: FileInputOptions.tableOption, values: [table])
        .replacing(
          arguments: invocation.arguments, option: OutputOptions.output, values: [output.path(of: table)])
    }
    return (parts, output)
  }

  /// The rows of several files as one table, or of a part of the files.
  /// - Parameter known: types of columns, as well as those of `--types`.
  static func union(
    _ invocation: Invocation, _ services: AppServices, _ shard: Shard? = nil, types known: ColumnTypes = ColumnTypes()
  ) async throws(Problem) -> any RowStream {
    var files = invocation.all(Options.from)
    // Of few files, each is divided.
    if let shard, shard.divides(files.count) {
      var sizes: [(name: String, size: Int)] = []
      for file in files { sizes.append((file, try await invocation.locations.location(file).place.size())) }
      files = shard.files(of: sizes)
    }
    let ownShard = shard.flatMap { $0.divides(invocation.all(Options.from).count) ? nil : $0 }
    let choice = try SourceOptions(invocation).file()
    var types = choice.types
    types.merge(known)
    let shared = choice, isNamed = try SelectionOptions(invocation, services).namesFiles
    let parts = try files.map { (file) throws(Problem) in
      try part(file, shared, invocation, services, isNamed: isNamed, ownShard)
    }
    let stem = try invocation.locations.location(files[0]).title.prefix { $0 != "." }
    return try await UnionRows(parts, table: choice.table ?? (stem.isEmpty ? "input" : String(stem)), types: types)
  }

  /// The table of a file, which can be opened with any types.
  static func part(
    _ file: String, named name: String? = nil, _ choice: FileInputOptions, _ invocation: Invocation,
    _ services: AppServices, isNamed: Bool = false, _ shard: Shard? = nil
  ) throws(Problem) -> UnionRows.Part {
    let location = try invocation.locations.location(file)
    let open: UnionRows.Part.Selecting = { (types, request) async throws(Problem) in
      var typed = choice
      typed.types = types
      let choice = try SourceOptions(invocation).file(file, typed)
      let source = try await services.sources.open(choice)
      let table = try await TableCommand.table(of: source, choice, invocation, services.report)
      let own = source.usesSelection ? request : RowRequest()
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
