public import Domain
public import Rows

/// The external exporters that are installed.
public struct PluginRegistry: Sendable {
  private let folders: PluginFolders
  private let stream: any Exporter
  private let runner: PluginRunner

  /// - Parameters:
  ///   - folders: where they are looked for.
  ///   - stream: the format of what they are given.
  ///   - variables: the process's environment, of which they get a few.
  ///   - temporary: a folder for the folders they run in.
  public init(
    _ folders: PluginFolders, stream: any Exporter, variables: [String: String], temporary: String
  ) {
    self.folders = folders
    self.stream = stream
    runner = PluginRunner(variables, temporary: temporary)
  }

  /// All of them, by name; those that are refused too.
  public func all() throws(Problem) -> [Plugin] { try folders.all() }

  /// The plug-in called `name`; nil when there is none.
  /// - Throws: `permission` for one that is refused.
  public func plugin(named name: String) throws(Problem) -> Plugin? {
    guard let plugin = try all().first(where: { $0.name == name }) else { return nil }
    if let refusal = plugin.refusal {
      throw Problem(.permission, "is not run: \(refusal)", at: plugin.path, hint: "chmod or chown it, if you trust it")
    }
    return plugin
  }

  /// What a plug-in says of itself.
  /// - Throws: `plugIn` when it says nothing that can be understood within five seconds.
  public func description(of plugin: Plugin) throws(Problem) -> PluginDescription {
    try PluginDescription(
      try runner.answer(plugin.path, "--describe"), of: plugin.name, at: plugin.path)
  }

  /// A plug-in as a format.
  public func exporter(_ plugin: Plugin) throws(Problem) -> ExternalExporter {
    ExternalExporter(try description(of: plugin), path: plugin.path, stream: stream, runner: runner)
  }

  /// A Singer target on `PATH`, or at a path, as a format.
  /// - Throws: `noInput` when there is no such program.
  public func target(_ program: String) throws(Problem) -> TargetExporter {
    try TargetExporter(program, searching: runner.variables["PATH"] ?? "", stream: stream, runner: runner)
  }

  /// The plug-in that has a path's suffix; nil when none has. Those that do not describe themselves are told of and left out.
  public func exporter(forPath path: String, report: (Problem) -> Void) throws(Problem) -> ExternalExporter? {
    let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = file.lastIndex(of: ".") else { return nil }
    let suffix = file[file.index(after: dot)...].lowercased()
    for plugin in try all() where plugin.refusal == nil {
      do throws(Problem) {
        let exporter = try exporter(plugin)
        if exporter.descriptor.fileExtensions.contains(suffix) { return exporter }
      } catch {
        report(error)
      }
    }
    return nil
  }
}
