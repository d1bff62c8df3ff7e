public import Rows

/// A place on the earth, in degrees of WGS 84.
public struct Coordinates: Sendable, Hashable {
  /// From -90 to 90; north is positive.
  public let latitude: Double
  /// From -180 to 180; east is positive.
  public let longitude: Double

  /// A place.
  /// - Throws: `usage` for degrees that do not exist.
  public init(latitude: Double, longitude: Double) throws(Problem) {
    guard abs(latitude) <= 90 else {
      let hint: Remedy =
        abs(longitude) <= 90 && abs(latitude) <= 180
        ? "latitude comes first, then longitude" : "use LAT,LON, for example 47.05,8.3"
      throw Problem(.usage, "latitude \(Self.plain(latitude)) is out of range (-90 to 90)", hint: hint)
    }
    guard abs(longitude) <= 180 else {
      throw Problem(.usage, "longitude \(Self.plain(longitude)) is out of range (-180 to 180)")
    }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Parses decimal degrees (`47.05,8.3`), degrees, minutes and seconds (`47°3'0"N 8°18'0"E`) or a `geo:` URI.
  ///
  /// Letters before or after a number (`N47 3 E8 18`) identify the axis; without them latitude comes first. Minutes and
  /// seconds are below 60, and only the last number has a fraction.
  /// - Throws: `usage` for anything else.
  public init(parsing text: String) throws(Problem) {
    let trimmed = text.drop { $0 == " " }
    if trimmed.lowercased().hasPrefix("geo:") {
      self = try Self.geo(trimmed.dropFirst(4), text)
      return
    }
    let (first, second) = try Self.split(try AngleToken.tokens(of: trimmed, in: text), text)
    let a = try Angle(first, text), b = try Angle(second, text)
    switch (a.axis, b.axis) {
    case (.longitude, .latitude), (.longitude, nil), (nil, .latitude):
      try self.init(latitude: b.degrees, longitude: a.degrees)
    case (.latitude, .longitude), (.latitude, nil), (nil, .longitude), (nil, nil):
      try self.init(latitude: a.degrees, longitude: b.degrees)
    case (.latitude, .latitude), (.longitude, .longitude): throw Self.problem(text)
    }
  }

  /// `47.05,8.3`: the shortest digits that read back the same.
  public var text: String { "\(Self.plain(latitude)),\(Self.plain(longitude))" }
  /// The address of a map that shows the place.
  public var mapURL: String {
    let (lat, lon) = (Self.plain(latitude), Self.plain(longitude))
    return "https://www.openstreetmap.org/?mlat=\(lat)&mlon=\(lon)#map=15/\(lat)/\(lon)"
  }
  /// The address of a way to the place.
  /// - Parameter start: where it begins; nil to be asked there.
  public func directionsURL(from start: Coordinates?) -> String {
    let end = "\(Self.plain(latitude))%2C\(Self.plain(longitude))"
    guard let start else { return "https://www.openstreetmap.org/directions?to=\(end)" }
    let begin = "\(Self.plain(start.latitude))%2C\(Self.plain(start.longitude))"
    return "https://www.openstreetmap.org/directions?from=\(begin)&to=\(end)"
  }

  /// A number without an exponent; -0 is 0.
  private static func plain(_ value: Double) -> String {
    if value == 0 { return "0" }
    let text = "\(value)"
    guard let mark = text.unicodeScalars.firstIndex(of: "e") else {
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    // The only exponents that degrees have are those of tiny numbers.
    let zeros = (Int(text[text.index(mark, offsetBy: 2)...]) ?? 1) - 1
    let digits = text[..<mark].filter { $0.isNumber }
    let trimmed = digits.hasSuffix("0") && digits.count > 1 ? digits.dropLast() : digits[...]
    return (value < 0 ? "-" : "") + "0." + String(repeating: "0", count: zeros) + trimmed
  }

  fileprivate static func problem(_ text: String) -> Problem {
    Problem(
      .usage, "invalid coordinates “\(text)”",
      hint: "use LAT,LON, for example 47.05,8.3 or 47°3'N 8°18'E or geo:47.05,8.3")
  }

  /// `geo:LAT,LON[,ALTITUDE][;crs=wgs84][;u=…][?z=…]`; the query that phones add is not part of the position.
  private static func geo(_ rest: Substring, _ text: String) throws(Problem) -> Coordinates {
    let parts = rest.prefix { $0 != "?" }.split(at: ";", omittingEmptySubsequences: false)
    for parameter in parts.dropFirst() {
      let pair = parameter.split(at: "=", maxSplits: 1)
      if pair.first?.lowercased() == "crs", pair.last?.lowercased() != "wgs84" { throw problem(text) }
    }
    let numbers = (parts.first ?? "").split(at: ",", omittingEmptySubsequences: false)
    guard numbers.count == 2 || numbers.count == 3, let latitude = AngleToken.number(numbers[0]),
      let longitude = AngleToken.number(numbers[1])
    else { throw problem(text) }
    return try Coordinates(latitude: latitude, longitude: longitude)
  }

  /// The two halves of a text's tokens.
  private static func split(
    _ tokens: [AngleToken], _ text: String
  ) throws(Problem) -> (ArraySlice<AngleToken>, ArraySlice<AngleToken>) {
    let commas = tokens.indices.filter { tokens[$0] == .comma }
    if commas.count == 1 { return (tokens[..<commas[0]], tokens[(commas[0] + 1)...]) }
    guard commas.isEmpty else { throw problem(text) }
    let letters = tokens.indices.filter { if case .letter = tokens[$0] { true } else { false } }
    if letters.count == 2 {
      let cut = letters[0] == 0 ? letters[1] : letters[0] + 1
      return (tokens[..<cut], tokens[cut...])
    }
    let numbers = tokens.indices.filter { if case .number = tokens[$0] { true } else { false } }
    let degrees = tokens.indices.filter { tokens[$0] == .degrees }
    if degrees.count == 2 { return (tokens[..<(degrees[1] - 1)], tokens[(degrees[1] - 1)...]) }
    guard letters.isEmpty, degrees.isEmpty, numbers.count == 2, tokens.count == 2 else { throw problem(text) }
    return (tokens[..<1], tokens[1...])
  }
}

private enum AngleToken: Equatable {
  case number(Double, isNegative: Bool, isWhole: Bool)
  /// `N`, `S`, `E` or `W`.
  case letter(Character)
  case degrees, minutes, seconds, comma

  private static let marks: [Unicode.Scalar: AngleToken] = [
    "°": .degrees, "º": .degrees, "˚": .degrees, "d": .degrees, "'": .minutes, "’": .minutes, "′": .minutes,
    "m": .minutes, "\"": .seconds, "”": .seconds, "″": .seconds, ",": .comma, ";": .comma,
  ]

  static func tokens(of text: Substring, in whole: String) throws(Problem) -> [AngleToken] {
    var tokens: [AngleToken] = [], rest = text.unicodeScalars
    while let scalar = rest.first {
      switch scalar {
      case " ", "\t", "\u{A0}": rest.removeFirst()
      case "N", "S", "E", "W", "n", "s", "e", "w":
        rest.removeFirst()
        tokens.append(.letter(Character(Character(scalar).uppercased())))
      case "0"..."9", "+", "-", "−", ".":
        let sign = "+-−".unicodeScalars.contains(scalar) ? 1 : 0
        let digits = rest.dropFirst(sign).prefix { ("0"..."9").contains($0) || $0 == "." }
        guard let value = number(Substring(digits)) else { throw Coordinates.problem(whole) }
        rest = rest.dropFirst(sign + digits.count)
        let isNegative = sign == 1 && scalar != "+"
        tokens.append(.number(value, isNegative: isNegative, isWhole: !digits.contains(".")))
      default:
        // Two marks of minutes are one of seconds.
        guard let mark = marks[scalar] else { throw Coordinates.problem(whole) }
        rest.removeFirst()
        if mark == .minutes, let next = rest.first, marks[next] == .minutes, scalar != "m" {
          rest.removeFirst()
          tokens.append(.seconds)
        } else {
          tokens.append(mark)
        }
      }
    }
    return tokens
  }

  /// A plain decimal number; nil for anything else.
  static func number(_ text: Substring) -> Double? {
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 48 < 10 || $0 == 46 }), digits.first != ".",
      digits.last != ".", let value = Double(text), value.isFinite
    else { return nil }
    return value
  }
}

