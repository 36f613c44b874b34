"""Has an object for its state that is no plain value."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        self.net = net

    def receive(self, port, message, net):
        pass
