"""The nouns of the appliance as pure data: specs, observations, steps, plans, errors. Imports nothing of ours."""
