"""The JSON documents of the command line: their fields and their schemas. Fields are added, never renamed."""
