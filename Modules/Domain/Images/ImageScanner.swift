public import Rows

/// Validates the bytes of an image while they are received, by following the structure of the file from the first byte
/// to its end. The image itself is not decoded.
public struct ImageScanner: Sendable {
  /// The meaning of the next gathered bytes.
  private enum Step: Sendable {
    case beginning, brands
    case jpegMarker, jpegCode, jpegLength(UInt8), jpegData, jpegDataCode
    case pngChunk, pngEnd
    case gifScreen, gifBlock, gifImage, gifData
    case webpEnd
    case box, largeBox, lastBox
    case whole, broken
  }

  private var step = Step.beginning
  private var kind: ImageKind?
  /// Bytes gathered for the next step, and how many it takes.
  private var gathered: [UInt8] = []
  private var need = 16
  /// Bytes to be passed over before more are gathered.
  private var skip: UInt64 = 0
  private var count: UInt64 = 0
  /// Whether an element that makes the file an image was found: a scan, an image, or the box that describes it.
  private var hasPicture = false
  /// Whether the box that holds its data was seen.
  private var hasData = false

  /// A scanner that has seen nothing.
  public init() { gathered.reserveCapacity(64) }

  /// Looks at the bytes that follow those before.
  public mutating func update(_ bytes: RawSpan) {
    let length = bytes.byteCount
    count += UInt64(length)
    var at = 0
    while at < length {
      switch step {
      case .whole, .broken, .lastBox: return
      case _ where skip > 0:
        let passed = min(skip, UInt64(length - at))
        skip -= passed
        at += Int(passed)
      case .jpegData:
        at = Self.mark(in: bytes, from: at)
        // In most cases the byte after the mark means that the data continues.
        while at + 1 < length, Self.isData(unsafe bytes.unsafeLoad(fromByteOffset: at + 1, as: UInt8.self)) {
          at = Self.mark(in: bytes, from: at + 2)
        }
        guard at < length else { return }
        at += 1
        next(.jpegDataCode, 1)
      default:
        let taken = min(need - gathered.count, length - at)
        for place in at..<(at + taken) {
          gathered.append(unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self))
        }
        at += taken
        if gathered.count == need { take() }
      }
    }
  }

  /// The kind of the image, at the end of the input.
  /// - Throws: `badData` for bytes that are not an image, or are incomplete.
  public func finish() throws(Problem) -> ImageKind {
    guard let kind else {
      let isPage = gathered.first { $0 > 32 } == UInt8(ascii: "<")
      throw Problem(
        .badData, "not an image\(isPage ? " but a web page" : "")\(count == 0 ? ": the response is empty" : "")",
        hint: "supported formats: \(ImageKind.allCases.map { $0.rawValue.uppercased() }.joined(separator: ", "))")
    }
    let isWhole =
      switch step {
      case .whole, .lastBox: true
      case .box: hasPicture && hasData && skip == 0 && gathered.isEmpty
      default: false
      }
    guard isWhole else {
      throw Problem(.badData, "incomplete or damaged \(kind.rawValue.uppercased()) image")
    }
    return kind
  }

  /// The place of the next byte 0xFF; the end when there is none.
  private static func mark(in bytes: RawSpan, from start: Int) -> Int {
    var at = start
    while at + 8 <= bytes.byteCount {
      // The high bit of each byte of `flags` says whether that byte is 0xFF: the lowest that is set is right.
      let word = ~UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
      let flags = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if flags != 0 { return at + flags.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < bytes.byteCount, unsafe bytes.unsafeLoad(fromByteOffset: at, as: UInt8.self) != 0xFF { at += 1 }
    return at
  }

  /// Whether the byte after a mark in the data of a JPEG scan means that the data continues.
  private static func isData(_ code: UInt8) -> Bool { code == 0x00 || (0xD0...0xD7).contains(code) }

  private mutating func next(_ step: Step, _ need: Int, after skip: UInt64 = 0) {
    self.step = step
    self.need = need
    self.skip = skip
    gathered.removeAll(keepingCapacity: true)
  }

  /// The gathered bytes from `place` as a number, the highest byte first.
  private func number(_ place: Int = 0, _ length: Int = 4) -> UInt64 {
    gathered[place..<(place + length)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func take() {
    let first = gathered[0]
    switch step {
    case .beginning: begin()
    case .brands:
      kind = ImageKind(beginning: gathered)
      kind == nil ? next(.broken, 1) : next(.box, 8)
    case .jpegMarker, .jpegCode, .jpegLength, .jpegData, .jpegDataCode: takeJPEG(first)
    case .pngChunk:
      let length = number()
      if length > 0x7FFF_FFFF {
        next(.broken, 1)
      } else if gathered[4...].elementsEqual("IEND".utf8) {
        next(.pngEnd, 4, after: length)
      } else {
        next(.pngChunk, 8, after: length + 4)
      }
    case .pngEnd, .webpEnd: next(.whole, 1)
    case .gifScreen, .gifBlock, .gifImage, .gifData: takeGIF(first)
    case .box:
      hasPicture = hasPicture || gathered[4...].elementsEqual("meta".utf8) || gathered[4...].elementsEqual("moov".utf8)
      hasData = hasData || gathered[4...].elementsEqual("mdat".utf8)
      switch number() {
      case 0: next(hasPicture && hasData ? .lastBox : .broken, 1)
      case 1: next(.largeBox, 8)
      case 2..<8: next(.broken, 1)
      case let size: next(.box, 8, after: size - 8)
      }
    case .largeBox:
      let size = number(0, 8)
      size < 16 ? next(.broken, 1) : next(.box, 8, after: size - 16)
    case .lastBox, .whole, .broken: break
    }
  }

  private mutating func begin() {
    let start = gathered
    if start[4..<8].elementsEqual("ftyp".utf8) {
      // Its brands identify the format.
      let size = number()
      guard size >= 16, size <= 4096 else { return next(.broken, 1) }
      next(.brands, Int(size))
      gathered = start
      if need == 16 { take() }
      return
    }
    kind = ImageKind(beginning: start)
    switch kind {
    case .jpeg:
      // The bytes gathered after the first two are processed again.
      next(.jpegMarker, 1)
      again(start[2...])
    case .png:
      next(.pngChunk, 8)
      again(start[8...])
    case .gif:
      next(.gifScreen, 7)
      again(start[6...])
    case .webp:
      // The size is little-endian and counts from the word WEBP; the file is padded to an even size.
      let size = UInt64(start[4]) | UInt64(start[5]) << 8 | UInt64(start[6]) << 16 | UInt64(start[7]) << 24
      if size <= 8 { next(.broken, 1) } else { next(.webpEnd, 1, after: size - 9) }
    default:
      step = .broken
    }
  }

  /// Looks at bytes once more, which were counted.
  private mutating func again(_ bytes: ArraySlice<UInt8>) {
    let copy = Array(bytes)
    count -= UInt64(copy.count)
    unsafe update(copy.span.bytes)
  }

  private mutating func takeJPEG(_ byte: UInt8) {
    switch (step, byte) {
    case (.jpegMarker, 0xFF): next(.jpegCode, 1)
    case (.jpegMarker, _): next(.broken, 1)
    case (.jpegLength(let code), _):
      let length = number(0, 2)
      guard length >= 2 else { return next(.broken, 1) }
      // The header of a scan (SOS) is followed by its data, in which 0xFF is followed by 0 or by a restart number.
      hasPicture = hasPicture || code == 0xDA
      next(code == 0xDA ? .jpegData : .jpegMarker, 1, after: length - 2)
    case (.jpegDataCode, let code) where Self.isData(code): next(.jpegData, 1)
    case (.jpegDataCode, 0xFF): next(.jpegDataCode, 1)
    case (_, 0xFF): next(.jpegCode, 1)
    case (_, 0xD9): next(hasPicture ? .whole : .broken, 1)
    case (_, 0x01), (_, 0xD0...0xD8): next(.jpegMarker, 1)
    default: next(.jpegLength(byte), 2)
    }
  }

  private mutating func takeGIF(_ first: UInt8) {
    /// Bytes of a table of colours, by the flags that announce it.
    func colours(_ flags: UInt8) -> UInt64 { flags & 0x80 == 0 ? 0 : 3 << UInt64((flags & 7) + 1) }
    switch step {
    case .gifScreen: next(.gifBlock, 1, after: colours(gathered[4]))
    case .gifImage:
      hasPicture = true
      next(.gifData, 1, after: colours(gathered[8]) + 1)
    case .gifData: first == 0 ? next(.gifBlock, 1) : next(.gifData, 1, after: UInt64(first))
    default:
      switch first {
      case 0x2C: next(.gifImage, 9)
      case 0x21: next(.gifData, 1, after: 1)
      case 0x3B: next(hasPicture ? .whole : .broken, 1)
      case 0x00: next(.gifBlock, 1)
      default: next(.broken, 1)
      }
    }
  }
}
