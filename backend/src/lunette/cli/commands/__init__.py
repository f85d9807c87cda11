"""The commands, a module for each noun or group of nouns: `registry` lists them."""
