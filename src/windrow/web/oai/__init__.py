"""The OAI-PMH front end: XML for harvesters, and pages for people at the same addresses."""
