import pytest

from families import make_text


@pytest.fixture
def text():
    return make_text


@pytest.fixture
def store_path(tmp_path):
    return tmp_path / "store"
