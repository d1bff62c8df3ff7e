// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  static let imdb = #"""
    {"bb_source": 2, "name": "imdb", "summary": "IMDb: ratings.csv, watchlist.csv and other lists, exported on the site", "files": ["ratings*.csv", "watchlist*.csv", "*.csv"],
     "words": {
      "kind": {"movie": "movie", "tvmovie": "movie", "tv movie": "movie", "video": "movie", "short": "movie", "tv short": "movie", "tvshort": "movie", "tv special": "movie", "tvspecial": "movie", "tvseries": "show", "tv series": "show", "tvminiseries": "show", "tv mini series": "show", "tvepisode": "episode", "tv episode": "episode"}},
     "shared": {
      "list": [{"name": "kind", "from": "/Title Type", "steps": [{"words": "kind"}]}, {"name": "name", "from": "/Title"}, {"name": "year", "from": "/Year"}, {"name": "imdb", "from": "/Const"}, {"name": "list", "from": "#file"}, {"name": "position", "from": "/Position"}, {"name": "on", "from": "/Created"}, {"name": "text", "from": "/Description"}]},
     "datasets": [
      {"name": "ratings", "into": "ratings", "file": "*.csv", "has": ["Const", "Your Rating"], "where": [{"at": "/Your Rating", "is": "some"}, {"at": "/Const", "starts": "tt"}], "columns": [{"name": "kind", "from": "/Title Type", "steps": [{"words": "kind"}]}, {"name": "name", "from": "/Title"}, {"name": "year", "from": "/Year"}, {"name": "imdb", "from": "/Const"}, {"name": "rating", "from": "/Your Rating"}, {"name": "on", "from": "/Date Rated"}]},
      {"name": "list", "into": "lists", "file": "*.csv", "has": ["Const", "Position"], "where": [{"at": "/Const", "starts": "tt"}], "columns": "list"},
      {"name": "list-short", "into": "lists", "file": "*.csv", "has": ["Const"], "lacks": ["Your Rating", "Position"], "where": [{"at": "/Const", "starts": "tt"}], "columns": "list"}],
     "exports": [
      {"file": "imdb-ratings.csv", "from": "ratings", "needs": "imdb", "columns": [["Const", "imdb"], ["Your Rating", "rating"], ["Date Rated", "day"], ["Title", "name"], ["Title Type", "imdb_kind"], ["Year", "year"]]}]}
    """#
}
