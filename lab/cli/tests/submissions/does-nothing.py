"""Does nothing, and so nothing wrong."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        pass

    def receive(self, port, message, net):
        pass
