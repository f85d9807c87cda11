"""Responses of the API: one module per noun, with the model and how it is built from stored rows and the observation.

No field has a default: a response always contains every field, so that clients never guess (the request side is
`lunette.domain`).
"""
