/// A part of the work, and how far it is.
package struct ProgressStep: Sendable, Hashable {
  /// The subject: a file, a dataset, a table.
  let label: String
  /// The things that are counted, in the plural.
  package var noun: String
  /// The reason for a wait, such as `connecting to example.org`; empty if nothing is known to be in the way.
  package var phase = ""
  /// The number of items that are done, and of all if that is known.
  package var items = 0, allItems: Int?
  package var failed = 0
  /// The number of bytes that are done, and of all if that is known.
  package var bytes = 0, allBytes: Int?

  init(_ label: String, _ noun: String) {
    self.label = label
    self.noun = noun
  }

  /// The counts of the last seconds.
  struct Rate {
    /// The length of the time in which `items` and `bytes` were done, in seconds.
    let seconds: Double
    let items: Int
    let bytes: Int
    /// Seconds since the beginning of the work.
    let elapsed: Double
  }

  /// The line: `people.csv: 1,240,000 rows, 96 MB of 310 MB [█████▏     ] 31 %, 480 MB/s, 1 s left`.
  /// - Parameter width: the cells of the terminal. Too few of them omit the bar, then the rate, then the totals; nil is
  ///   for a log, which has no bar.
  func text(_ rate: Rate, width: Int?) -> String {
    let texts = (width == nil ? 0...2 : 0...3).reversed().map { parts in
      text(rate, hasBar: parts > 2, hasRate: parts > 1, hasTotal: parts > 0)
    }
    guard let width else { return texts[0] }
    if let fitting = texts.first(where: { $0.unicodeScalars.count <= width }) { return fitting }
    return String(String.UnicodeScalarView(texts[texts.count - 1].unicodeScalars.prefix(max(width, 1))))
  }

  private func text(_ rate: Rate, hasBar: Bool, hasRate: Bool, hasTotal: Bool) -> String {
    if !phase.isEmpty { return "\(label): \(phase)" }
    var fields: [String] = []
    if items > 0 || allItems != nil {
      let all = hasTotal ? allItems.map { " of \(Progress.grouped($0))" } ?? "" : ""
      fields.append("\(Progress.grouped(items))\(all) \(noun)")
    }
    if failed > 0 { fields.append("\(Progress.grouped(failed)) failed") }
    if bytes > 0 {
      fields.append(Progress.size(bytes) + (hasTotal ? knownBytes.map { " of \(Progress.size($0))" } ?? "" : ""))
    }
    if fields.isEmpty { return "\(label): \(Int(rate.elapsed)) s" }
    var text = "\(label): \(fields.joined(separator: ", "))"
    if let fraction {
      if hasBar { text += " [\(Self.bar(fraction))]" }
      text += (hasBar ? " " : ", ") + "\(Int(fraction * 100)) %"
    }
    if hasRate, rate.seconds > 0, rate.bytes > 0 {
      text += ", \(Progress.size(Int(Double(rate.bytes) / rate.seconds)))/s"
    }
    if let left = secondsLeft(rate) {
      text += ", " + (left < 60 ? "\(left) s" : "\(left / 60) min \(left % 60) s") + " left"
    }
    return text
  }

  /// The total while there are bytes left: work after the last byte takes its own time.
  private var knownBytes: Int? { allBytes.flatMap { $0 > bytes ? $0 : nil } }

  private var fraction: Double? {
    if let allItems, allItems > 0 { return min(Double(items) / Double(allItems), 1) }
    return knownBytes.map { Double(bytes) / Double($0) }
  }

  private func secondsLeft(_ rate: Rate) -> Int? {
    let work: (left: Int, done: Int)
    if let allItems, allItems > 0 {
      work = (allItems - items, rate.items)
    } else if let knownBytes {
      work = (knownBytes - bytes, rate.bytes)
    } else {
      return nil
    }
    guard work.done > 0, work.left >= 0, rate.seconds > 0 else { return nil }
    let seconds = (rate.seconds / Double(work.done) * Double(work.left)).rounded(.up)
    return seconds < 360_000 ? Int(seconds) : nil
  }

  private static func bar(_ fraction: Double) -> String {
    let eighths = Int(fraction * 160), full = eighths / 8
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: full) + rest
      + String(repeating: " ", count: 20 - full - (rest.isEmpty ? 0 : 1))
  }
}
