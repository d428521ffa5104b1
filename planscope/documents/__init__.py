"""The JSON documents of the command line: what they hold, and their schemas. Fields are added, never renamed."""
