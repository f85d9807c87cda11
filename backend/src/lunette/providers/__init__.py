"""Storage engines. Each has a pure half (plan, parse, tree) and a half that works through `System`."""
