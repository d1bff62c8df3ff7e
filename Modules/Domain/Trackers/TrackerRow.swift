public import Codecs
import Query

/// A row of a tracker file as its description reads it.
public struct TrackerRow: Sendable {
  /// The dataset that the row belongs to.
  public enum Target: String, Sendable, Hashable, CaseIterable { case watches, ratings, lists, notes }

  var target: Target
  /// The name of the service, and that of the rule which reads the row.
  var source: String, rule: String
  /// The values by name: texts, integers, `true`, lists of texts and null.
  public var values: [String: JSON] = [:]
  /// Why a value cannot be read; nil if all were.
  public var failure: String?
  /// The values that identify a play in the service.
  public var identity: [String] = []
  /// The only one of them if it is a text of its own.
  public var ownText: String?
  /// Whether each row is one play.
  public var isEachPlay = false
  /// The row as it is written, for rows that cannot be read.
  var original = ""

  /// A row for `target`.
  public init(_ target: Target, source: String, rule: String) {
    (self.target, self.source, self.rule) = (target, source, rule)
  }

  /// The services of identifiers.
  public static let services = ["imdb", "tmdb", "tvdb", "trakt", "simkl", "letterboxd", "letterboxd_slug", "tvmaze"]

  func text(_ name: String) -> String? {
    guard let value = values[name], !value.isNull else { return nil }
    let text = value.stringValue ?? value.numberLiteral.map { String(decoding: $0, as: UTF8.self) }
    return text == "" ? nil : text
  }
  func integer(_ name: String) -> Int64? { values[name]?.integerValue }
  func ids(_ prefix: String) -> [String] {
    Self.services.compactMap { service in text(prefix + service).map { "\(service):\($0)" } }
  }

  /// The values as one text: fingerprints are made of it, so it must never change.
  var fingerprintText: String {
    Self.spelled(.object(values.map { JSON.Member(Array($0.key.utf8), $0.value) }))
  }

  /// Keeps the row as it is written, and the name of what is around it.
  public mutating func keep(_ row: JSON, in outer: JSON?) { original = Self.spelled(.array([row, outer ?? .null])) }

  /// JSON with a space after commas and colons, and keys in order.
  private static func spelled(_ value: JSON) -> String {
    switch value {
    case .array(let elements): "[" + elements.map(spelled).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        .map { spelled(.string($0.key)) + ": " + spelled($0.value) }.joined(separator: ", ") + "}"
    default: String(decoding: value.canonicalBytes, as: UTF8.self)
    }
  }

  /// The first 16 digits of the digest of a text.
  static func digest(_ text: String) -> String { String(SHA256.hex(Array(text.utf8)).prefix(16)) }

  /// A name as names are compared: without case, accents and punctuation.
  public static func folded(_ name: String?) -> String {
    var words: [String] = [], word = ""
    for scalar in String(decoding: Fold.folded((name ?? "").replacing("&", with: " and ")), as: UTF8.self)
      .unicodeScalars
    {
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType != nil || scalar == "_" {
        word.unicodeScalars.append(scalar)
      } else if !word.isEmpty {
        words.append(word)
        word = ""
      }
    }
    if !word.isEmpty { words.append(word) }
    // A name of punctuation only is itself.
    return words.isEmpty ? name ?? "" : words.joined(separator: " ")
  }
}
