"""What the API answers: one module per noun, with the shape and how it is made of stored rows and the observation.

No field has a default: an answer always carries every field, so that clients never guess (the request side is
`lunette.domain`).
"""
