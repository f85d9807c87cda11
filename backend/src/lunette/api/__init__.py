"""HTTP only: a router per noun, who may ask, problems as documents, the event stream. Storage is decided elsewhere."""
