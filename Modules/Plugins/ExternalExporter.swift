package import Domain
package import Rows

/// A format that an installed program makes: it gets a Singer stream and gives bytes, and the file is written by us.
package struct ExternalExporter: Exporter {
  /// The description that the program gave.
  package let descriptor: ExporterDescriptor
  private let path: String
  private let stream: any ByteFormat
  private let runner: PluginRunner

  init(_ description: PluginDescription, path: String, stream: any ByteFormat, runner: PluginRunner) {
    descriptor = ExporterDescriptor(
      description.name, fileExtensions: description.fileExtensions, mediaType: description.mediaType,
      summary: description.summary, isExact: false, options: description.options)
    self.path = path
    self.stream = stream
    self.runner = runner
  }

  /// The program in front of a destination; its input is a stream of the rows.
  /// - Throws: `usage` for a table the stream cannot carry; `plugIn` when the program cannot be started.
  package func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    EncodedFile(stream, of: schema, ExportOptions()) { () throws(Problem) in
      try program(options, into: try await open())
    }
  }

  /// The program, which reads a stream, in front of `sink`.
  func program(_ options: ExportOptions, into sink: any ByteSink) throws(Problem) -> any ByteSink {
    let words = options.values.sorted { $0.key < $1.key }.flatMap { ["--option", "\($0.key)=\($0.value)"] }
    return try runner.sink(path, ["export"] + words, into: sink)
  }
}

/// Runs plug-ins with few variables, in their own directories.
struct PluginRunner: Sendable {
  /// The variables that a plug-in gets; no other can hold a key.
  private static let passed = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ"]
  let variables: [String: String]
  private let temporary: String

  init(_ variables: [String: String], temporary: String) {
    self.variables = variables.filter { Self.passed.contains($0.key) }
    self.temporary = temporary
  }

  func sink(
    _ path: String, _ arguments: [String], into inner: any ByteSink, limits: ProgramSink.Limits = ProgramSink.Limits()
  ) throws(Problem) -> any ByteSink {
    try ProgramSink(
      path, arguments, variables: variables, directory: try PrivateDirectory(in: temporary), into: inner, limits: limits
    )
  }

  /// A program that writes to a path that it was given: it runs in the directory of this process.
  func program(_ path: String, _ arguments: [String], into inner: any ByteSink) throws(Problem) -> any ByteSink {
    try ProgramSink(path, arguments, variables: variables, directory: nil, into: inner)
  }

  /// The output of a program for an argument: at most 64 KiB within 5 seconds. Blocks.
  /// - Parameter isWanted: called repeatedly; false stops the program.
  func answer(_ path: String, _ argument: String, while isWanted: () -> Bool) throws(Problem) -> [UInt8] {
    let directory = try PrivateDirectory(in: temporary)
    let child = try ChildProcess(path, [argument], variables: variables, directory: directory.path)
    child.closeInput()
    let place = "\(path) \(argument)"
    let deadline = ContinuousClock.now + .seconds(5)
    var answer: [UInt8] = []
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard isWanted() else { throw Problem(.cancelled, "cancelled", at: place) }
      guard left > .zero else { throw Problem(.plugIn, "no response within 5 s", at: place) }
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      switch try child.step([], milliseconds: min(50, Int32(milliseconds) + 1)) {
      case .read(let bytes): answer += bytes
      case .silent:
        guard child.wait(seconds: 1) == 0 else { throw Problem(.plugIn, "exited with an error", at: place) }
        return answer
      case .wrote, .deaf, .late: continue
      }
      guard answer.count <= 64 << 10 else { throw Problem(.plugIn, "the response is larger than 64 KiB", at: place) }
    }
  }
}
