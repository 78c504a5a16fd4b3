"""Sitemaps: where every record's page is and when it last changed, for engines that read it in one go."""
