"""What FastAPI cannot know of the API's own description: responses, texts, examples."""
