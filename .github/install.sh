#!/bin/sh
# Installs the newest release of bb for this machine: programs, man pages, completions and documentation.
#   install.sh [--prefix DIR]                 DIR is ~/.local
#   install.sh --uninstall [--prefix DIR]     removes what was installed, and nothing else
# BB_RELEASES is where the files of a release are: a URL or a directory. BB_REPOSITORY (OWNER/NAME) is whose attestation
# is checked.
set -eu
umask 022
repository=${BB_REPOSITORY:-}
oldest=2.34
fail() {
  printf 'install.sh: %s\n' "$1" >&2
  [ -z "${2:-}" ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}
prefix='' uninstall=''
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) [ -n "${2:-}" ] || fail "missing value for --prefix: --prefix DIR"; prefix=$2; shift ;;
    --prefix=?*) prefix=${1#*=} ;;
    --uninstall) uninstall=1 ;;
    -h | --help) sed -n '2,6{s/^#  *install/usage: install/;s/^# //;p;}' "$0"; exit 0 ;;
    *) fail "unknown option $1" "run: install.sh --help" ;;
  esac
  shift
done
[ -n "$prefix${HOME:-}" ] || fail "HOME is not set" "name a directory: --prefix DIR"
prefix=${prefix:-$HOME/.local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
if [ -n "$uninstall" ]; then
  [ -f "$prefix/share/bb/install.sh" ] || fail "bb is not installed in $prefix" "give the directory that it was installed in: --uninstall --prefix DIR"
  # A copy, because it removes itself.
  exec sh -c "$(cat "$prefix/share/bb/install.sh")" install.sh --uninstall --prefix "$prefix"
fi

releases=${BB_RELEASES:-${repository:+https://github.com/$repository/releases/latest/download}}
[ -n "$releases" ] || fail "the place of the releases is unknown" "set BB_RELEASES to the URL or the directory of the files of a release"
[ "$(uname -s)" = Linux ] || fail "bb runs on Linux, and this is $(uname -s)" "use a virtual machine or a container"
machine=$(uname -m)
case $machine in x86_64 | aarch64) ;; arm64) machine=aarch64 ;; *) fail "there are no programs for $machine" "build bb from its source: Tools/install" ;; esac
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
[ -n "$glibc" ] || fail "the C library of this machine is not glibc" "use a distribution with glibc $oldest or later"
case $(printf '%s\n' "$oldest" "$glibc" | sort -t . -k 1,1n -k 2,2n | sed -n 1p) in
  "$oldest") ;;
  *) fail "glibc $glibc is too old: bb needs $oldest or later" "update the system, or build bb from its source: Tools/install" ;;
esac
for tool in sha256sum tar gzip; do command -v $tool >/dev/null || fail "$tool not found on the PATH" "install it, and run this again"; done

work=$(mktemp -d) || fail "cannot create a temporary directory" "free some space, or set TMPDIR"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# Only https, so that no one between can change the files; http only from this machine.
get() {
  case $releases in
    /*) cp -- "$releases/$1" "$work/$1" 2>/dev/null ;;
    https://* | file://* | http://127.0.0.1:* | http://localhost:*)
      if command -v curl >/dev/null; then curl -fsL --retry 3 -o "$work/$1" "$releases/$1"
      elif command -v wget >/dev/null; then wget -q -O "$work/$1" "$releases/$1"
      else fail "neither curl nor wget was found on the PATH" "install one of them, and run this again"; fi ;;
    *) fail "BB_RELEASES is neither a directory nor an https URL: $releases" ;;
  esac || fail "cannot download $releases/$1" "check the network and the free space, and run this again"
}
get SHA256SUMS
line=$(grep -- "  bb-[0-9][0-9A-Za-z.+-]*-linux-$machine\.tar\.gz\$" "$work/SHA256SUMS" | sed -n 1p) || true
[ -n "$line" ] || fail "the release has no programs for $machine" "build bb from its source: Tools/install"
file=${line#*  }
get "$file"
(cd "$work" && printf '%s\n' "$line" | sha256sum -c >/dev/null 2>&1) ||
  fail "$file does not have the digest of SHA256SUMS: the download is damaged, or was altered" "run this again; if it stays so, report it"
if [ -n "$repository" ] && command -v gh >/dev/null; then
  if gh auth status >/dev/null 2>&1; then
    gh attestation verify "$work/$file" --repo "$repository" >/dev/null 2>"$work/log" ||
      fail "$file has no valid attestation of $repository: $(sed -n '$p' "$work/log")" "report it, and do not install the file"
  else echo "install.sh: the attestation was not checked: gh is not signed in" >&2; fi
fi
mkdir "$work/tree"
reason=$(tar -xzf "$work/$file" -C "$work/tree" --strip-components=1 2>&1) || fail "cannot unpack $file: ${reason##*: }" "free some space in ${TMPDIR:-/tmp}, or set TMPDIR"
"$work/tree/install.sh" --prefix "$prefix"
