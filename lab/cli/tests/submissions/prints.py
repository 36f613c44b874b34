"""Prints for ever, and never gets to its class."""

while True:
    print('x' * 100_000)
