"""The paths of hosts over TCP: which are there and answer, and one of them taken away on trial."""
