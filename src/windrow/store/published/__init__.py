"""Records as the front ends publish them: selections, list pages, resources, single records."""
