// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  static let tmdb = #"""
    {"bb_source": 2, "name": "tmdb", "summary": "TMDB: ratings, watchlist and favourites CSV", "files": ["ratings*.csv", "watchlist*.csv", "favorites*.csv"],
     "words": {
      "kind": {"movie": "movie", "tv": "show"}},
     "shared": {
      "item": [{"name": "kind", "from": "/Type", "steps": [{"words": "kind"}]}, {"name": "name", "from": "/Name"}, {"name": "year", "from": "/Release Date", "steps": ["year"]}, {"name": "own_tmdb", "from": "/TMDb ID"}, {"name": "own_imdb", "from": "/IMDb ID"}],
      "episode": [{"name": "kind", "from": "/Type", "steps": [{"words": "kind"}]}, {"name": "name", "from": "/Name"}, {"name": "season", "from": "/Season Number"}, {"name": "episode", "from": "/Episode Number"}, {"name": "own_tmdb", "from": "/TMDb ID"}, {"name": "own_imdb", "from": "/IMDb ID"}]},
     "datasets": [
      {"name": "ratings", "into": "ratings", "file": "*.csv", "has": ["TMDb ID", "Your Rating"], "where": [{"at": "/Your Rating", "is": "some"}, {"at": "/Season Number", "is": "none"}], "columns": "item", "more": [{"name": "rating", "from": "/Your Rating"}, {"name": "at", "from": "/Date Rated"}]},
      {"name": "episode-ratings", "into": "ratings", "file": "*.csv", "has": ["TMDb ID", "Your Rating"], "where": [{"at": "/Your Rating", "is": "some"}, {"at": "/Season Number", "is": "some"}], "columns": "episode", "more": [{"name": "rating", "from": "/Your Rating"}, {"name": "at", "from": "/Date Rated"}]},
      {"name": "lists", "into": "lists", "file": "*.csv", "has": ["TMDb ID"], "where": [{"at": "/Your Rating", "is": "none"}, {"at": "/Season Number", "is": "none"}], "columns": "item", "more": [{"name": "list", "from": "#file"}, {"name": "at", "from": "/Date Rated"}]}]}
    """#
}
