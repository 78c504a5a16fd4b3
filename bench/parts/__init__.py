"""One file a claim: each takes the workspace and gives the tables that back the claim up."""
