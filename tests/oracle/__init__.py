"""What is plainly right though slow: the measure of the real index, and documents to try both with."""
