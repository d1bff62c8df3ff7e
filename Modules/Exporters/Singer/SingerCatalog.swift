import Codecs
public import Rows

/// The catalogue of a Singer tap: what streams there are, and which of them a runner wants.
public enum SingerCatalog {
  /// The output of a tap for `--discover`, with a final line feed: every table is a stream with full replication.
  public static func text(of tables: [Schema]) -> [UInt8] {
    let streams = tables.map { schema in
      let keys = schema.key.map { JSON.string(schema.columns[$0].name) }
      let whole = metadata(
        [],
        [
          ("inclusion", .string("available")), ("selected-by-default", .boolean(true)),
          ("forced-replication-method", .string("FULL_TABLE")), ("table-key-properties", .array(keys)),
        ])
      let columns = schema.columns.enumerated().map { position, column in
        metadata(
          ["properties", column.name],
          [
            ("inclusion", .string(schema.key.contains(position) ? "automatic" : "available")),
            ("selected-by-default", .boolean(true)),
          ])
      }
      return JSON.object([
        "stream": .string(schema.name), "tap_stream_id": .string(schema.name), "schema": SingerExporter.record(schema),
        "key_properties": .array(keys), "metadata": .array([whole] + columns),
      ])
    }
    return JSON.object(["streams": .array(streams)]).indentedBytes()
  }

  private static func metadata(_ breadcrumb: [String], _ members: [(String, JSON)]) -> JSON {
    .object([
      "breadcrumb": .array(breadcrumb.map { .string($0) }),
      "metadata": .object(members.map { JSON.Member(Array($0.0.utf8), $0.1) }),
    ])
  }

  /// A stream that a runner wants.
  public struct Choice: Sendable, Hashable {
    /// The table.
    public let stream: String
    /// Columns it does not want.
    public let without: [String]
  }

  /// The streams that the bytes of a catalogue choose, in its order.
  ///
  /// A stream or column is chosen when its metadata say `selected`, else when they say `selected-by-default`; a column
  /// also when they say neither. A key is always there.
  /// - Parameters:
  ///   - bytes: the contents of the file.
  ///   - name: the file's path, for messages.
  /// - Throws: `configuration` for an invalid catalog.
  public static func read(_ bytes: [UInt8], name: String) throws(Problem) -> [Choice] {
    let document = try JSON.parse(bytes, asConfiguration: name)
    guard let streams = document["streams"]?.arrayValue else {
      throw Problem(.configuration, "not a Singer catalog: missing array “streams”", at: name)
    }
    var choices: [Choice] = []
    for stream in streams {
      guard let id = (stream["tap_stream_id"] ?? stream["stream"])?.stringValue else {
        throw Problem(.configuration, "stream without a name", at: name)
      }
      var isChosen = stream["schema"]?["selected"]?.booleanValue ?? false
      var without: [String] = []
      for entry in stream["metadata"]?.arrayValue ?? [] {
        let place = entry["breadcrumb"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let said = entry["metadata"] ?? .null
        let choice = said["selected"]?.booleanValue ?? said["selected-by-default"]?.booleanValue
        if place.isEmpty {
          isChosen = choice ?? isChosen
        } else if place.count == 2, place[0] == "properties", choice == false, said["inclusion"] != .string("automatic")
        {
          without.append(place[1])
        }
      }
      if isChosen { choices.append(Choice(stream: id, without: without)) }
    }
    return choices
  }
}

extension SingerCatalog {
  /// Whether the bytes of a file are a state: a JSON object. Every run gives whole tables, so nothing in it is needed.
  /// - Throws: `configuration` for anything else.
  public static func checkState(_ bytes: [UInt8], name: String) throws(Problem) {
    guard try JSON.parse(bytes, asConfiguration: name).objectMembers != nil else {
      throw Problem(.configuration, "not a Singer state: expected a JSON object", at: name)
    }
  }
}

extension JSON {
  /// Parses a configuration document.
  /// - Throws: `configuration` with the place of the error, for text that is not JSON.
  static func parse(_ bytes: [UInt8], asConfiguration name: String) throws(Problem) -> JSON {
    do throws(Problem) {
      return try parse(bytes, name: name)
    } catch {
      throw Problem(.configuration, error.message, at: error.place, hint: error.hint)
    }
  }
}
