/// The part of a column in the presentation of a record. A column without a role is a plain fact.
public enum ColumnRole: String, Sendable, Hashable, CaseIterable {
  /// The name of the record, such as a title: shown first.
  case title
  /// URLs or paths of images of the record.
  case image
  /// The URL of a small version of the image.
  case thumbnail
  /// An opaque identifier, of use only to programs.
  case identifier
  /// Bookkeeping, such as the time of the last update.
  case audit

  /// Whether values are addresses of images.
  @inlinable public var isImage: Bool { self == .image || self == .thumbnail }
}

extension Schema {
  /// The role of each column: the declared one; for a column without one, the role that its name and type suggest.
  public var roles: [ColumnRole?] {
    var roles = columns.map { $0.role ?? Self.suggestedRole($0) }
    if !roles.contains(.title), let title = suggestedTitle(roles) { roles[title] = .title }
    return roles
  }

  /// The position of the column with the name of the record; nil if there is none.
  public var title: Int? { roles.firstIndex(of: .title) }

  /// The same columns, of which one is the title.
  package func titled(by position: Int) -> Schema {
    var columns = self.columns
    let old = columns[position]
    columns[position] = ColumnDescription(old.name, old.type, old.summary, role: .title)
    return Schema(name, summary, key: key.map { columns[$0].name }, columns: columns)
  }

  private static func suggestedRole(_ column: ColumnDescription) -> ColumnRole? {
    let name = column.name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    switch column.type {
    case .url, .text, .list(.url), .list(.text), .json:
      guard let word = name.split(whereSeparator: { $0 == "_" || $0 == "-" || $0 == " " }).last else { return nil }
      if word == "thumbnail" || word == "thumbnails" { return .thumbnail }
      if imageWords.contains(where: { word == $0 || word == $0 + "s" }) { return .image }
      return column.type == .text && ["id", "uuid", "guid"].contains(name) ? .identifier : nil
    case .timestamp: return name == "created_at" || name == "updated_at" ? .audit : nil
    default: return nil
    }
  }

  private static let imageWords = ["image", "picture", "photo", "poster", "avatar", "portrait"]

  /// A column named `name` or `title`, or else the first plain text column.
  private func suggestedTitle(_ roles: [ColumnRole?]) -> Int? {
    let texts = columns.indices.filter { columns[$0].type == .text && roles[$0] == nil }
    for name in ["name", "title", "label"] {
      if let found = texts.first(where: { columns[$0].name.lowercased() == name }) { return found }
    }
    return texts.first
  }
}
