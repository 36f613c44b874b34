"""The exercise of the notebook on Humblet's algorithm."""

import suffrage


class Election(suffrage.Process):
    network = "complete"

    def __init__(self, id, degree):
        self.id, self.degree = id, degree
        self.candidate = False
        self.captured = 0

    def wake(self, net):
        self.candidate = True
        self.go_on(net)

    def go_on(self, net):
        if self.captured < self.degree:
            net.send(self.captured, ("capture", self.id))
        else:
            self.status, self.leader, self.halted = "leader", self.id, True
            net.send_all(("leader", self.id))

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            self.status, self.leader, self.halted = "follower", id, True
        elif kind == "capture" and self.candidate and self.id > id:
            net.send(port, ("no", id))
        elif kind == "capture":
            self.candidate, self.status = False, "follower"
            net.send(port, ("yes", id))
        elif kind == "no":
            self.candidate, self.status = False, "follower"
        elif self.candidate:
            self.captured += 1
            self.go_on(net)
