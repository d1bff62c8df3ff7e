/// An API, as a value: where it is, what it can be asked, and how its fields become columns.
public struct SourceDescription: Sendable, Hashable {
  /// The word behind `--source`.
  public let name: String
  /// One sentence without a full stop.
  public let summary: String
  /// What every path is appended to, without a slash at the end.
  public let baseURL: String
  /// What it can be asked.
  public let datasets: [Dataset]

  /// An API.
  public init(_ name: String, _ summary: String, baseURL: String, datasets: [Dataset]) {
    self.name = name
    self.summary = summary
    self.baseURL = baseURL
    self.datasets = datasets
  }

  /// One dataset of an API.
  public struct Dataset: Sendable, Hashable {
    /// The dataset's name.
    public let name: String
    /// Where all of it is, from the base URL on.
    public let path: String
    /// Where the array of records lies in an answer, as a JSON Pointer; empty when the answer is the array.
    public let records: String
    /// How to ask for less.
    public let queries: [Query]
    /// Where the columns come from, in the order of the schema.
    public let columns: [Column]
    /// The column that numbers records whose other key columns are the same.
    public let occurrence: String?

    /// A dataset.
    public init(
      _ name: String, path: String, records: String = "", queries: [Query] = [], occurrence: String? = nil,
      columns: [Column]
    ) {
      self.name = name
      self.path = path
      self.records = records
      self.queries = queries
      self.occurrence = occurrence
      self.columns = columns
    }
  }

  /// A way to ask for less than all.
  public struct Query: Sendable, Hashable {
    /// What it is called: `name`, `random`.
    public let name: String
    /// The path, from the base URL on.
    public let path: String
    /// The parameter that takes the value; nil when there is none.
    public let parameter: String?
    /// Whether the answer is one record rather than an array, and differs each time.
    public let isRandom: Bool

    /// A query.
    public init(_ name: String, path: String, parameter: String? = nil, isRandom: Bool = false) {
      self.name = name
      self.path = path
      self.parameter = parameter
      self.isRandom = isRandom
    }
  }

  /// Where a column's values come from.
  public struct Column: Sendable, Hashable {
    /// The column's name.
    public let name: String
    /// The field, as a JSON Pointer into the record; nil when the source has no such field and the column is null.
    public let from: String?
    /// What is done to the value, in order.
    public let steps: [Step]

    /// A column made of the field at `from`.
    public init(_ name: String, from: String?, _ steps: Step...) {
      self.name = name
      self.from = from
      self.steps = steps
    }
  }

  /// One thing that is done to a value. Null stays null.
  public enum Step: Sendable, Hashable {
    /// These texts mean that there is no value.
    case null([String])
    /// Blanks at both ends are taken away.
    case trim
    /// The whole number is divided; or only the rest is kept.
    case divide(Int), remainder(Int)
    /// The text is a date in one of these formats.
    case date([String])
    /// Texts become other texts, without regard to case; any other, and null, becomes `otherwise`.
    case rename([String: String], otherwise: String)
    /// Whether a list has elements.
    case isNotEmpty
  }
}
