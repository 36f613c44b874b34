"""Takes all the memory that there is."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        self.much = "x" * 10**11

    def receive(self, port, message, net):
        pass
