"""Steps 2 and 3 of LSBN: LocalLearn learns each community, Mergence merges the structures."""
