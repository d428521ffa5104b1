"""The screen. The only place that knows Textual and Rich."""
