public import Rows

/// Texts edited by a person: what was written is never lost, and nothing is changed that the person did not mean.
public struct TextEditing: Sendable {
  private let editor: any TextEditor
  private let drafts: any DraftFolder

  /// How an editor was left.
  public enum Outcome: Sendable, Hashable {
    /// With another text, which is also in the draft at a path.
    case changed([UInt8], draft: String)
    /// Without a change that was meant; why, in words.
    case unchanged(String)
  }

  /// Editing with `editor`; texts are kept in `drafts` meanwhile.
  public init(_ editor: any TextEditor, _ drafts: any DraftFolder) {
    self.editor = editor
    self.drafts = drafts
  }

  /// Lets a person edit a text.
  ///
  /// An empty text, the same text, and an editor that fails mean that nothing is to be changed.
  /// - Parameters:
  ///   - text: what the editor begins with.
  ///   - saved: the text as it is kept, when that is another.
  ///   - name: what it is about.
  public func edit(
    _ text: [UInt8], saved: [UInt8]? = nil, about name: String
  ) async throws(Problem) -> Outcome {
    let path = try drafts.make(text.isEmpty ? [] : text + [10], about: name)
    let code: Int32
    do throws(Problem) {
      code = try await editor.edit(fileAt: path)
    } catch {
      drafts.remove(path)
      throw error
    }
    var edited: [UInt8]
    do throws(Problem) {
      edited = NoteText.trimmed(try drafts.text(at: path))
    } catch {
      guard error.kind == .noInput else { throw error }
      // The person, or the editor, threw it away.
      return .unchanged("the text was removed")
    }
    if code != 0 {
      guard !edited.isEmpty, edited != NoteText.trimmed(text) else {
        drafts.remove(path)
        return .unchanged("the editor ended with \(code)")
      }
      return .unchanged("the editor ended with \(code); its text is kept in \(path)")
    }
    guard !edited.isEmpty, edited != (saved ?? text) else {
      drafts.remove(path)
      return .unchanged(edited.isEmpty ? "the text is empty" : "the text is the same")
    }
    return .changed(edited, draft: path)
  }

  /// A problem that says as well where the text is kept.
  public static func telling(_ problem: Problem, of draft: String) -> Problem {
    var problem = problem
    let hint = problem.hint.isEmpty ? "" : problem.hint + (problem.hint.hasSuffix("?") ? " " : "; ")
    problem.hint = hint + "your text is kept in \(draft)"
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
