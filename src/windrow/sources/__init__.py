"""Sources of records: OAI-PMH repositories, folders of files, files of MARC records and web sites."""
