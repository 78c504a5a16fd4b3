"""RDF formats: the Europeana Data Model and plain RDF/XML."""
