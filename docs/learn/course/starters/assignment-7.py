"""Assignment 7: rounds."""

import suffrage


class Election(suffrage.Process):
    network = "connected"

    def __init__(self, id, degree, size):
        # What a process knows at the beginning. Its attributes are all that it can remember.
        self.id = id

    def wake(self, net):
        # It begins by itself: net.send(port, ("kind", ..)), net.send_all(..), net.send_others(port, ..).
        pass

    def receive(self, port, message, net):
        # A message has arrived. In the end: self.status = "leader" or "follower", self.leader = an identity,
        # self.halted = True.
        pass
