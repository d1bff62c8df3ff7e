import Glibc
import Synchronization

/// A line that shows how far the work is: redrawn ten times per second on a terminal, one line per second in a log.
///
/// Nothing is shown in the first 300 ms, so that quick work stays silent. A thread draws the line, also while the work
/// waits.
package final class Progress: Sendable {
  private struct State {
    var step: ProgressStep?
    var started = ContinuousClock.now
    /// The counts of the last five seconds, for the rate.
    var samples: [(time: ContinuousClock.Instant, items: Int, bytes: Int)] = []
    var drawn: ContinuousClock.Instant?
    var text = ""
    var isDrawing = false
  }

  private let report: Report
  private let state = Mutex(State())
  private let isShown = Atomic(false)

  /// Creates progress on `report`, which is not shown yet.
  package init(_ report: Report) { self.report = report }

  package func show(_ isShown: Bool) { self.isShown.store(isShown, ordering: .relaxed) }

  /// Reports what the work waits for: in the line of progress, or on a line of its own.
  package func wait(_ text: String) {
    guard isShown.load(ordering: .relaxed), state.withLock({ $0.step != nil }) else { return report.result(text) }
    update { $0.phase = text }
  }

  /// Begins a step.
  /// - Parameters:
  ///   - label: the subject: a file, a dataset, a table.
  ///   - noun: what is counted, in the plural.
  package func begin(_ label: String, _ noun: String = "rows") {
    guard isShown.load(ordering: .relaxed) else { return }
    let needsThread = state.withLock { state in
      // The beginning of the work counts, not that of its steps.
      if state.step == nil { state.started = .now }
      state.step = ProgressStep(label, noun)
      state.samples = []
      defer { state.isDrawing = true }
      return !state.isDrawing
    }
    guard needsThread else { return }
    _ = DetachedThread.start { [self] in
      repeat { usleep(100_000) } while draw()
    }
  }

  /// Changes the counts of the current step.
  package func update(_ change: (inout ProgressStep) -> Void) {
    guard isShown.load(ordering: .relaxed) else { return }
    state.withLock { if $0.step != nil { change(&$0.step!) } }
  }

  /// Ends the current step and erases the line.
  package func finish() {
    guard isShown.load(ordering: .relaxed) else { return }
    state.withLock { state in
      guard state.step != nil else { return }
      state.step = nil
      report.clear()
    }
  }

  /// Draws the line if it is due; false if there is nothing to draw any more.
  private func draw() -> Bool {
    state.withLock { state in
      guard let step = state.step else {
        state.isDrawing = false
        return false
      }
      let now = ContinuousClock.now
      state.samples.append((now, step.items, step.bytes))
      while let first = state.samples.first, first.time.duration(to: now) > .seconds(5) { state.samples.removeFirst() }
      let interval: Duration = report.replacesProgress ? .zero : .seconds(1)
      guard state.started.duration(to: now) >= .milliseconds(300),
        state.drawn.map({ $0.duration(to: now) >= interval }) ?? true
      else { return true }
      state.drawn = now
      let first = state.samples[0]
      let rate = ProgressStep.Rate(
        seconds: Self.seconds(first.time.duration(to: now)), items: step.items - first.items,
        bytes: step.bytes - first.bytes, elapsed: Self.seconds(state.started.duration(to: now)))
      let width = report.replacesProgress ? (Terminal.width(2) ?? 80) - 1 : nil
      let text = step.text(rate, width: width)
      if text != state.text || !report.hasProgress { report.progress(text) }
      state.text = text
      return true
    }
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  /// `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits = String(digits.dropLast(3))
    }
    return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  /// `17.9 MB`, with factors of a thousand.
  package static func size(_ bytes: Int) -> String {
    var tenths = bytes * 10, unit = 0
    let units = ["B", "kB", "MB", "GB", "TB"]
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
