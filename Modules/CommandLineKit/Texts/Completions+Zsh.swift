extension Completions {
  /// The script for zsh: for a directory of `fpath` under the name `_PROGRAM`, or to be sourced.
  var zsh: String {
    """
    #compdef \(program.name)
    # zsh completion of \(program.name)
    _\(program.name)() {
      local context state state_descr line place word last \(narrowedVariables)
      typeset -A opt_args
    \(narrowing(over: "\"${(@)words[2,CURRENT-1]}\""))  _arguments \\
    \(allOptions.map(zshOption).joined(separator: " \\\n")) \\
        '*:argument:->argument'
      [[ $state == argument ]] || return
      place=
      for word in "${(@)words[2,CURRENT-1]}"; do
        case $last in (\(valued.joined(separator: "|"))) last=; continue ;; esac
        last=$word
        case "$place/$word" in
          (\(steps.joined(separator: "|"))) place=${place:+$place }$word ;;
          (*/-*) ;;
          (/*) place=- ;;
        esac
      done
      case $place in
    \(zshPlaces)  esac
    }
    if [[ $funcstack[1] == _\(program.name) ]]; then _\(program.name) "$@"; else compdef _\(program.name) \
    \(program.name); fi

    """
  }

  private var zshPlaces: String {
    places.filter { !$0.words.isEmpty || $0.takesFiles }.map { place in
      let words = place.words.isEmpty ? "" : " compadd -- \(place.words.joined(separator: " "));"
      return "    ('\(place.path)')\(words)\(place.takesFiles ? " _files;" : "") ;;\n"
    }.joined() + (places[0].takesFiles ? "    (-) _files ;;\n" : "")
  }

  private func zshOption(_ option: Option) -> String {
    func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''") }
    func plain(_ text: String) -> String {
      quoted(text.replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: "\\:"))
    }
    let value = option.placeholder.map { ":\(plain($0)):" } ?? ""
    let action =
      switch option.values {
      case .file: "\(value)_files"
      case .directory: "\(value)_files -/"
      case .free: value.isEmpty ? "" : "\(value) "
      case .list(let kind) where narrowed.contains { $0.kind == kind }:
        "\(value)_sequence compadd - ${=words_\(kind)}"
      case .list: "\(value)_sequence compadd - \(candidates(option.values).joined(separator: " "))"
      case .words, .dynamic: "\(value)(\(candidates(option.values).joined(separator: " ")))"
      }
    let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
    return names.map { name in
      let equals = option.placeholder != nil && name.hasPrefix("--") ? "=" : ""
      return "    '\(option.isRepeatable ? "*" : "")\(name)\(equals)[\(plain(option.completionSummary))]\(action)'"
    }.joined(separator: " \\\n")
  }
}
