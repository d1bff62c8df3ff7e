import CommandLineKit
import Domain

extension Progress {
  /// Shows images, bytes, rate and the remaining time: `123 of 500 images, 4.2 MB, 1.3 MB/s, 12 s left`.
  func update(_ images: ImageDownload.Progress) {
    show { elapsed in
      "\(Self.grouped(images.done)) of \(Self.grouped(images.all)) images, \(Self.size(images.bytes)), "
        + "\(Self.size(Int(Double(images.bytes) / elapsed)))/s"
        + Self.left(images.done, of: images.all, after: elapsed)
    }
  }
}
