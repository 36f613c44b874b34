"""Writes a file."""

import suffrage


class Election(suffrage.Process):
    network = "oriented-ring"

    def wake(self, net):
        with open("/tmp/suffrage-grade-writes", "w") as file:
            file.write("x" * 100_000)

    def receive(self, port, message, net):
        pass
