package import Rows

/// The command lines of the actions that errors suggest.
package enum ActionLines {
  /// The command line of an action, with the name of its program; nil if no program has it.
  package static func line(_ action: Action) -> String? {
    let store = action.subject.map { " --storage \(Remedy.shellWord($0))" } ?? ""
    switch action.name {
    case "listSources": return "bb-export sources"
    case "sync": return "bb-export sync" + store
    case "addComment": return "bb-export comment add MOVIE --writer NAME --rating N TEXT"
    case "listObjects": return action.subject.map { "bb-export s3 list \(Remedy.shellWord($0))" }
    case "fetchImages": return "bb-export images -o DIR"
    case "createStore": return "bb-notes init" + store
    case "showHistory": return "bb-notes history"
    case "checkFile": return "bb-export check \(action.subject.map(Remedy.shellWord) ?? "FILE")"
    default: return nil
    }
  }
}
