"""What can be said about a repository: pure judgements on the answers that `probe` has asked for."""
