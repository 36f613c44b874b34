"""Question 1c: which schedule breaks this election? It is for assignment 1."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id):
        self.id = id
        self.candidate = False

    def wake(self, net):
        self.candidate = True
        net.send(0, ("token", self.id))

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            self.end(id, net)
        elif id == self.id:
            self.status, self.leader = "leader", id
            net.send(0, ("leader", id))
        elif not self.candidate or id < self.id:
            self.status, self.candidate = "follower", True
            net.send(0, message)

    def end(self, id, net):
        if self.status != "leader":
            self.leader = id
            net.send(0, ("leader", id))
        self.halted = True
