"""Draws a random number without `net.choose`."""

import random

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        net.send(0, ("token", random.random()))

    def receive(self, port, message, net):
        pass
