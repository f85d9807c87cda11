"""The one error of the image builder: its text says what failed, why, and what to do next."""


class ImageProblem(Exception):
    """The image cannot be built; the text is meant for the user who requested it."""
