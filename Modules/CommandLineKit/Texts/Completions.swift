/// Scripts that complete command lines by asking the program: `PROGRAM completions candidates -- WORD…`.
package enum Completions {
  /// The shells there are scripts for.
  package enum Shell: String, Sendable, CaseIterable {
    /// Bash, with or without bash-completion; zsh; fish.
    case bash, zsh, fish
  }

  /// The word after `completions` with which the scripts ask.
  package static let request = "candidates"

  /// The script for a shell.
  package static func script(for program: String, _ shell: Shell) -> String {
    let template =
      switch shell {
      case .bash: bash
      case .zsh: zsh
      case .fish: fish
      }
    return template.replacing("FUNCTION", with: "_" + program.replacing("-", with: "_")).replacing(
      "PROGRAM", with: program)
  }

  /// The instructions for enabling completion in each shell.
  package static func instructions(for program: String) -> String {
    """
    bash: add `source <(\(program) completions bash)` to ~/.bashrc; zsh: add the same, with zsh, to ~/.zshrc after \
    compinit; fish: add `\(program) completions fish | source` to ~/.config/fish/config.fish. Tools/install installs \
    them for all three shells. The scripts ask the program, which reads at most 64 KiB of the file on the command line.
    """
  }

  /// Bash takes `--option=value` and `a:desc` for several words, and replaces only the last of them.
  private static let bash = #"""
    # bash completion of PROGRAM
    FUNCTION() {
      local word line glued= last=-1 IFS=$'\n'
      local -a typed=()
      for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ last -ge 0 && ( -n $glued || $word == [=:]* ) ]]; then
          typed[last]+=$word
        else
          typed[++last]=$word
        fi
        [[ $word == [=:]* ]] && glued=1 || glued=
      done
      local current=${typed[last]//\\/} front
      typed[last]=$current
      front=${current%"${current##*[=:]}"}
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          $'\tfiles') compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "${current#"$front"}")) ;;
          $'\tdirectories') compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "${current#"$front"}")) ;;
          $'\topen') compopt -o nospace 2>/dev/null ;;
          *)
            line=${line%%$'\t'*}
            printf -v line %q "${line#"$front"}"
            COMPREPLY+=("${line//\\,/,}")
            ;;
        esac
      done < <(PROGRAM completions candidates -- "${typed[@]}" 2>/dev/null)
    }
    complete -F FUNCTION PROGRAM

    """#

  private static let zsh = #"""
    #compdef PROGRAM
    # zsh completion of PROGRAM
    _PROGRAM() {
      local line front
      local -a names shown suffix files
      for line in "${(@f)$(PROGRAM completions candidates -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        case $line in
          ('') ;;
          ($'\tfiles') files=(-f) ;;
          ($'\tdirectories') files=(-/) ;;
          ($'\topen') suffix=(-S '') ;;
          (*)
            names+=("${line%%$'\t'*}")
            if [[ $line == *$'\t'* ]]; then shown+=("${names[-1]}  -- ${line#*$'\t'}"); else shown+=("${names[-1]}"); fi ;;
        esac
      done
      (( $#names )) && compadd $suffix -l -d shown -a names
      if (( $#files )); then
        [[ $PREFIX == --*=* ]] && compset -P '*='
        _path_files $files
      fi
    }
    if [[ $funcstack[1] == _PROGRAM ]]; then _PROGRAM "$@"; else compdef _PROGRAM PROGRAM; fi

    """#

  private static let fish = #"""
    # fish completion of PROGRAM
    function FUNCTION_candidates
      set -l typed (commandline -opc)
      set -l current (commandline -ct)
      for line in (PROGRAM completions candidates -- $typed[2..] "$current" 2>/dev/null)
        switch $line
          case \tfiles
            __fish_complete_path "$current"
          case \tdirectories
            __fish_complete_directories "$current"
          case \t\*
          case '*'
            echo $line
        end
      end
    end
    complete -c PROGRAM -f -a '(FUNCTION_candidates)'

    """#
}
