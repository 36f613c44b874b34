"""The exercise of the notebook on the algorithm of Villadangos and others."""

import suffrage


class Election(suffrage.Process):
    network = "complete"

    def __init__(self, id, degree):
        self.id, self.missing = id, degree
        self.waits = False

    def wake(self, net):
        self.waits = True
        net.send_all(("ask", self.id))
        self.go_on(net)

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            self.status, self.leader, self.halted = "follower", id, True
        elif kind == "yes":
            self.missing -= 1
            self.go_on(net)
        elif not self.waits or id > self.id:
            # It has lost, and waits no more: the winner will tell.
            self.waits = False
            net.send(port, ("yes", id))

    def go_on(self, net):
        if self.waits and self.missing == 0:
            self.status, self.leader, self.halted = "leader", self.id, True
            net.send_all(("leader", self.id))
