"""Settings of all tests."""

import os

os.environ.setdefault("LSBN_COMPILE", "alone")  # both cores run tests already
