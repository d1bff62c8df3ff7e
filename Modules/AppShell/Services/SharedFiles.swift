package import CommandLineKit

extension Program.File {
  package static let configuration = Self("$XDG_CONFIG_HOME/bb/config", "settings; ~/.config/bb/config by default")
  package static let store = Self("$XDG_DATA_HOME/bb/bb.db", "the default store; ~/.local/share/bb/bb.db by default")
  package static let cache = Self("$XDG_CACHE_HOME/bb", "cached API responses; ~/.cache/bb by default")
  package static let drafts = Self(
    "$XDG_STATE_HOME/bb/drafts", "texts that could not be saved; ~/.local/state/bb/drafts by default")
  package static let plugins = Self(
    "$XDG_DATA_HOME/bb/plugins, /usr/local/lib/bb/plugins, /usr/lib/bb/plugins",
    "plug-ins: programs named bb-exporter-NAME")
}
