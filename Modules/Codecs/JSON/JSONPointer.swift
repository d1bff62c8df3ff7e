public import Rows

/// A place in a JSON document, as RFC 6901 writes it: `/results/0/name`; the empty text is the whole document.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// Keys and indices from the outside in, unescaped.
  public let steps: [String]

  /// The pointer of these steps.
  public init(steps: [String]) { self.steps = steps }

  /// The pointer that `text` writes.
  /// - Throws: `usage` for text that is neither empty nor begins with `/`, and for `~` before anything but 0 and 1.
  public init(_ text: String) throws(Problem) {
    guard !text.isEmpty else {
      steps = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else {
      throw Problem(.usage, "invalid JSON Pointer “\(text)”", hint: "start it with a slash, for example /results")
    }
    var steps: [String] = []
    for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      var bytes: [UInt8] = []
      var rest = part[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "~") else {
          bytes.append(byte)
          continue
        }
        switch rest.popFirst() {
        case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
        default: throw Problem(.usage, "invalid JSON Pointer “\(text)”", hint: "write ~0 for ~ and ~1 for /")
        }
      }
      steps.append(String(decoding: bytes, as: UTF8.self))
    }
    self.steps = steps
  }

  /// The pointer as text.
  public var description: String {
    steps.map { step in
      "/"
        + step.split(at: "~", omittingEmptySubsequences: false).joined(separator: "~0")
        .split(at: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }.joined()
  }
}

extension JSON {
  /// The value at `pointer`; nil when there is none. Indices of arrays are written without leading zeros.
  public func value(at pointer: JSONPointer) -> JSON? {
    var value = self
    for step in pointer.steps {
      let next: JSON?
      if case .array = value {
        next = Int(step).flatMap { String($0) == step ? value[$0] : nil }
      } else {
        next = value[step]
      }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// The value at a pointer written in the program; nil when there is none, or the text is not a pointer.
  public func value(at pointer: String) -> JSON? {
    do throws(Problem) {
      return value(at: try JSONPointer(pointer))
    } catch {
      return nil
    }
  }
}
