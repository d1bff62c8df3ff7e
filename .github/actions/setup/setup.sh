#!/bin/sh
# Installs bb for the steps that follow; see action.yml.
set -eu
cache=$HOME/.cache/bb-setup
if [ -n "$RELEASES" ]; then BB_RELEASES=$RELEASES
elif [ -n "$VERSION" ]; then BB_RELEASES=https://github.com/$BB_REPOSITORY/releases/download/v${VERSION#v}
else BB_RELEASES=https://github.com/$BB_REPOSITORY/releases/latest/download; fi
export BB_RELEASES
if ! [ -x "$cache/bin/bb-export" ] || [ -z "$VERSION" ]; then "$(dirname -- "$0")/../../install.sh" --prefix "$cache"; fi
version=$("$cache/bin/bb-export" --version)
version=${version##* }
if [ -n "$VERSION" ] && [ "$version" != "${VERSION#v}" ]; then
  echo "setup: version $version was installed instead of ${VERSION#v}" >&2
  exit 1
fi
echo "$cache/bin" >>"$GITHUB_PATH"
echo "version=$version" >>"$GITHUB_OUTPUT"
