"""Assignment 2: no identities."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def __init__(self, size):
        # What a process knows at the beginning. Its attributes are all that it can remember.
        self.size = size

    def wake(self, net):
        # It begins by itself: net.choose(max), net.send(port, ("kind", ..)), net.send_all(..).
        pass

    def receive(self, port, message, net):
        # A message has arrived. In the end: self.status = "leader" or "follower", and self.halted = True.
        pass
