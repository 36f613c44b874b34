"""Question 8b: which execution breaks this election? It is for assignment 8."""

import suffrage

LEASE = 8
# A clock may run a quarter faster than another one: 11 ticks of any clock are longer than 8 of another.
OWED = 11


class Election(suffrage.Member):
    def __init__(self, id, size):
        self.id = id
        self.size = size
        # The greatest term for which it has voted. The disk has it, too.
        self.voted = 0
        # Whether it owes a vote, until the alarm "owed" rings.
        self.owes = False
        # The term for which it asks, until the alarm "lease" rings, and those who have voted for it.
        self.asks = None
        self.votes = []

    def start(self, record, net):
        if record is not None:
            self.voted = record
        net.set_alarm("campaign", 1 + self.id)

    def ring(self, alarm, net):
        if alarm == "owed":
            self.owes = False
        elif alarm == "lease":
            self.asks = self.term = self.until = None
            net.set_alarm("campaign", 1 + OWED * self.id)
        elif self.owes:
            net.set_alarm("campaign", 1 + self.id)
        else:
            self.campaign(net)

    def campaign(self, net):
        # Its own terms are those that leave its number as the rest.
        self.asks = self.voted - self.voted % self.size + self.size + self.id
        self.votes = []
        net.set_alarm("lease", LEASE)
        self.vote(net, self.asks)
        self.count(self.id)
        net.send_all(("ask", self.asks))

    def vote(self, net, term):
        self.voted = term
        self.owes = True
        net.write(term)
        net.set_alarm("owed", OWED)

    def count(self, member):
        if member not in self.votes:
            self.votes.append(member)
        if len(self.votes) > self.size // 2:
            self.term, self.until = self.asks, "lease"

    def receive(self, sender, message, net):
        kind, term = message
        if kind == "vote":
            if term == self.asks:
                self.count(sender)
        elif term > self.voted and not self.owes:
            self.vote(net, term)
            net.send(sender, ("vote", term))
