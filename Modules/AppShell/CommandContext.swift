package import CommandLineKit
package import Domain

/// The context of a command: the command line, and the services.
package struct CommandContext: Sendable {
  package let invocation: Invocation
  package let services: AppServices
  let program: Program
  package let clock: any WallClock

  /// The value of an option; nil if it was not given.
  package subscript(option: Option) -> String? { invocation[option] }
  package func has(_ option: Option) -> Bool { invocation.has(option) }
  package var arguments: [String] { invocation.arguments }
  /// Messages on standard error.
  package var report: Report { services.report }
}
