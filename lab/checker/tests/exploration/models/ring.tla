---- MODULE ring ----
\* chang-roberts
\*
\* Each process is a table of its reactions, which the algorithm's own code has computed. A state or a
\* message is a number; comments tell what it is.
\* Initiators wake at any time before a message reaches them.
\* Links are FIFO.
\* Not said here: bounds on messages and time, and invariants.
\*
\* What Suffrage's own exploration of this election finds:
\* - 18 configurations, 19 steps between them
\* - every property holds
\* - 4 to 5 messages
\*
\* To check it, with this file as ring.tla: tlc ring, with ring.cfg, which says
\*   SPECIFICATION Spec
\*   INVARIANTS Possible Always Ended
\*   CHECK_DEADLOCK FALSE
\* TLC is to find 18 distinct states. Add `PROPERTY Terminates` where there is no chance.
EXTENDS Integers, Sequences

VARIABLES local, queue

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
  \* process 0 wakes, sends Elect(Token(Id(1))) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Candidate }, heard: None }
   [process |-> 0, from |-> 0, link |-> -1, message |-> -1, to |-> 1, sends |-> <<<<0, 0>>>>, possible |-> TRUE]
  \* process 0 receives Elect(Token(Id(2))) from 1, sends Elect(Token(Id(2))) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Lost }, heard: None }
  ,[process |-> 0, from |-> 0, link |-> 2, message |-> 1, to |-> 3, sends |-> <<<<0, 1>>>>, possible |-> TRUE]
  \* process 0 receives Elect(Token(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 2 }) }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 0, to |-> 2, sends |-> <<<<0, 2>>>>, possible |-> TRUE]
  \* process 0 receives Elect(Token(Id(2))) from 1: Announced { elector: ChangRoberts { id: Id(1), state: Candidate }, heard: None }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 1, to |-> 1, sends |-> <<>>, possible |-> TRUE]
  \* process 0 receives Announce(Id(1)) from 1: Announced { elector: ChangRoberts { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 0, from |-> 2, link |-> 2, message |-> 2, to |-> 4, sends |-> <<>>, possible |-> TRUE]
  \* process 0 receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Lost }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 0, from |-> 3, link |-> 2, message |-> 3, to |-> 5, sends |-> <<<<0, 3>>>>, possible |-> TRUE]
  \* process 1 wakes, sends Elect(Token(Id(2))) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Candidate }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> -1, message |-> -1, to |-> 1, sends |-> <<<<2, 1>>>>, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> 0, message |-> 0, to |-> 3, sends |-> <<<<2, 0>>>>, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: None }
  ,[process |-> 1, from |-> 1, link |-> 0, message |-> 0, to |-> 4, sends |-> <<<<2, 0>>>>, possible |-> TRUE]
  \* process 1 receives Elect(Token(Id(2))) from 0, sends Announce(Id(2)) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 2 }) }
  ,[process |-> 1, from |-> 1, link |-> 0, message |-> 1, to |-> 2, sends |-> <<<<2, 3>>>>, possible |-> TRUE]
  \* process 1 receives Announce(Id(2)) from 0: Announced { elector: ChangRoberts { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 1, from |-> 2, link |-> 0, message |-> 3, to |-> 5, sends |-> <<>>, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 3, link |-> 0, message |-> 2, to |-> 6, sends |-> <<<<2, 2>>>>, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 4, link |-> 0, message |-> 2, to |-> 7, sends |-> <<<<2, 2>>>>, possible |-> TRUE]
}

Init == local = [process \in Processes |-> 0] /\ queue = [link \in Links |-> <<>>]

\* A reaction to a message needs it to be the first of its link; one without a message has the link -1.
Enabled(r) ==
    /\ local[r.process] = r.from
    /\ r.link # -1 => (queue[r.link] # <<>> /\ Head(queue[r.link]) = r.message)

Sent(r, link) ==
    LET all == SelectSeq(r.sends, LAMBDA sent : sent[1] = link)
    IN [i \in 1..Len(all) |-> all[i][2]]

React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ queue' = [link \in Links |->
        (IF link = r.link THEN Tail(queue[link]) ELSE queue[link]) \o Sent(r, link)]

Next == \E r \in Reactions : React(r)
Spec == Init /\ [][Next]_<<local, queue>> /\ WF_<<local, queue>>(Next)

Possible == \A r \in Reactions : Enabled(r) => r.possible
Always == (~(local[0] = 2 \/ local[0] = 4) \/ ~(local[1] = 2 \/ local[1] = 5))
Quiet == ((queue[0] = <<>>) /\ (queue[1] = <<>>) /\ (queue[2] = <<>>) /\ (queue[3] = <<>>) /\ (local[0] >= 1 /\ local[0] <= 5) /\ (local[1] >= 1 /\ local[1] <= 7))
Ended == Quiet => ((local[0] = 2 \/ local[0] = 4 \/ local[1] = 2 \/ local[1] = 5) /\ (~(local[0] = 2 \/ local[0] = 4) \/ ~(local[1] = 2 \/ local[1] = 5)) /\ (local[0] >= 4 /\ local[0] <= 5) /\ (local[1] >= 5 /\ local[1] <= 7) /\ (~(local[0] = 2 \/ local[0] = 4) \/ ((local[0] = 2 \/ local[0] = 4) /\ (local[1] >= 6 /\ local[1] <= 7))) /\ (~((local[0] = 2 \/ local[0] = 4) /\ ~(local[1] = 2 \/ local[1] = 5)) \/ (local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4 \/ (~((local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4) /\ ~((local[1] >= 1 /\ local[1] <= 2) \/ (local[1] >= 4 /\ local[1] <= 5) \/ local[1] = 7))) /\ (~((local[1] = 2 \/ local[1] = 5) /\ ~(local[0] = 2 \/ local[0] = 4)) \/ (local[0] = 5 /\ (local[1] = 2 \/ local[1] = 5))) /\ (~((local[1] = 2 \/ local[1] = 5) /\ ~(local[0] = 2 \/ local[0] = 4)) \/ (((local[1] >= 1 /\ local[1] <= 2) \/ (local[1] >= 4 /\ local[1] <= 5) \/ local[1] = 7) /\ ~((local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4)) \/ (~((local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4) /\ ~((local[1] >= 1 /\ local[1] <= 2) \/ (local[1] >= 4 /\ local[1] <= 5) \/ local[1] = 7))))
Terminates == <>Quiet
====
