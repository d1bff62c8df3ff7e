// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  static let netflix = #"""
    {"bb_source": 2, "name": "netflix", "summary": "Netflix: NetflixViewingHistory.csv, or ViewingActivity.csv, Ratings.csv and MyList.csv of the personal data zip", "files": ["*ViewingHistory.csv", "*ViewingActivity.csv", "CONTENT_INTERACTION/*.csv"], "variables": {"profile": {"default": ""}, "dates": {"default": "M/d/yy"}},
     "datasets": [
      {"name": "history", "into": "watches", "each": true, "file": "*.csv", "has": ["Title", "Date"], "lacks": ["Start Time", "Letterboxd URI", "Year"], "id": ["/Title", "/Date"], "columns": [{"name": "kind", "value": "unknown"}, {"name": "name", "from": "/Title"}, {"name": "on", "from": "/Date", "formats": ["{dates}"]}]},
      {"name": "activity", "into": "watches", "each": true, "file": "*.csv", "has": ["Profile Name", "Start Time", "Title"], "where": [{"at": "/Supplemental Video Type", "is": "none"}, {"at": "/Latest Bookmark", "not": "Not latest view"}, {"at": "/Profile Name", "is": "{profile}"}], "id": ["/Profile Name", "/Start Time", "/Title"], "columns": [{"name": "kind", "value": "unknown"}, {"name": "name", "from": "/Title"}, {"name": "at", "from": "/Start Time"}]}]}
    """#
}
