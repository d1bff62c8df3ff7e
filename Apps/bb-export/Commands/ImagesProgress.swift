import CommandLineKit
import Domain
import Synchronization

/// A line that says how far a download is: pictures, bytes, rate, time left; redrawn at most ten times a second.
final class ImagesProgress: Sendable {
  private let report: Report
  private let started = ContinuousClock.now
  private let last: Mutex<ContinuousClock.Instant>

  /// Nothing is shown in the first half second.
  init(_ report: Report) {
    self.report = report
    last = Mutex(ContinuousClock.now + .milliseconds(400))
  }

  func update(_ progress: ImageDownload.Progress) {
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      guard last.duration(to: now) >= .milliseconds(100) else { return false }
      last = now
      return true
    }
    if isDue { report.progress(Self.text(progress, after: started.duration(to: now))) }
  }

  func finish() { report.clear() }

  /// `123 of 500 pictures, 4.2 MB, 1.3 MB/s, 12 s left`.
  static func text(_ progress: ImageDownload.Progress, after time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let elapsed = max(Double(seconds) + Double(attoseconds) / 1e18, 0.001)
    let text =
      "\(Progress.grouped(progress.done)) of \(Progress.grouped(progress.all)) pictures, \(Progress.size(progress.bytes)), "
      + "\(Progress.size(Int(Double(progress.bytes) / elapsed)))/s"
    guard progress.done > 0 else { return text }
    let left = Int((elapsed / Double(progress.done) * Double(progress.all - progress.done)).rounded(.up))
    return text + ", " + (left < 60 ? "\(left) s" : "\(left / 60) min \(left % 60) s") + " left"
  }
}
