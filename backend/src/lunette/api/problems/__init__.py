"""Every error as a problem document, without what was secret in the request."""
