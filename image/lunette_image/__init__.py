"""Builds the appliance's root file system from cached layers, each keyed by its inputs."""
