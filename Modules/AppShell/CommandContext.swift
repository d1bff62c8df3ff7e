public import CommandLineKit
public import Domain

/// The context of a command: the command line, and the services.
public struct CommandContext: Sendable {
  /// The command line.
  public let invocation: Invocation
  /// The services.
  public let services: AppServices
  /// The running program.
  let program: Program
  /// The clock of changes to records.
  public let clock: any WallClock

  /// The value of an option; nil if it was not given.
  public subscript(option: Option) -> String? { invocation[option] }
  /// Whether an option was given.
  public func has(_ option: Option) -> Bool { invocation.has(option) }
  /// The arguments.
  public var arguments: [String] { invocation.arguments }
  /// Messages on standard error.
  public var report: Report { services.report }
}
