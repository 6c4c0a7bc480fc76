"""What holds for all tests: how many examples a property gets; ``--hypothesis-profile=long`` looks further."""

from hypothesis import Phase, settings

settings.register_profile("quick", max_examples=50, deadline=None)  # a slow machine is no failure
settings.register_profile("long", max_examples=500, deadline=None)
settings.register_profile(  # the same examples each time, and the first failure is enough (benchmarks/mutation.py)
    "mutation",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("quick")
