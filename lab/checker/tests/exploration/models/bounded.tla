---- MODULE ring ----
\* lelann
\*
\* Each process is a table of its reactions, which the algorithm's own code has computed. A state or a
\* message is a number; comments tell what it is.
\* Initiators wake at any time before a message reaches them.
\* Links are FIFO and hold 1; who has no room to send, waits.
\* At most 1 messages lost.
\* At most 1 messages duplicated.
\* At most 1 processes crashed.
\* Not said here: bounds on messages and time, and invariants.
\*
\* What Suffrage's own exploration of this election finds:
\* - 109 configurations, 158 steps between them
\* - every property holds
\*
\* To check it, with this file as ring.tla: tlc ring, with ring.cfg, which says
\*   SPECIFICATION Spec
\*   INVARIANTS Possible Always Ended
\*   CHECK_DEADLOCK FALSE
\* TLC is to find 109 distinct states. Add `PROPERTY Terminates` where there is no chance.
EXTENDS Integers, Sequences

VARIABLES local, queue, waits, left

Processes == 0..1
Links == 0..3
\* link 0: from 0, port 0, to 1
\* link 1: from 0, port 1, to 1
\* link 2: from 1, port 0, to 0
\* link 3: from 1, port 1, to 0
\* message 0: Elect(Token(Id(1)))
\* message 1: Elect(Token(Id(2)))
\* message 2: Announce(Id(1))
\* message 3: Announce(Id(2))

