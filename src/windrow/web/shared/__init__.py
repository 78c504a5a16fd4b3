"""What every face shares: requests, responses, limits, pages."""
