// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  static let yamtrack = #"""
    {"bb_source": 2, "name": "yamtrack", "summary": "Yamtrack: its CSV export", "files": ["yamtrack*.csv"],
     "words": {
      "kind": {"movie": "movie", "tv": "show", "season": "show", "episode": "show"},
      "list": {"planning": "watchlist", "in progress": "watching", "paused": "on-hold", "dropped": "dropped", "completed": "completed"}},
     "shared": {
      "item": [{"name": "kind", "from": "/media_type", "steps": [{"words": "kind"}]}, {"name": "name", "from": "/title"}, {"name": "tmdb", "from": "/media_id"}, {"name": "season", "from": "/season_number"}, {"name": "episode", "from": "/episode_number"}]},
     "datasets": [
      {"name": "plays", "into": "watches", "each": true, "file": "yamtrack*.csv", "has": ["media_id", "media_type"], "where": [{"at": "/source", "is": "tmdb"}, {"at": ["/watch_date", "/end_date"], "is": "some"}, {"at": "/media_type", "in": ["movie", "episode"]}], "id": ["/media_type", "/media_id", "/season_number", "/episode_number", "/watch_date", "/end_date"], "columns": "item", "more": [{"name": "at", "from": ["/watch_date", "/end_date"]}, {"name": "again", "from": "/repeats"}, {"name": "text", "from": "/notes"}]},
      {"name": "scores", "into": "ratings", "file": "yamtrack*.csv", "has": ["media_id", "media_type"], "where": [{"at": "/source", "is": "tmdb"}, {"at": "/score", "is": "some"}, {"at": "/media_type", "in": ["movie", "tv", "season", "episode"]}], "columns": "item", "more": [{"name": "rating", "from": "/score"}]},
      {"name": "status", "into": "lists", "file": "yamtrack*.csv", "has": ["media_id", "media_type"], "where": [{"at": "/source", "is": "tmdb"}, {"at": "/status", "is": "some"}, {"at": "/media_type", "in": ["movie", "tv", "season"]}], "columns": "item", "more": [{"name": "list", "from": "/status", "steps": [{"words": "list"}]}, {"name": "on", "from": "/start_date"}]}]}
    """#
}
