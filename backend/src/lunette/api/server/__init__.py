"""The server below the API: connections, HTTP/1.1, sockets, headers, compression, the page's files."""
