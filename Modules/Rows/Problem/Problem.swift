/// The one error type that crosses a module boundary.
///
/// Adapters turn what their libraries report (`SQLITE_BUSY`, a refused connection, a quote that never closes) into a
/// `Problem` at their edge; above that line there is a single kind to switch over and a single way to show it.
public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a problem, one case for each exit code of the programs (`sysexits.h` and what product users know).
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A record that was named does not exist.
    case absent
    /// The command line, or a value given on it, is wrong.
    case usage
    /// Input that does not parse, does not fit its type, or cannot be represented in the format asked for.
    case badData
    /// A file, storage or table that was named does not exist.
    case noInput
    /// A source does not respond and nothing is cached.
    case unavailable
    case bug
    /// An output cannot be created, or exists and may not be replaced.
    case cannotCreate
    /// Reading or writing failed.
    case io
    /// Another process is working, or a part failed: run again.
    case busy
    /// An external exporter misbehaved.
    case plugIn
    /// The file system denies access.
    case permission
    /// A configuration, or a format newer than this program.
    case configuration
    /// The reader of the output closed it (`| head`); not an error.
    case endOfPipe
    /// A signal or a cancelled task ended the work.
    case cancelled

    /// The exit code of a program that ends with this kind.
    public var exitCode: Int32 {
      switch self {
      case .endOfPipe: 0
      case .absent: 1
      case .usage: 64
      case .badData: 65
      case .noInput: 66
      case .unavailable: 69
      case .bug: 70
      case .cannotCreate: 73
      case .io: 74
      case .busy: 75
      case .plugIn: 76
      case .permission: 77
      case .configuration: 78
      case .cancelled: 130
      }
    }
  }

  /// The kind, which decides the exit code.
  public var kind: Kind
  /// A message in lower case without a period.
  public var message: String
  /// `people.csv:12:3`, `sqlite:notes.db`, a URL without secrets; empty when there is none.
  public var place: String
  /// The ways for the user to resolve it; empty if there are none.
  public var hint: Remedy
  /// The setting that is the subject of the message, `cannot be used with csv`; nil for a message with its own subject.
  public var setting: Setting?
  /// The position of the record at fault, counted from 0 within its batch; the reader of the batch adds the position of
  /// the batch.
  public var record: Int?
  /// Whether the record is counted over all rows of the input instead.
  public var isOfInput = false
  /// Further problems of the same kind, which are reported after this one.
  public var others: [Problem] = []
  /// The HTTP status that was the cause; nil for other causes.
  public var status: Int?
  /// Whether the output could hold the value if it had all rows before it wrote the first one.
  public var needsAllRows = false
  /// Whether trying again may help.
  public var isTransient = false

  /// A problem of `kind`: what happened, where, and what to do.
  public init(_ kind: Kind, _ message: String, at place: String = "", hint: Remedy = Remedy(), record: Int? = nil) {
    self.kind = kind
    self.message = message
    self.place = place
    self.hint = hint
    self.record = record
  }

  /// A `usage` problem whose subject is a setting: `applies only to csv`.
  public init(_ setting: Setting, _ message: String, at place: String = "", hint: Remedy = Remedy()) {
    self.init(.usage, message, at: place, hint: hint)
    self.setting = setting
  }

  /// The place and the message in one line, without the hint, each of at most `MessageText.limit` bytes.
  public var summary: String {
    let short = shortened
    let message = setting.map { "\($0.name) \(short.message)" } ?? short.message
    let line = short.place.isEmpty ? message : "\(short.place): \(message)"
    return record.map { "\(line) (record \($0 + 1))" } ?? line
  }
  /// The place, the message and the hint in one line, for logs and tables.
  public var description: String {
    let short = shortened
    let hint = short.hint.description
    return hint.isEmpty ? short.summary : "\(short.summary); \(hint)"
  }

  /// The same problem with message, place and hint on one line each, of at most `MessageText.limit` bytes.
  public var shortened: Problem {
    var copy = self
    copy.message = MessageText.shortened(message)
    copy.place = MessageText.shortened(place)
    copy.hint = hint.mapTexts { MessageText.shortened($0) }
    return copy
  }

  /// The problem of a command whose change is durable although an error occurred after it.
  public func afterSaving(_ what: String = "the change") -> Problem {
    Problem(
      .io, "\(what) was saved, but then an error occurred: \(message)", at: place, hint: "do not repeat the command")
  }

  /// The same problem, at `place` when it has none of its own.
  public func located(at place: String) -> Problem {
    var copy = self
    if copy.place.isEmpty { copy.place = place }
    return copy
  }
}
