"""Asks for what no process knows."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id, leader):
        self.id = id

    def wake(self, net):
        net.send(0, ("token", self.id))

    def receive(self, port, message, net):
        pass