private struct Angle {
  enum Axis { case latitude, longitude }
  let degrees: Double
  /// The axis, if a letter identifies it.
  private(set) var axis: Axis?

  init(_ tokens: ArraySlice<AngleToken>, _ text: String) throws(Problem) {
    var rest = tokens, letter: Character?
    if case .letter(let first)? = rest.first {
      letter = first
      rest.removeFirst()
    }
    if case .letter(let last)? = rest.last {
      guard letter == nil else { throw Coordinates.problem(text) }
      letter = last
      rest.removeLast()
    }
    var parts: [Double] = [], isNegative = false, isWhole = true
    let marks: [AngleToken] = [.degrees, .minutes, .seconds]
    while let token = rest.popFirst() {
      guard case .number(let value, let hasSign, let whole) = token, parts.count < 3, isWhole,
        parts.isEmpty || !hasSign && value < 60
      else { throw Coordinates.problem(text) }
      if parts.isEmpty { isNegative = hasSign }
      isWhole = whole
      parts.append(value)
      if let mark = rest.first, marks.contains(mark) {
        guard mark == marks[parts.count - 1] else { throw Coordinates.problem(text) }
        rest.removeFirst()
      }
    }
    guard !parts.isEmpty, letter == nil || !isNegative else { throw Coordinates.problem(text) }
    let sum = parts.enumerated().reduce(0.0) { $0 + $1.element / [1, 60, 3600][$1.offset] }
    switch letter {
    case "N", "S": axis = .latitude
    case "E", "W": axis = .longitude
    default: axis = nil
    }
    degrees = isNegative || letter == "S" || letter == "W" ? -sum : sum
  }
}
