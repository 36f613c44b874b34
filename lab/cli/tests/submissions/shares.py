"""Processes share a variable, as none on different computers can."""

import suffrage

leaders = []


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, id):
        self.id = id

    def wake(self, net):
        if not leaders:
            self.status, self.leader = "leader", self.id
        leaders.append(self.id)

    def receive(self, port, message, net):
        pass
