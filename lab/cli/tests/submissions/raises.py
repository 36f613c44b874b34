"""Raises an exception in a schedule that has a message from somebody else."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id):
        self.id = id

    def wake(self, net):
        net.send(0, ("token", self.id))

    def receive(self, port, message, net):
        known = {self.id: "mine"}
        if known[message[1]]:
            self.status, self.leader, self.halted = "leader", self.id, True
