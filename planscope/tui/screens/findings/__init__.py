"""The screen of what the fuzzer found in tools."""
