extension Completions {
  /// The script for bash. Nothing beyond bash itself is needed.
  var bash: String {
    """
    # bash completion of \(program.name)
    \(function)() {
      local cur prev place word last= options arguments files= front= \(narrowedVariables)
      cur=${COMP_WORDS[COMP_CWORD]}
      prev=${COMP_WORDS[COMP_CWORD-1]}
      # Bash takes --option=value for three words.
      if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    \(narrowing(over: "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\""))  case $prev in
    \(bashValues)  esac
      place=
      for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [ "$word" != = ] || continue
        case $last in \(valued.joined(separator: "|"))) last=; continue ;; esac
        last=$word
        case "$place/$word" in
          \(steps.joined(separator: "|"))) place=${place:+$place }$word ;;
          */-*) ;;
          /*) place=- ;;
        esac
      done
      case $place in
    \(bashPlaces)  esac
      if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
      else
        COMPREPLY=($(compgen -W "$arguments" -- "$cur"))
        [ -z "$files" ] || compopt -o default 2>/dev/null
      fi
    }
    complete -o bashdefault -F \(function) \(program.name)

    """
  }

  private var bashValues: String {
    var cases = ""
    for option in allOptions where option.placeholder != nil {
      let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
      let offer =
        switch option.values {
        case .file: "compopt -o default 2>/dev/null; COMPREPLY=()"
        case .directory: "COMPREPLY=($(compgen -d -- \"$cur\"))"
        case .free: "COMPREPLY=()"
        case .list:
          // The text before the last comma stays in front of the candidates for the next element.
          "compopt -o nospace 2>/dev/null; [[ $cur == *,* ]] && front=${cur%,*},; "
            + "COMPREPLY=($(compgen -P \"$front\" -W \(list(of: option)) -- \"${cur##*,}\"))"
        case .words, .dynamic:
          "COMPREPLY=($(compgen -W '\(candidates(option.values).joined(separator: " "))' -- \"$cur\"))"
        }
      cases += "    \(names.joined(separator: "|"))) \(offer); return ;;\n"
    }
    return cases
  }

  /// The words of a list, for `compgen -W`.
  private func list(of option: Option) -> String {
    if case .list(let kind) = option.values, narrowed.contains(where: { $0.kind == kind }) {
      return "\"$words_\(kind)\""
    }
    return "'\(candidates(option.values).joined(separator: " "))'"
  }

  private var bashPlaces: String {
    let start = places[0]
    func options(_ place: Place) -> String { place.options.map { "--\($0.name)" }.joined(separator: " ") }
    return places.map { place in
      "    '\(place.path)') options='\(options(place))'; arguments='\(place.words.joined(separator: " "))'\(place.takesFiles ? "; files=1" : "") ;;\n"
    }.joined() + "    *) options='\(options(start))'; arguments=\(start.takesFiles ? "; files=1" : "") ;;\n"
  }
}
