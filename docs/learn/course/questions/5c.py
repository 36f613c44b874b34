"""Question 5c: which schedule breaks this election? It is for assignment 5."""

import suffrage


class Election(suffrage.Process):
    network = "tree"

    def __init__(self, id, degree):
        self.id = self.least = id
        self.degree = degree
        self.awake = False
        # How many neighbours have woken, and the ports through which no token has come.
        self.woken = 0
        self.silent = list(range(degree))
        self.father = None

    def wake(self, net):
        self.awake = True
        net.send_all(("wake",))
        self.go_on(net)

    def receive(self, port, message, net):
        if not self.awake:
            self.wake(net)
        if message[0] == "wake":
            self.woken += 1
        elif message[0] == "token":
            self.least = min(self.least, message[1])
            self.silent.remove(port)
        else:
            self.decide(message[1], net)
            return
        self.go_on(net)

    def go_on(self, net):
        if self.woken < self.degree:
            return
        if self.father is None and len(self.silent) == 1:
            self.father = self.silent[0]
            net.send(self.father, ("token", self.least))
        if not self.silent:
            self.decide(self.least, net)

    def decide(self, least, net):
        self.status = "leader" if least == self.id else "follower"
        self.leader = least
        for port in range(self.degree):
            net.send(port, ("leader", least))
        self.halted = True
