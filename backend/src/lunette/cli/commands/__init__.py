"""The commands, a module for each noun or group of words: `registry` says which."""
