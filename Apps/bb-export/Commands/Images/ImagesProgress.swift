import CommandLineKit
import Domain

extension Progress {
  /// Shows the images and bytes of a download.
  func update(_ images: ImageDownload.Progress) {
    update { step in (step.items, step.allItems, step.bytes, step.phase) = (images.done, images.all, images.bytes, "") }
  }
}
