"""Assignment 8: leases. Here two members lead at one time: see how, then mend it."""

import suffrage


class Election(suffrage.Member):
    def __init__(self, id, size):
        # What a member knows whenever it comes up: its number, below size. A crash loses its attributes.
        self.id = id
        # The greatest term that it has seen.
        self.seen = 0

    def start(self, record, net):
        # It comes up, for the first time or after a crash. record is what it has written last with net.write, or None.
        net.set_alarm("silence", 9 + self.id)

    def ring(self, alarm, net):
        # An alarm rings. A member leads while self.term is a number and the alarm that self.until names is set.
        self.seen += 1
        self.term, self.until = self.seen, "silence"
        net.set_alarm("silence", 8)
        net.send_all(("lead", self.term))

    def receive(self, sender, message, net):
        # A message has come, which may be late, or not for the first time.
        kind, term = message
        if term > self.seen:
            self.seen, self.term, self.until = term, None, None
            net.set_alarm("silence", 9 + self.id)
