import CommandLineKit
import Domain

extension Progress {
  /// Shows pictures, bytes, rate and the time that is left: `123 of 500 pictures, 4.2 MB, 1.3 MB/s, 12 s left`.
  func update(_ images: ImageDownload.Progress) {
    show { elapsed in
      "\(Self.grouped(images.done)) of \(Self.grouped(images.all)) pictures, \(Self.size(images.bytes)), "
        + "\(Self.size(Int(Double(images.bytes) / elapsed)))/s"
        + Self.left(images.done, of: images.all, after: elapsed)
    }
  }
}
