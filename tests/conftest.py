"""Settings for all tests: how many examples a property gets. ``--hypothesis-profile=long`` tries more."""

from hypothesis import Phase, settings

settings.register_profile("quick", max_examples=20, deadline=None)  # no failure on a slow machine
settings.register_profile("long", max_examples=500, deadline=None)
settings.register_profile(  # the same examples each time; stop at the first failure (benchmarks/mutation.py)
    "mutation",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("quick")
