"""The paper's study: its published figures, and our figures for the same tables."""
