"""Files of MARC records: ISO 2709 and MARCXML."""
