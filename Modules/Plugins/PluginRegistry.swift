import Dispatch
package import Domain
package import Rows
import Synchronization

/// The external exporters that are installed.
package struct PluginRegistry: Sendable {
  private let directories: PluginDirectories
  private let stream: any ByteFormat
  private let runner: PluginRunner

  /// - Parameters:
  ///   - directories: the directories to search.
  ///   - stream: the format of their input.
  ///   - variables: the environment of the process, of which they get a few variables.
  ///   - temporary: the parent of their working directories.
  package init(
    _ directories: PluginDirectories, stream: any ByteFormat, variables: [String: String], temporary: String
  ) {
    self.directories = directories
    self.stream = stream
    runner = PluginRunner(variables, temporary: temporary)
  }

  /// All of them, by name; those that are refused too.
  package func all() throws(Problem) -> [Plugin] { try directories.all() }

  /// The plug-in called `name`; nil when there is none.
  /// - Throws: `permission` for one that is refused.
  package func plugin(named name: String) throws(Problem) -> Plugin? {
    guard let plugin = try all().first(where: { $0.name == name }) else { return nil }
    if let refusal = plugin.refusal {
      throw Problem(
        .permission, "plug-in disabled: \(refusal)", at: plugin.path,
        hint: "if you trust it, fix its owner or permissions with chown or chmod")
    }
    return plugin
  }

  /// The description that a plug-in gives.
  /// - Throws: `plugIn` if it gives no valid description within five seconds.
  package func description(of plugin: Plugin) throws(Problem) -> PluginDescription {
    try description(of: plugin) { true }
  }

  private func description(of plugin: Plugin, while isWanted: () -> Bool) throws(Problem) -> PluginDescription {
    try PluginDescription(
      try runner.answer(plugin.path, "--describe", while: isWanted), of: plugin.name, at: plugin.path)
  }

  /// All of them, by name, each with the reason why it is not run; nil if it is.
  package func findings() throws(Problem) -> [(plugin: Plugin, refusal: String?)] {
    let plugins = try all()
    let described = descriptions(of: plugins.filter { $0.refusal == nil }) { _ in false }
    return plugins.map { plugin in
      guard plugin.refusal == nil else { return (plugin, plugin.refusal) }
      if case .failure(let problem)? = described[plugin.name] { return (plugin, problem.message) }
      return (plugin, nil)
    }
  }

  /// What plug-ins say of themselves, by name, all asked at the same time: one that hangs delays no other.
  /// - Parameter isEnough: whether a description makes the others unnecessary; those that come a little later are
  ///   waited for.
  private func descriptions(
    of plugins: [Plugin], until isEnough: (PluginDescription) -> Bool
  ) -> [String: Result<PluginDescription, Problem>] {
    let answers = PluginAnswers(), group = DispatchGroup()
    for plugin in plugins {
      // A queue of its own is a thread of its own.
      DispatchQueue(label: "bb.describe").async(group: group) {
        let result: Result<PluginDescription, Problem>
        do throws(Problem) {
          result = .success(try self.description(of: plugin) { answers.isOpen })
        } catch {
          result = .failure(error)
        }
        answers.add(result, of: plugin.name)
      }
    }
    var deadline = DispatchTime.distantFuture
    for _ in plugins {
      guard answers.arrived.wait(timeout: deadline) == .success else { break }
      if deadline == .distantFuture, answers.all.values.contains(where: { (try? $0.get()).map(isEnough) ?? false }) {
        deadline = .now() + .milliseconds(300)
      }
    }
    let all = answers.close()
    // Those that are not waited for are ended.
    group.wait()
    return all
  }

  package func exporter(_ plugin: Plugin) throws(Problem) -> ExternalExporter {
    exporter(plugin, try description(of: plugin))
  }

  private func exporter(_ plugin: Plugin, _ description: PluginDescription) -> ExternalExporter {
    ExternalExporter(description, path: plugin.path, stream: stream, runner: runner)
  }

  /// A Singer target on `PATH`, or at a path, as a format.
  /// - Throws: `noInput` when there is no such program.
  package func target(_ program: String) throws(Problem) -> TargetExporter {
    try TargetExporter(program, searching: runner.variables["PATH"] ?? "", stream: stream, runner: runner)
  }

  /// The plug-in for the suffix of a path; nil if none has it. Those without a description are reported and skipped.
  package func exporter(forPath path: String, report: (Problem) -> Void) throws(Problem) -> ExternalExporter? {
    let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = file.lastIndex(of: ".") else { return nil }
    let suffix = file[file.index(after: dot)...].lowercased()
    let plugins = try all().filter { $0.refusal == nil }
    let described = descriptions(of: plugins) { $0.fileExtensions.contains(suffix) }
    for plugin in plugins {
      switch described[plugin.name] {
      case .success(let description)? where description.fileExtensions.contains(suffix):
        return exporter(plugin, description)
      case .failure(let problem)?: report(problem)
      case .success?, nil: continue
      }
    }
    return nil
  }
}

/// The responses of plug-ins, as they arrive.
private final class PluginAnswers: Sendable {
  private struct State {
    var answers: [String: Result<PluginDescription, Problem>] = [:]
    var isOpen = true
  }
  private let state = Mutex(State())
  let arrived = DispatchSemaphore(value: 0)

  var isOpen: Bool { state.withLock { $0.isOpen } }
  var all: [String: Result<PluginDescription, Problem>] { state.withLock { $0.answers } }

  func add(_ answer: Result<PluginDescription, Problem>, of name: String) {
    state.withLock { state in if state.isOpen { state.answers[name] = answer } }
    arrived.signal()
  }

  /// The responses so far; later ones are ignored.
  func close() -> [String: Result<PluginDescription, Problem>] {
    state.withLock { state in
      state.isOpen = false
      return state.answers
    }
  }
}
