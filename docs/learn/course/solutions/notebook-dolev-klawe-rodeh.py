"""The exercise of the notebook on the algorithm of Dolev, Klawe and Rodeh."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id):
        self.id = self.current = id
        self.active = False
        self.near = None

    def wake(self, net):
        self.active = True
        net.send(0, ("one", self.current))

    def receive(self, port, message, net):
        kind, id = message
        if kind == "small":
            if self.leader is None:
                self.decide(id)
                net.send(0, message)
            self.halted = True
        elif not self.active:
            net.send(0, message)
        elif kind == "one" and id == self.current:
            self.active = False
            self.decide(id)
            net.send(0, ("small", id))
        elif kind == "one":
            self.near = id
            net.send(0, ("two", id))
        elif self.near < min(id, self.current):
            self.current = self.near
            net.send(0, ("one", self.current))
        else:
            self.active = False

    def decide(self, id):
        self.status = "leader" if id == self.id else "follower"
        self.leader = id
