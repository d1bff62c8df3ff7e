import Codecs
import Rows

/// A record of a response, and its surroundings.
struct RESTRecord {
  var value: JSON
  /// Its key in an object of records; nil for others.
  var key: JSON?
  /// The records that enclose it, the innermost first.
  var outers: [JSON] = []
  /// Whether it is a row without some of the values that are needed.
  var isShort = false
}

/// A response, as far as values of its records refer to it.
struct RESTContext: Sendable {
  /// The URL of the response, for messages.
  var url = ""
  var document = JSON.null
  /// The number of its page, from 1.
  var page = 1
  /// The value of the parent record that the request was made for, if it was made for one.
  var parent: JSON?
  /// By name, the values of the parent record's columns, and those of `for_each`.
  var parents: [String: JSON] = [:]
  /// Whether the response is XML, whose elements are objects even where they are only text.
  var isXML = false
}

enum RESTSelector: Sendable {
  case pointer(JSONPointer)
  /// The record's position in its list, from 1.
  case place
  case parent(String?)
  case key, page
  case response(JSONPointer)
  /// In the enclosing record; 0 is the innermost.
  case outer(Int, JSONPointer)
  case constant(JSON)

  /// - Throws: `configuration` or `usage` for text that is not a selector.
  init(_ text: String) throws(Problem) {
    switch text {
    case SourceColumn.place: self = .place
    case SourceColumn.parent: self = .parent(nil)
    case SourceColumn.key: self = .key
    case SourceColumn.page: self = .page
    default:
      if text.hasPrefix("#parent/") {
        self = .parent(try JSONPointer(String(text.dropFirst("#parent".count))).steps.joined(separator: "/"))
      } else if text == "#answer" || text.hasPrefix("#answer/") {
        self = .response(try JSONPointer(String(text.dropFirst("#answer".count))))
      } else if text == "#outer" || text.hasPrefix("#outer/") {
        var rest = text.dropFirst("#outer".count), level = 0
        while rest.hasPrefix("/#outer") {
          rest = rest.dropFirst("/#outer".count)
          level += 1
        }
        self = .outer(level, try JSONPointer(String(rest)))
      } else {
        self = .pointer(try JSONPointer(text))
      }
    }
  }

  /// The value; nil if there is none.
  /// - Parameter position: the record's position in its list, from 1.
  func value(of record: RESTRecord, at position: Int, in context: RESTContext) -> JSON? {
    switch self {
    case .pointer(let pointer): return record.value.value(at: pointer)
    case .place: return .number(Int64(position))
    case .parent(nil): return context.parent
    case .parent(let name?): return context.parents[name]
    case .key: return record.key
    case .page: return .number(Int64(context.page))
    case .response(let pointer): return context.document.value(at: pointer)
    case .outer(let level, let pointer):
      guard record.outers.indices.contains(level) else { return nil }
      // A member that the innermost record does not have may be one of the record around it.
      return record.outers[level...].lazy.compactMap { $0.value(at: pointer) }.first
    case .constant(let value): return value
    }
  }
}
