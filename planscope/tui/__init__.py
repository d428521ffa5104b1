"""The screen of planscope. No other package uses Textual or Rich."""
