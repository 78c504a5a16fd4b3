"""What the project claims about speed, measured: `python -m bench`, peers beside us in the same run."""
