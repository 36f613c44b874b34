"""Sends through a port that it has not."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        net.send(2, "token")

    def receive(self, port, message, net):
        pass