Reactions == {
  \* process 0 wakes, sends Elect(Token(Id(1))) to 1: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: None }
   [process |-> 0, from |-> 0, link |-> -1, message |-> -1, to |-> 1, sends |-> <<<<0, 0>>>>, kind |-> "wake", alarm |-> -1, possible |-> TRUE]
  \* process 0 crashes: Announced { elector: LeLann { id: Id(1), state: Sleep }, heard: None }
  ,[process |-> 0, from |-> 0, link |-> -1, message |-> -1, to |-> 7, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 0 receives Elect(Token(Id(2))) from 1, sends Elect(Token(Id(2))) to 1: Announced { elector: LeLann { id: Id(1), state: Lost }, heard: None }
  ,[process |-> 0, from |-> 0, link |-> 2, message |-> 1, to |-> 3, sends |-> <<<<0, 1>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 crashes: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: None }
  ,[process |-> 0, from |-> 1, link |-> -1, message |-> -1, to |-> 8, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 0 receives Elect(Token(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: LeLann { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 2 }) }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 0, to |-> 2, sends |-> <<<<0, 2>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Elect(Token(Id(2))) from 1, sends Elect(Token(Id(2))) to 1: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: None }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 1, to |-> 1, sends |-> <<<<0, 1>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 3, to |-> 6, sends |-> <<<<0, 3>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 0 crashes: Announced { elector: LeLann { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 2 }) }
  ,[process |-> 0, from |-> 2, link |-> -1, message |-> -1, to |-> 9, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 0 receives Announce(Id(1)) from 1: Announced { elector: LeLann { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 0, from |-> 2, link |-> 2, message |-> 2, to |-> 4, sends |-> <<>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 0 crashes: Announced { elector: LeLann { id: Id(1), state: Lost }, heard: None }
  ,[process |-> 0, from |-> 3, link |-> -1, message |-> -1, to |-> 10, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 0 receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: LeLann { id: Id(1), state: Lost }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 0, from |-> 3, link |-> 2, message |-> 3, to |-> 5, sends |-> <<<<0, 3>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 wakes, sends Elect(Token(Id(2))) to 0: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(2)) }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> -1, message |-> -1, to |-> 1, sends |-> <<<<2, 1>>>>, kind |-> "wake", alarm |-> -1, possible |-> TRUE]
  \* process 1 crashes: Announced { elector: LeLann { id: Id(2), state: Sleep }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> -1, message |-> -1, to |-> 10, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> 0, message |-> 0, to |-> 4, sends |-> <<<<2, 0>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 1 crashes: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(2)) }, heard: None }
  ,[process |-> 1, from |-> 1, link |-> -1, message |-> -1, to |-> 11, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(1)) }, heard: None }
  ,[process |-> 1, from |-> 1, link |-> 0, message |-> 0, to |-> 2, sends |-> <<<<2, 0>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(2))) from 0, sends Announce(Id(2)) to 0: Announced { elector: LeLann { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 2 }) }
  ,[process |-> 1, from |-> 1, link |-> 0, message |-> 1, to |-> 3, sends |-> <<<<2, 3>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 1 crashes: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(1)) }, heard: None }
  ,[process |-> 1, from |-> 2, link |-> -1, message |-> -1, to |-> 12, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(2))) from 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None }
  ,[process |-> 1, from |-> 2, link |-> 0, message |-> 1, to |-> 5, sends |-> <<>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(1)) }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 2, link |-> 0, message |-> 2, to |-> 8, sends |-> <<<<2, 2>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 crashes: Announced { elector: LeLann { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 2 }) }
  ,[process |-> 1, from |-> 3, link |-> -1, message |-> -1, to |-> 13, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Announce(Id(2)) from 0: Announced { elector: LeLann { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 1, from |-> 3, link |-> 0, message |-> 3, to |-> 6, sends |-> <<>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 crashes: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None }
  ,[process |-> 1, from |-> 4, link |-> -1, message |-> -1, to |-> 14, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 4, link |-> 0, message |-> 2, to |-> 7, sends |-> <<<<2, 2>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 crashes: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None }
  ,[process |-> 1, from |-> 5, link |-> -1, message |-> -1, to |-> 15, sends |-> <<>>, kind |-> "crash", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 5, link |-> 0, message |-> 2, to |-> 9, sends |-> <<<<2, 2>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
}

From == [link \in Links |-> <<0, 0, 1, 1>>[link + 1]]
To == [link \in Links |-> <<1, 1, 0, 0>>[link + 1]]
\* Whether a process may still wake by itself, and whether it has crashed.
MayWake(p) == (p = 0 /\ local[0] = 0) \/ (p = 1 /\ local[1] = 0)
Crashed(of, p) == (p = 0 /\ (of[0] >= 7 /\ of[0] <= 10)) \/ (p = 1 /\ (of[1] >= 10 /\ of[1] <= 15))
Sleeping == \E p \in Processes : MayWake(p)

Arrives(of, message) == of # <<>> /\ Head(of) = message
Without(of, message) == Tail(of)
With(of, sent) == of \o sent
Capacity == 1
RECURSIVE Move(_, _, _)
Move(of, links, sent) ==
    IF sent = <<>> THEN [queue |-> links, rest |-> <<>>]
    ELSE LET link == sent[1][1] IN
        IF Crashed(of, To[link]) THEN Move(of, links, Tail(sent))
        ELSE IF Len(links[link]) >= Capacity THEN [queue |-> links, rest |-> sent]
        ELSE Move(of, [links EXCEPT ![link] = Append(@, sent[1][2])], Tail(sent))
Moved(of, links, all) ==
    LET each == [p \in Processes |-> Move(of, links, all[p])]
    IN [queue |-> [link \in Links |-> each[From[link]].queue[link]],
        waits |-> [p \in Processes |-> each[p].rest]]


Init ==
    /\ local = [p \in Processes |-> 0]
    /\ queue = [link \in Links |-> <<>>]
    /\ waits = [p \in Processes |-> <<>>]
    /\ left = [loss |-> 1, copy |-> 1, crash |-> 1]

Enabled(r) ==
    /\ local[r.process] = r.from
    /\ r.kind = "receive" => Arrives(queue[r.link], r.message)
    /\ r.kind # "crash" => waits[r.process] = <<>>
    /\ r.kind = "crash" => left.crash > 0

Sent(r, link) ==
    LET all == SelectSeq(r.sends, LAMBDA sent : sent[1] = link)
    IN [i \in 1..Len(all) |-> all[i][2]]

Taken(r) == [link \in Links |->
    IF link = r.link THEN Without(queue[link], r.message)
    ELSE IF r.kind = "crash" /\ To[link] = r.process THEN <<>>
    ELSE queue[link]]

React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ LET all == [waits EXCEPT ![r.process] = IF r.kind = "crash" THEN <<>> ELSE @ \o r.sends]
           moved == Moved(local', Taken(r), all)
       IN queue' = moved.queue /\ waits' = moved.waits
    /\ left' = IF r.kind = "crash" THEN [left EXCEPT !.crash = @ - 1] ELSE left

Lose(link) ==
    /\ left.loss > 0 /\ queue[link] # <<>>
    /\ left' = [left EXCEPT !.loss = @ - 1]
    /\ LET moved == Moved(local, [queue EXCEPT ![link] = Tail(@)], waits)
       IN queue' = moved.queue /\ waits' = moved.waits
    /\ UNCHANGED <<local>>

Double(link) ==
    /\ left.copy > 0 /\ queue[link] # <<>> /\ Len(queue[link]) < Capacity
    /\ left' = [left EXCEPT !.copy = @ - 1]
    /\ LET moved == Moved(local, [queue EXCEPT ![link] = <<Head(@)>> \o @], waits)
       IN queue' = moved.queue /\ waits' = moved.waits
    /\ UNCHANGED <<local>>

Next == (\E r \in Reactions : React(r)) \/ (\E link \in Links : Lose(link)) \/ (\E link \in Links : Double(link))
Spec == Init /\ [][Next]_<<local, queue, waits, left>> /\ WF_<<local, queue, waits, left>>(Next)

Possible == \A r \in Reactions : Enabled(r) => r.possible
Always == (~(local[0] = 2 \/ local[0] = 4) \/ ~(local[1] = 3 \/ local[1] = 6))
Quiet == (((waits[0] # <<>>) \/ ((queue[2] = <<>>) /\ (queue[3] = <<>>) /\ (local[0] >= 1 /\ local[0] <= 10))) /\ ((waits[1] # <<>>) \/ ((queue[0] = <<>>) /\ (queue[1] = <<>>) /\ (local[1] >= 1 /\ local[1] <= 15))))
Ended == Quiet => TRUE
Terminates == <>Quiet
====
