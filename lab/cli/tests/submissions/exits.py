"""Ends its program."""

import os
import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        os._exit(0)

    def receive(self, port, message, net):
        pass
