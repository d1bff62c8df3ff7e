public import Rows

/// Text editing by the user: written text is never lost, and unintended changes are discarded.
public struct TextEditing: Sendable {
  private let editor: any TextEditor
  private let drafts: any DraftDirectory

  /// The outcome of an editor session.
  public enum Outcome: Sendable, Hashable {
    /// With another text, which is also in the draft at a path.
    case changed([UInt8], draft: String)
    /// No intended change, with the reason as text.
    case unchanged(String)
  }

  /// Creates editing with `editor`; drafts are kept in `drafts` in the meantime.
  public init(_ editor: any TextEditor, _ drafts: any DraftDirectory) {
    self.editor = editor
    self.drafts = drafts
  }

  /// Opens a text in the editor.
  ///
  /// An empty text, an unchanged text, and closing the editor without saving mean no change.
  /// - Parameters:
  ///   - text: the initial text.
  ///   - saved: the stored text, if it differs.
  ///   - name: the subject.
  /// - Throws: `unavailable` if the editor exits with another status than 0; a changed text is kept as a draft.
  public func edit(
    _ text: [UInt8], saved: [UInt8]? = nil, about name: String
  ) async throws(Problem) -> Outcome {
    let path = try drafts.make(text.isEmpty ? [] : text + [10], about: name)
    let code: Int32, before: [Int64]
    do throws(Problem) {
      before = try drafts.version(of: path)
      code = try await editor.edit(fileAt: path)
    } catch {
      drafts.remove(path)
      throw error
    }
    var edited: [UInt8]
    do throws(Problem) {
      edited = NoteText.trimmed(try drafts.text(at: path))
    } catch {
      guard error.kind == .noInput, code == 0 else { throw error }
      // The user, or the editor, deleted the file.
      return .unchanged("the text is empty")
    }
    let isSame = edited == NoteText.trimmed(text)
    if code != 0 {
      let problem = Problem(.unavailable, "the editor exited with status \(code); nothing was changed")
      guard edited.isEmpty || isSame else { throw Self.telling(problem, of: path) }
      drafts.remove(path)
      throw problem
    }
    // Saving the initial text unchanged confirms it.
    let version = try drafts.version(of: path), isUnsaved = isSame && version == before
    guard !edited.isEmpty, !isUnsaved, edited != (saved ?? text) else {
      drafts.remove(path)
      return .unchanged(
        edited.isEmpty
          ? "the text is empty"
          : isUnsaved && saved ?? text != text ? "the editor was closed without saving" : "the text is unchanged")
    }
    return .changed(edited, draft: path)
  }

  /// A problem that says as well where the text is kept.
  public static func telling(_ problem: Problem, of draft: String) -> Problem {
    var problem = problem
    problem.hint = problem.hint.followed(by: "your text is saved in \(draft)")
    return problem
  }

  /// Saves a text; when that fails it is kept as a draft, and the problem says where.
  ///
  /// - Parameters:
  ///   - text: the text, in UTF-8.
  ///   - draft: where it is kept already; nil when a draft is to be made.
  ///   - name: what the text is about, for the name of a draft.
  ///   - save: the action that saves the text.
  @discardableResult
  public func saving<Result>(
    _ text: [UInt8], draft: String? = nil, about name: String, _ save: () async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    do throws(Problem) {
      let result = try await save()
      if let draft { drafts.remove(draft) }
      return result
    } catch {
      // A text that is refused for what it is need not be kept a second time.
      guard error.kind != .usage || draft != nil, let path = draft ?? (try? drafts.make(text + [10], about: name))
      else {
        throw error
      }
      throw Self.telling(error, of: path)
    }
  }
}
