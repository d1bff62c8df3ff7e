import Synchronization

/// Counts what a download receives, and says when it is enough.
final class ImageMeter: Sendable {
  private let state: Mutex<ImageDownload.Progress>
  private let limit: Int
  private let report: @Sendable (ImageDownload.Progress) -> Void

  init(all: Int, limit: Int, _ report: @escaping @Sendable (ImageDownload.Progress) -> Void) {
    var progress = ImageDownload.Progress()
    progress.all = all
    state = Mutex(progress)
    self.limit = limit
    self.report = report
  }

  var bytes: Int { state.withLock { $0.bytes } }

  /// Whether more images may be requested.
  var isOpen: Bool { state.withLock { $0.bytes < limit } }

  /// Counts bytes; false when they are more than may be received.
  func take(_ count: Int) -> Bool {
    let now = state.withLock { state in
      state.bytes += count
      return state
    }
    report(now)
    return now.bytes <= limit
  }

  func finishOne() {
    let now = state.withLock { state in
      state.done += 1
      return state
    }
    report(now)
  }
}
