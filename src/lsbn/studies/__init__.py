"""The paper's tables made again, ours beside the published."""
