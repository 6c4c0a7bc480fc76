"""What holds for all tests: how many examples a property gets; ``--hypothesis-profile=long`` looks further."""

from hypothesis import settings

settings.register_profile("quick", max_examples=50, deadline=None)  # a slow machine is no failure
settings.register_profile("long", max_examples=500, deadline=None)
settings.load_profile("quick")
