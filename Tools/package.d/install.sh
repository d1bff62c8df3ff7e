#!/bin/sh
# Installs bb from the directory of this file.
#   install.sh [--prefix DIR]                 DIR is ~/.local
#   install.sh --uninstall [--prefix DIR]     removes what was installed, and nothing else
set -eu
umask 022
name=${BB_PROGRAM:-install.sh}
fail() {
  printf '%s: %s\n' "$name" "$1" >&2
  [ -z "${2:-}" ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}
warn() { printf '%s: warning: %s\nhint: %s\n' "$name" "$1" "$2" >&2; }
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd)
prefix='' uninstall=''
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) [ -n "${2:-}" ] || fail "missing value for --prefix: --prefix DIR"; prefix=$2; shift ;;
    --prefix=?*) prefix=${1#*=} ;;
    --uninstall) uninstall=1 ;;
    -h | --help) sed -n '2,4{s/^#  *install/usage: install/;s/^# //;p;}' "$0"; exit 0 ;;
    *) fail "unknown option $1" "run: $name --help" ;;
  esac
  shift
done
[ -n "$prefix${HOME:-}" ] || fail "HOME is not set" "name a directory: --prefix DIR"
prefix=${prefix:-$HOME/.local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
list=share/bb/installed-files

# Removes the files listed in $1 that are not in $2, then the directories listed that are empty.
remove() {
  while IFS= read -r path; do
    case $path in */) ;; *) grep -qxF -- "$path" "$2" || rm -f -- "$prefix/$path" ;; esac
  done <"$1"
  sort -r "$1" | while IFS= read -r path; do
    case $path in */) grep -qxF -- "$path" "$2" || rmdir -- "$prefix/$path" 2>/dev/null || true ;; esac
  done
}

if [ -n "$uninstall" ]; then
  [ -f "$prefix/$list" ] || fail "bb is not installed in $prefix" "give the directory that it was installed in: --uninstall --prefix DIR"
  [ -w "$prefix/share/bb" ] || fail "$prefix: permission denied" "run it as the user who installed bb"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp "$prefix/$list" "$work/list"
  remove "$work/list" /dev/null
  echo "removed bb from $prefix"
  exit 0
fi

missing=$prefix
while [ ! -e "$missing" ] && [ ! -L "$missing" ]; do missing=$(dirname -- "$missing"); done
if ! [ -d "$missing" ] || ! [ -w "$missing" ]; then fail "$missing: permission denied" "choose another directory with --prefix DIR, or run it as its owner"; fi
"$here/bin/bb-export" --version >/dev/null 2>&1 || fail "the programs do not run on this machine" "they need Linux with glibc 2.34 or later on $(cat "$here/share/bb/machine")"
# Programs look for plug-ins below /usr/local and /usr, and in the user's own data directory.
case $prefix in /usr/local | /usr) unused='^$' ;; *) unused='^lib/' ;; esac
# Files that another program installed stay.
other=$(grep -v "$unused" "$here/share/bb/files" | while IFS= read -r path; do
  case $path in */) continue ;; esac
  [ -e "$prefix/$path" ] || [ -L "$prefix/$path" ] || continue
  grep -qsxF -- "$path" "$prefix/$list" || { printf '%s\n' "$prefix/$path"; break; }
done)
[ -z "$other" ] || fail "refusing to replace $other, which this script did not install" "move it, or choose another directory with --prefix DIR"
stage=
# The copy is on the same file system, so that a full disk changes nothing; directories made for it are removed with it.
made=
directory=$prefix
while [ ! -d "$directory" ]; do made="$made$directory
"; directory=$(dirname -- "$directory"); done
clean() {
  [ -z "$stage" ] || rm -rf -- "$stage"
  printf '%s' "$made" | while IFS= read -r directory; do rmdir -- "$directory" 2>/dev/null || true; done
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
reason=$(mkdir -p -- "$prefix" 2>&1) || fail "cannot write to $prefix: ${reason##*: }" "choose another directory with --prefix DIR"
stage=$(mktemp -d "$prefix/.bb-install.XXXXXX") || { stage=; fail "cannot write to $prefix" "choose another directory with --prefix DIR"; }
grep -v "$unused" "$here/share/bb/files" >"$stage/files" || fail "$prefix: no space left on device" "free some space and run again"
copy() {
  while IFS= read -r path; do
    case $path in
      */) mkdir -p -- "$stage/tree/$path" || return 1 ;;
      *) cp -P -- "$here/$path" "$stage/tree/$path" || return 1 ;;
    esac
  done
}
reason=$(copy <"$stage/files" 2>&1) || fail "cannot write to $prefix: ${reason##*: }" "free some space and run again"
# Files, and the directories that do not exist yet or that an earlier installation made.
while IFS= read -r path; do
  case $path in */) [ -d "$prefix/$path" ] && ! grep -qsxF -- "$path" "$prefix/$list" || echo "$path" ;; *) echo "$path" ;; esac
done <"$stage/files" >"$stage/list"
echo "$list" >>"$stage/list"
[ ! -f "$prefix/$list" ] || remove "$prefix/$list" "$stage/list"
# The list first, so that --uninstall finds everything even if this is interrupted.
mkdir -p -- "$prefix/share/bb"
mv -f -- "$stage/list" "$prefix/$list"
while IFS= read -r path; do
  case $path in */) mkdir -p -- "$prefix/$path" ;; *) mv -f -- "$stage/tree/$path" "$prefix/$path" ;; esac
done <"$stage/files"
made=
version=$("$prefix/bin/bb-export" --version)
echo "installed bb ${version##* } in $prefix"

# What keeps a shell from finding it.
found=$(command -v bb-export || true)
case :$PATH: in
  *:"$prefix/bin":*) [ "$found" = "$prefix/bin/bb-export" ] || printf '%s: warning: %s comes first on the PATH\n' "$name" "$found" >&2 ;;
  *) warn "$prefix/bin is not on the PATH" "add to ~/.profile: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
functions=$prefix/share/zsh/site-functions
# shellcheck disable=SC2016
if command -v zsh >/dev/null && ! timeout 5 zsh -ic 'print -rl -- $fpath' </dev/null 2>/dev/null | grep -qxF -- "$functions"; then
  warn "$functions is not in fpath of zsh" "add to ~/.zshrc, before compinit: fpath=('$functions' \$fpath)"
fi
completions=$prefix/share/fish/vendor_completions.d
# shellcheck disable=SC2016
# fish would make its directory for who never used it.
if [ -d "${XDG_CONFIG_HOME:-${HOME:-/}/.config}/fish" ] && command -v fish >/dev/null && ! timeout 5 fish -c 'printf "%s\n" $fish_complete_path' </dev/null 2>/dev/null | grep -qxF -- "$completions"; then
  warn "$completions is not in fish_complete_path of fish" "add to ~/.config/fish/config.fish: set -a fish_complete_path '$completions'"
fi
