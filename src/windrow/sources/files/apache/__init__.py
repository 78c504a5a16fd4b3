"""Apache's own configuration files in a folder: .htaccess, password files and group files."""
