"""Passes every token on with another number."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id):
        self.id = id

    def wake(self, net):
        self.status, self.leader = "leader", self.id
        net.send(0, ("token", 0))

    def receive(self, port, message, net):
        net.send(0, ("token", message[1] + 1))
