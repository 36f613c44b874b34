"""Question 2a: which schedule breaks this election? It is for assignment 2."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, size):
        self.size = size
        # The number that it has drawn, while it is a candidate.
        self.mine = None
        self.passive = False

    def wake(self, net):
        self.draw(net)

    def draw(self, net):
        self.mine = net.choose(self.size - 1)
        net.send(0, ("token", self.mine, 1, True))

    def receive(self, port, message, net):
        if message[0] == "over":
            if self.status == "undecided":
                self.status = "follower"
                net.send(0, message)
            self.halted = True
            return
        kind, number, hops, unique = message
        if self.mine is not None and hops == self.size:
            if unique:
                self.status = "leader"
                net.send(0, ("over",))
            else:
                self.draw(net)
        elif self.mine is not None and number == self.mine:
            net.send(0, ("token", number, hops + 1, unique))
        elif self.mine is None or number > self.mine:
            self.mine = None
            net.send(0, ("token", number, hops + 1, unique))
