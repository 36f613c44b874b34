"""The exercise of the notebook on Le Lann's algorithm."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id):
        self.id = self.smallest = id

    def wake(self, net):
        net.send(0, ("token", self.id))

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            if id != self.id:
                self.status, self.leader = "follower", id
                net.send(0, message)
            self.halted = True
        elif id != self.id:
            self.smallest = min(self.smallest, id)
            net.send(0, message)
        elif self.smallest == self.id:
            self.status, self.leader = "leader", id
            net.send(0, ("leader", id))
