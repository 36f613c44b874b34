"""Question 3a: which schedule breaks this election? It is for assignment 3."""

import suffrage


class Election(suffrage.Process):
    network = "ring"

    def __init__(self, id):
        self.id = id
        self.active = False
        # What has come from each side, and was not yet compared.
        self.heard = [[], []]

    def wake(self, net):
        self.active = True
        net.send_all(("id", self.id))

    def receive(self, port, message, net):
        kind, id = message
        if kind == "leader":
            self.end(port, id, net)
        elif not self.active:
            self.status = "follower"
            net.send(1 - port, message)
        else:
            self.heard[port].append(id)
            while self.active and all(self.heard):
                self.round(self.heard[0].pop(0), self.heard[1].pop(0), net)

    def round(self, one, other, net):
        if one == self.id:
            self.active, self.status, self.leader = False, "leader", self.id
            net.send(0, ("leader", self.id))
        elif max(one, other) > self.id:
            self.active, self.status = False, "follower"
            self.heard = [[], []]
        else:
            net.send_all(("id", self.id))

    def end(self, port, id, net):
        if self.status != "leader":
            self.status, self.leader = "follower", id
            net.send(1 - port, ("leader", id))
        self.halted = True
