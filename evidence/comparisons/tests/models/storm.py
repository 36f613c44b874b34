"""Has Storm judge a model in the language of PRISM: prints the number of states, and of each property."""

import sys

import stormpy

# What always holds has the least probability 1.
PROPERTIES = [
    'Pmin=? [ G "always" ]',
    'Pmin=? [ G "possible" ]',
    'Pmin=? [ G "ended" ]',
    'Pmin=? [ F ("quiet" & "elected") ]',
    'Pmax=? [ F ("quiet" & "elected") ]',
    'R{"messages"}min=? [ F "quiet" ]',
    'R{"messages"}max=? [ F "quiet" ]',
]

program = stormpy.parse_prism_program(sys.argv[1])
properties = stormpy.parse_properties(";".join(PROPERTIES), program)
model = stormpy.build_model(program, properties)
first = model.initial_states[0]
found = [stormpy.model_checking(model, one).get_value(first) for one in properties]
print(model.nr_states, *found)
