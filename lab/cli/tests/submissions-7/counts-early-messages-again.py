"""Counts what has come early once in every later round."""

import suffrage


class Election(suffrage.Process):
    network = "connected"

    def __init__(self, id, degree, size):
        self.id = id
        self.degree = degree
        # No two processes are further apart than this.
        self.rounds = size - 1
        # The round whose messages it has sent. Of that round some are missing, of the next one some have come early.
        self.round = self.missing = self.early = 0
        self.largest = id

    def wake(self, net):
        self.go_on(net)

    def receive(self, port, message, net):
        kind, round, id = message
        self.largest = max(self.largest, id)
        if round == self.round:
            self.missing -= 1
        else:
            self.early += 1
        self.go_on(net)

    def go_on(self, net):
        while self.missing == 0 and not self.halted:
            if self.round == self.rounds:
                self.status = "leader" if self.largest == self.id else "follower"
                self.leader = self.largest
                self.halted = True
            else:
                self.round += 1
                self.missing = self.degree - self.early
                net.send_all(("largest", self.round, self.largest))
