"""Question 4a: which schedule breaks this election? It is for assignment 4."""

import suffrage


class Election(suffrage.Process):
    network = "complete"

    def __init__(self, id, degree):
        self.id = self.largest = id
        self.missing = max(degree - 1, 0)
        self.awake = False

    def wake(self, net):
        self.awake = True
        net.send_all(("call", self.id))
        self.decide()

    def receive(self, port, message, net):
        if not self.awake:
            self.wake(net)
        self.largest = max(self.largest, message[1])
        self.missing -= 1
        self.decide()

    def decide(self):
        if self.missing == 0:
            self.status = "leader" if self.largest == self.id else "follower"
            self.leader = self.largest
            self.halted = True
