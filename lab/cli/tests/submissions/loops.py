"""A reaction never ends."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        while True:
            pass

    def receive(self, port, message, net):
        pass
