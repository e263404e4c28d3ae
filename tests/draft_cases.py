"""Functions that the tests of drafts share."""

import os

from lsbn import plainfiles


def damage(file, size=64):
    """Write zeros into the middle of an old file, as a power cut may leave it."""
    whole = file.read_bytes()
    middle = (len(whole) - size) // 2
    file.write_bytes(whole[:middle] + bytes(size) + whole[middle + size :])
    os.utime(file, (0, 0))
    plainfiles.arrays_of.cache_clear()
