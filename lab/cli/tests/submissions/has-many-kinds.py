"""Sends messages of more than 16 kinds."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        for kind in range(20):
            net.send(0, (f"kind {kind}",))

    def receive(self, port, message, net):
        pass
