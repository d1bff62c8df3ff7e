import Codecs
public import Rows

/// The configuration of a Singer tap: the source and the datasets.
public struct SingerSettings: Sendable, Hashable {
  /// A source's name, or the path of a file that describes one.
  public var source: String?
  /// The server that speaks the API.
  public var server: String?
  /// A store to read instead of an API.
  public var storage: String?
  /// The datasets; all when there are none.
  public var datasets: [String] = []
  /// The maximum age of a cached response, in seconds.
  public var maximumAge: Int?
  /// Whether no connection is opened.
  public var isOffline = false

  private static let keys = ["source", "api_url", "storage", "datasets", "max_age", "offline"]
  /// The settings that runners pass to every tap.
  private static let usual = ["start_date", "user_agent"]

  /// The settings in the bytes of a file.
  /// - Parameters:
  ///   - bytes: the contents of the file.
  ///   - name: the file's path, for messages.
  /// - Throws: `configuration` for a key that is not known, with the nearest right one, or a value of the wrong kind.
  public init(_ bytes: [UInt8], name: String) throws(Problem) {
    let document = try JSON.parse(bytes, asConfiguration: name)
    guard let members = document.objectMembers else {
      throw Problem(.configuration, "expected an object, found \(document.kindName)", at: name)
    }
    for member in members {
      let place = "\(name): /\(member.name)"
      func wrong(_ wanted: String) -> Problem {
        Problem(.configuration, "expected \(wanted), found \(member.value.kindName)", at: place)
      }
      func text() throws(Problem) -> String {
        guard let text = member.value.stringValue else { throw wrong("a string") }
        return text
      }
      switch member.name {
      case _ where member.value.isNull: break
      case "source": source = try text()
      case "api_url": server = try text()
      case "storage": storage = try text()
      case "datasets":
        guard let elements = member.value.arrayValue else { throw wrong("a list") }
        datasets = elements.compactMap(\.stringValue)
        guard datasets.count == elements.count else { throw wrong("an array of strings") }
      case "max_age":
        guard let age = member.value.integerValue, age >= 0, age <= Int32.max else { throw wrong("seconds") }
        maximumAge = Int(age)
      case "offline":
        guard let truth = member.value.booleanValue else { throw wrong("true or false") }
        isOffline = truth
      case let key:
        guard !Self.usual.contains(key) else { continue }
        let hint =
          Remedy.choose(key, from: Self.keys, "available settings")
        throw Problem(.configuration, "unknown setting “\(key)”", at: name, hint: hint)
      }
    }
    if storage != nil, source != nil || server != nil || maximumAge != nil || isOffline {
      throw Problem(
        .configuration, "storage and API settings cannot be used together", at: name, hint: "use only one of them")
    }
  }
}
