"""The exercise of the notebook on the algorithm of Gallager, Humblet and Spira: extinction, the largest wins."""

import suffrage


class Election(suffrage.Process):
    network = "connected"

    def __init__(self, id, degree):
        self.id = id
        self.degree = degree
        # The largest wave that has come here, the port to its beginning, and the answers that are missing.
        self.wave = self.father = None
        self.missing = 0
        # How many neighbours have announced the leader.
        self.told = 0

    def wake(self, net):
        self.wave, self.missing = self.id, self.degree
        net.send_all(("wave", self.id))
        self.go_on(net)

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            self.announce(id, net)
            self.told += 1
            self.halted = self.told == self.degree
        elif self.wave is None or id > self.wave:
            self.wave, self.father, self.missing = id, port, self.degree - 1
            net.send_others(port, ("wave", id))
            self.go_on(net)
        elif id == self.wave:
            self.missing -= 1
            self.go_on(net)

    def go_on(self, net):
        if self.missing > 0:
            return
        if self.wave == self.id:
            self.announce(self.id, net)
            self.halted = self.degree == 0
        else:
            net.send(self.father, ("wave", self.wave))

    def announce(self, id, net):
        if self.leader is None:
            self.status = "leader" if id == self.id else "follower"
            self.leader = id
            net.send_all(("leader", id))
