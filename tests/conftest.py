"""What holds for all tests."""

from hypothesis import settings

settings.register_profile("any_machine", settings(), deadline=None)  # a slow machine is no failure
settings.load_profile("any_machine")
