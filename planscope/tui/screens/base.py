from planscope.tui.app_screen import AppScreen, FixedKey, keys_for

__all__ = ["AppScreen", "FixedKey", "keys_for"]
