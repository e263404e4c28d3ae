"""Settings of all tests."""

import os
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("lsbn", deadline=None)  # an example may compile a kernel
settings.load_profile("lsbn")
os.environ.setdefault("LSBN_COMPILE", "alone")  # both cores run tests already


@pytest.fixture(scope="session", autouse=True)
def temporary_folder(tmp_path_factory):
    """Keep temporary files in the folder of the session, which pytest removes later.

    Some packages leave files in the system's temporary folder, as BNLearner of pyAgrum does.
    """
    folder = str(tmp_path_factory.mktemp("system"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield folder
