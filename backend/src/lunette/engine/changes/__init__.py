"""The changes of the API, a module for each noun: rows, a plan, and a job if one is needed."""
