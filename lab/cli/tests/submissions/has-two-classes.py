"""Has two processes."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        pass

    def receive(self, port, message, net):
        pass


class Second(Election):
    pass
