"""Is for another network."""

import suffrage


class Election(suffrage.Process):
    network = "tree"

    def wake(self, net):
        net.send(0, ("token", 1))

    def receive(self, port, message, net):
        pass
