import Codecs
public import Rows

/// HTML and SVG built from types: fixed text, escaped text, numbers and addresses. Other bytes cannot be appended
/// unchanged.
public struct Markup: ~Copyable {
  private var out: ByteBuffer
  /// The number of texts with characters that had to be replaced.
  private(set) var replaced = 0

  /// An empty document.
  public init(capacity: Int = 4096) { out = ByteBuffer(capacity: capacity) }

  /// Takes the bytes of `buffer`, to append to them; `finish` gives them back.
  public init(continuing buffer: inout ByteBuffer) {
    out = ByteBuffer(capacity: 1)
    swap(&out, &buffer)
  }

  /// Gives the bytes to `buffer`.
  public consuming func finish(into buffer: inout ByteBuffer) { swap(&out, &buffer) }

  /// The number of bytes.
  var count: Int { out.count }
  /// The bytes, copied.
  public borrowing func bytes() -> [UInt8] { out.bytes() }

  /// Appends fixed markup.
  public mutating func raw(_ fixed: StaticString) { out.append(fixed) }

  mutating func raw(bytes: [UInt8]) { out.append(bytes: bytes) }

  /// Appends an integer.
  public mutating func number(_ value: Int) { out.append(integer: Int64(value)) }
  /// Appends a number of tenths as a decimal.
  mutating func number(tenths: Int) {
    if tenths < 0 { out.append("-") }
    number(abs(tenths) / 10)
    guard tenths % 10 != 0 else { return }
    out.append(".")
    number(abs(tenths) % 10)
  }

  /// Appends text.
  public mutating func text(_ text: String) { self.text(bytes: Array(text.utf8)) }
  /// Appends text, given as UTF-8.
  public mutating func text(bytes: [UInt8]) {
    let chunk = Arena(bytes)
    text(ByteRun(chunk, 0, UInt32(bytes.count)))
  }
  mutating func text(_ run: ByteRun) { replaced += out.append(markup: run) }

  /// Appends an attribute with a text.
  /// - `name`: the name; not one whose value is an address, a script or a style.
  public mutating func attribute(_ name: StaticString, _ value: String) {
    begin(name)
    text(value)
    out.append("\"")
  }
  /// Appends an attribute with an integer.
  public mutating func attribute(_ name: StaticString, _ value: Int) {
    begin(name)
    number(value)
    out.append("\"")
  }
  mutating func begin(_ name: StaticString) {
    let word = name.description
    precondition(
      !["href", "src", "style", "action", "srcset", "srcdoc", "data", "formaction"].contains(word)
        && !word.hasPrefix("on"), "internal error: \(word) is not an attribute for text")
    open(name)
  }
  private mutating func open(_ name: StaticString) {
    out.append(" ")
    out.append(name)
    out.append("=\"")
  }

  /// The attributes with addresses.
  public enum AddressAttribute: Sendable { case href, src }

  /// Appends an attribute with an address.
  public mutating func attribute(_ name: AddressAttribute, _ address: PageAddress) {
    begin(name)
    text(bytes: address.text)
    out.append("\"")
  }
  /// Appends an attribute with the address that `web` is, if it is one that may be followed.
  /// - Returns: whether it is.
  mutating func attribute(_ name: AddressAttribute, web: ByteRun) -> Bool {
    guard WebAddress.isOne(web) || name == .href && WebAddress.isMail(web) else { return false }
    begin(name)
    text(web)
    out.append("\"")
    return true
  }
  private mutating func begin(_ name: AddressAttribute) {
    switch name {
    case .href: open("href")
    case .src: open("src")
    }
  }

  /// Appends a `style` element.
  mutating func style(_ sheet: StyleSheet) {
    out.append("<style>")
    out.append(bytes: sheet.text)
    out.append("</style>\n")
  }

  /// Appends a link.
  public mutating func anchor(_ begin: StaticString, _ address: PageAddress, _ words: String) {
    raw(begin)
    attribute(.href, address)
    raw(">")
    text(words)
    raw("</a>")
  }

  /// Appends the head of a page whose style is a part of it, and the beginning of its body; `policy` appends what the
  /// page may load besides.
  public mutating func head(_ title: String, _ sheet: StyleSheet, policy: (inout Markup) -> Void = { _ in }) {
    raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ")
    text(bytes: sheet.policySource)
    policy(&self)
    raw("; base-uri 'none'; form-action 'none'\">\n")
    raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    raw("<meta name=\"color-scheme\" content=\"light dark\">\n")
    raw("<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
    text(title)
    raw("</title>\n")
    style(sheet)
    raw("</head>\n<body>\n")
  }

  /// The source of a script in a content security policy: `'sha256-…'`.
  public static func policySource(of script: PageAsset) -> [UInt8] { policySource(of: script.bytes) }
  static func policySource(of text: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(text)
    return Array("'sha256-".utf8) + Base64.encoded(digest.digest()) + [UInt8(ascii: "'")]
  }

  // MARK: - Values

  /// Appends a number, a Boolean value or bytes: what has no character to escape.
  mutating func scalar(_ cell: Cell, _ chunk: Arena) {
    if case .boolean(let value) = cell { return out.append(value ? "yes" as StaticString : "no") }
    _ = DisplayText.append(cell, chunk, to: &out)
  }
}
