import Codecs
import Documents
import Domain
import Files
import Glibc
@testable import Persistence
import Rows
import TestSupport
import Testing

@Suite("images at hand") struct FetchedImagesTests {
  private let directory = TemporaryDirectory()

  /// Stores an image for an address in a directory, as `images` does.
  private func put(_ address: String, _ folder: String, size: UInt8) async throws {
    let path = "\(directory.path)/\(folder)"
    _ = unsafe mkdir(path, 0o755)
    _ = unsafe mkdir("\(path)/.bb", 0o700)
    var text = "GIF89a"
    for number in [size, 0, size, 0] { text.unicodeScalars.append(UnicodeScalar(number)) }
    try await directory.write("\(folder)/1-1.gif", text)
    try await directory.write(
      "\(folder)/images.json",
      #"[{"dataset":"people","key":"1","number":1,"url":"\#(address)","file":"1-1.gif","bytes":10,"sha256":"0"}]"#)
  }

  @Test("the named directory comes before the store, and that before the last sync; locks are ignored")
  func order() async throws {
    let store = StoredImages(directory: "\(directory.path)/store")
    for folder in ["store", "store/images", "elsewhere", "named"] {
      _ = unsafe mkdir("\(directory.path)/\(folder)", 0o755)
    }
    try await put("https://e.org/all", "named", size: 1)
    try await put("https://e.org/all", "store/images/people", size: 2)
    try await put("https://e.org/all", "elsewhere/people", size: 3)
    try await store.note(synced: "\(directory.path)/elsewhere")
    func size(_ named: String?, _ stored: String?) throws -> Int? {
      try FetchedImages.files(in: named, ofStore: stored)[Array("https://e.org/all".utf8)]?.size?.width
    }
    #expect(try size("\(directory.path)/named", store.directory) == 1)
    #expect(try size(nil, store.directory) == 2)
    #expect(try FetchedImages.files(in: nil, ofStore: store.directory)[Array("images/people/1-1.gif".utf8)] != nil)
    _ = unsafe unlink("\(directory.path)/store/images/people/images.json")
    #expect(try size(nil, store.directory) == 3)
    #expect(throws: Problem.self) { _ = try size("\(directory.path)/store", nil) }
    // The same directory need not be noted.
    try await store.note(synced: store.directory)
    #expect(try size(nil, store.directory) == 3)
  }

  @Test("images become part of a page, those of its dataset first") func parts() async throws {
    try await put("https://e.org/1", "a", size: 4)
    let files = try FetchedImages.files(in: directory.path, ofStore: nil)
    let images = try FetchedImages.images(files, for: nil, first: "people")
    #expect(images.arePart && images[Array("https://e.org/1".utf8)]?.size?.height == 4)
    let linked = try FetchedImages.images(files, for: "\(directory.path)/x.html", first: nil)
    #expect(linked[Array("https://e.org/1".utf8)]?.address.text == Array("a/1-1.gif".utf8))
  }
}
