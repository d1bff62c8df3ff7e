import CSearch

/// A folded text to look for in texts, which need not be folded first if they are ASCII.
struct FoldedNeedle: Sendable {
  let bytes: [UInt8]
  private let isASCII: Bool

  init(_ text: [UInt8]) { self.init(folded: Fold.folded(text)) }
  init(folded: [UInt8]) {
    bytes = folded
    isASCII = folded.allSatisfy { $0 < 0x80 }
  }

  /// Whether a text contains it; nil if the text must be folded first.
  @inline(__always) func isFound(in text: UnsafeRawBufferPointer, atWord: Bool = false) -> Bool? {
    guard let start = unsafe text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return bytes.isEmpty }
    if bytes.isEmpty { return true }
    guard isASCII, bytes.count <= bb_find_longest else {
      return unsafe !isASCII && bb_has_high_byte(start, text.count) == 0 ? false : nil
    }
    return unsafe bytes.withUnsafeBufferPointer { needle in
      switch unsafe bb_find_folded(start, text.count, needle.baseAddress, needle.count, atWord ? 1 : 0) {
      case 0: false
      case 1: true
      default: nil
      }
    }
  }

  /// Calls `body` with a search for it where words begin, for many texts; nil if texts must be folded first.
  @inline(__always) func searching<Result>(_ body: (WordSearch?) -> Result) -> Result {
    guard isASCII, !bytes.isEmpty, bytes.count <= bb_find_longest else { return body(nil) }
    return unsafe bytes.withUnsafeBufferPointer { unsafe body(WordSearch(needle: $0)) }
  }

  @safe struct WordSearch {
    fileprivate let needle: UnsafeBufferPointer<UInt8>

    /// Whether a word of a text begins with the needle; nil if the text must be folded first.
    @inline(__always) func isFound(in text: ValueBytes) -> Bool? {
      let found = unsafe bb_find_folded(text.start, text.count, needle.baseAddress, needle.count, 1)
      return found > 1 ? nil : found == 1
    }
  }

  @inline(__always) func isContained(in text: UnsafeRawBufferPointer, _ scratch: inout [UInt8]) -> Bool {
    if let known = unsafe isFound(in: text) { return known }
    scratch.removeAll(keepingCapacity: true)
    unsafe Fold.append(text, to: &scratch)
    return isContained(inFolded: scratch)
  }

  func begins(_ text: UnsafeRawBufferPointer, _ scratch: inout [UInt8]) -> Bool {
    scratch.removeAll(keepingCapacity: true)
    // A folded character takes at most three times the bytes; what is cut within a character is folded to itself.
    unsafe Fold.append(text, to: &scratch)
    return scratch.starts(with: bytes)
  }

  func isContained(inFolded text: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard text.count >= bytes.count else { return false }
    return unsafe text.withUnsafeBufferPointer { text in
      var at = 0
      while at <= text.count - bytes.count {
        if unsafe text[at] == first {
          var same = 1
          while same < bytes.count, unsafe text[at + same] == bytes[same] { same += 1 }
          if same == bytes.count { return true }
        }
        at += 1
      }
      return false
    }
  }
}
