"""The exercise of the notebook on the algorithm of Hirschberg and Sinclair."""

import suffrage


class Election(suffrage.Process):
    network = "ring"

    def __init__(self, id):
        self.id = id
        self.candidate = False
        self.reach = self.missing = 0

    def wake(self, net):
        self.candidate = True
        self.ask(1, net)

    def ask(self, reach, net):
        self.reach, self.missing = reach, 2
        net.send_all(("from", self.id, reach))

    def receive(self, port, message, net):
        kind, id, hops = message
        other = 1 - port
        if kind == "leader":
            if id != self.id:
                self.status, self.leader = "follower", id
                net.send(other, message)
            self.halted = True
        elif kind == "from" and id == self.id:
            # It comes home from both sides.
            if self.status != "leader":
                self.status, self.leader = "leader", id
                net.send(0, ("leader", id, 0))
        elif kind == "from":
            self.asked(port, id, hops, net)
        elif id != self.id:
            net.send(other, message)
        elif kind == "no":
            self.candidate, self.status = False, "follower"
        else:
            self.missing -= 1
            if self.candidate and self.missing == 0:
                self.ask(2 * self.reach, net)

    def asked(self, port, id, hops, net):
        if self.candidate and self.id > id:
            net.send(port, ("no", id, 0))
            return
        self.candidate, self.status = False, "follower"
        if hops > 1:
            net.send(1 - port, ("from", id, hops - 1))
        else:
            net.send(port, ("ok", id, 0))
