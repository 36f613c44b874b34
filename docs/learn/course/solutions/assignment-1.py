"""Assignment 1: one way around a ring. E. Chang and R. Roberts, Communications of the ACM 22(5), 1979."""

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
            self.status = "follower"
            net.send(0, message)

    def end(self, id, net):
        if self.status != "leader":
            self.leader = id
            net.send(0, ("leader", id))
        self.halted = True
