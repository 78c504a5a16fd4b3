"""What a web server's own files say: .htaccess, password files and group files."""
