public import Rows

extension Setting {
  /// The relations whose records are joined.
  public static let relations = Setting("selection.relations")
  /// The number of random rows.
  public static let sample = Setting("selection.sample")
  /// Whether rows are counted.
  public static let count = Setting("selection.count")
  /// The values that are computed for each group.
  public static let aggregates = Setting("selection.aggregates")
  /// The memory of the work.
  public static let memory = Setting("selection.memory")
  /// The order of the rows.
  public static let order = Setting("selection.order")
}
