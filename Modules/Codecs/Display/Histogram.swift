/// The counts of equal intervals, which pages show as bars.
public enum Histogram {
  /// The unit of columns whose lists are histograms.
  public static let unit = "values per interval"
}
