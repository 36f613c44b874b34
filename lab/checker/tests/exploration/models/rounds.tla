---- MODULE ring ----
\* variable-speeds
\*
\* Each process is a table of its reactions, which the algorithm's own code has computed. A state or a
\* message is a number; comments tell what it is.
\* Initiators wake at the beginning of any tick.
\* A message takes one tick; processes take their turns in one order.
\* Links are FIFO.
\* Not said here: bounds on messages and time, and invariants.
\*
\* What Suffrage's own exploration of this election finds:
\* - 38 configurations, 40 steps between them
\* - every property holds
\* - 4 to 5 messages
\*
\* To check it, with this file as ring.tla: tlc ring, with ring.cfg, which says
\*   SPECIFICATION Spec
\*   INVARIANTS Possible Always Ended
\*   CHECK_DEADLOCK FALSE
\* TLC is to find 38 distinct states. Add `PROPERTY Terminates` where there is no chance.
EXTENDS Integers, Sequences

VARIABLES local, queue, kept, begins, alarm

Processes == 0..1
Links == 0..3
\* link 0: from 0, port 0, to 1
\* link 1: from 0, port 1, to 1
\* link 2: from 1, port 0, to 0
\* link 3: from 1, port 1, to 0
\* message 0: Elect(Fast(Id(1)))
\* message 1: Elect(Fast(Id(2)))
\* message 2: Announce(Id(1))
\* message 3: Announce(Id(2))
\* message 4: Elect(Slow(Id(1)))

Reactions == {
  \* process 0 wakes, sends Elect(Fast(Id(1))) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Candidate, least: Some(Id(1)), waiting: None }, heard: None }
   [process |-> 0, from |-> 0, link |-> -1, message |-> -1, to |-> 1, sends |-> <<<<0, 0>>>>, kind |-> "wake", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Elect(Fast(Id(2))) from 1, sends Elect(Fast(Id(2))) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Lost, least: Some(Id(2)), waiting: None }, heard: None }
  ,[process |-> 0, from |-> 0, link |-> 2, message |-> 1, to |-> 3, sends |-> <<<<0, 1>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Elect(Fast(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Leader, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 2 }) }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 0, to |-> 2, sends |-> <<<<0, 2>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Elect(Fast(Id(2))) from 1: Announced { elector: VariableSpeeds { id: Id(1), state: Candidate, least: Some(Id(1)), waiting: None }, heard: None }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 1, to |-> 1, sends |-> <<>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Elect(Slow(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Leader, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 2 }) }
  ,[process |-> 0, from |-> 1, link |-> 2, message |-> 4, to |-> 2, sends |-> <<<<0, 2>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 0 receives Announce(Id(1)) from 1: Announced { elector: VariableSpeeds { id: Id(1), state: Leader, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 0, from |-> 2, link |-> 2, message |-> 2, to |-> 4, sends |-> <<>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 0 receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Lost, least: Some(Id(2)), waiting: None }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 0, from |-> 3, link |-> 2, message |-> 3, to |-> 5, sends |-> <<<<0, 3>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 wakes, sends Elect(Fast(Id(2))) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Candidate, least: Some(Id(2)), waiting: None }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> -1, message |-> -1, to |-> 1, sends |-> <<<<2, 1>>>>, kind |-> "wake", alarm |-> -1, possible |-> TRUE]
  \* process 1 receives Elect(Fast(Id(1))) from 0, sends Elect(Fast(Id(1))) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: None }
  ,[process |-> 1, from |-> 0, link |-> 0, message |-> 0, to |-> 3, sends |-> <<<<2, 0>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 1 receives Elect(Fast(Id(1))) from 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: Some(Waiting { id: Id(1), rounds: 0 }) }, heard: None }
  ,[process |-> 1, from |-> 1, link |-> 0, message |-> 0, to |-> 5, sends |-> <<>>, kind |-> "receive", alarm |-> 2, possible |-> TRUE]
  \* process 1 receives Elect(Fast(Id(2))) from 0, sends Announce(Id(2)) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Leader, least: Some(Id(2)), waiting: None }, heard: Some(Heard { leader: Id(2), pending: 2 }) }
  ,[process |-> 1, from |-> 1, link |-> 0, message |-> 1, to |-> 2, sends |-> <<<<2, 3>>>>, kind |-> "receive", alarm |-> -1, possible |-> TRUE]
  \* process 1 receives Announce(Id(2)) from 0: Announced { elector: VariableSpeeds { id: Id(2), state: Leader, least: Some(Id(2)), waiting: None }, heard: Some(Heard { leader: Id(2), pending: 1 }) }
  ,[process |-> 1, from |-> 2, link |-> 0, message |-> 3, to |-> 6, sends |-> <<>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 3, link |-> 0, message |-> 2, to |-> 7, sends |-> <<<<2, 2>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 1 }) }
  ,[process |-> 1, from |-> 4, link |-> 0, message |-> 2, to |-> 8, sends |-> <<<<2, 2>>>>, kind |-> "receive", alarm |-> 0, possible |-> TRUE]
  \* process 1 is alarmed, sends Elect(Slow(Id(1))) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: None }
  ,[process |-> 1, from |-> 5, link |-> -1, message |-> -1, to |-> 4, sends |-> <<<<2, 4>>>>, kind |-> "alarm", alarm |-> 0, possible |-> TRUE]
}

From == [link \in Links |-> <<0, 0, 1, 1>>[link + 1]]
To == [link \in Links |-> <<1, 1, 0, 0>>[link + 1]]
\* Whether a process may still wake by itself, and whether it has crashed.
MayWake(p) == (p = 0 /\ local[0] = 0) \/ (p = 1 /\ local[1] = 0)
Crashed(of, p) == (p = 0 /\ FALSE) \/ (p = 1 /\ FALSE)
Sleeping == \E p \in Processes : MayWake(p)

Arrives(of, message) == of # <<>> /\ Head(of) = message
Without(of, message) == Tail(of)
With(of, sent) == of \o sent

Arriving(p) == \E link \in Links : To[link] = p /\ queue[link] # <<>>

Init ==
    /\ local = [p \in Processes |-> 0]
    /\ queue = [link \in Links |-> <<>>]
    /\ kept = [link \in Links |-> <<>>]
    /\ begins = TRUE
    /\ alarm = [p \in Processes |-> 0]

Enabled(r) ==
    /\ local[r.process] = r.from
    /\ r.kind = "receive" => Arrives(queue[r.link], r.message)
    /\ r.kind = "wake" => begins
    /\ r.kind = "receive" => \A p \in 0..r.process - 1 : ~Arriving(p)
    /\ r.kind = "alarm" => (\A p \in Processes : ~Arriving(p)) /\ alarm[r.process] = 1 /\ \A p \in 0..r.process - 1 : alarm[p] # 1

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
    /\ queue' = Taken(r)
    /\ kept' = [link \in Links |-> kept[link] \o Sent(r, link)]
    /\ begins' = (begins /\ r.kind \in {"wake", "crash"})
    /\ alarm' = IF r.alarm = -1 THEN alarm ELSE [alarm EXCEPT ![r.process] = r.alarm]

Tick ==
    /\ \A p \in Processes : ~Arriving(p) /\ alarm[p] # 1
    /\ LET sent == \E link \in Links : kept[link] # <<>>
           set == {alarm[p] : p \in Processes} \ {0}
           ticks == IF sent \/ Sleeping THEN 1
                    ELSE (CHOOSE least \in set : \A other \in set : least <= other) - 1
       IN /\ sent \/ set # {} \/ (~begins /\ Sleeping)
          /\ alarm' = [p \in Processes |-> IF alarm[p] = 0 THEN 0 ELSE alarm[p] - ticks]
    /\ queue' = [link \in Links |->
        IF Crashed(local, To[link]) THEN queue[link] ELSE queue[link] \o kept[link]]
    /\ kept' = [link \in Links |-> <<>>]
    /\ begins' = TRUE
    /\ UNCHANGED <<local>>

Next == (\E r \in Reactions : React(r)) \/ Tick
Spec == Init /\ [][Next]_<<local, queue, kept, begins, alarm>> /\ WF_<<local, queue, kept, begins, alarm>>(Next)

Possible == \A r \in Reactions : Enabled(r) => r.possible
Always == (~(local[0] = 2 \/ local[0] = 4) \/ ~(local[1] = 2 \/ local[1] = 6))
Quiet == ((queue[0] = <<>>) /\ (queue[1] = <<>>) /\ (queue[2] = <<>>) /\ (queue[3] = <<>>) /\ (kept[0] = <<>>) /\ (kept[1] = <<>>) /\ (kept[2] = <<>>) /\ (kept[3] = <<>>) /\ (local[0] >= 1 /\ local[0] <= 5) /\ ((local[1] >= 1 /\ local[1] <= 4) \/ (local[1] >= 6 /\ local[1] <= 8)))
Ended == Quiet => ((local[0] = 2 \/ local[0] = 4 \/ local[1] = 2 \/ local[1] = 6) /\ (~(local[0] = 2 \/ local[0] = 4) \/ ~(local[1] = 2 \/ local[1] = 6)) /\ (local[0] >= 4 /\ local[0] <= 5) /\ (local[1] >= 6 /\ local[1] <= 8) /\ (~(local[0] = 2 \/ local[0] = 4) \/ ((local[0] = 2 \/ local[0] = 4) /\ (local[1] >= 7 /\ local[1] <= 8))) /\ (~((local[0] = 2 \/ local[0] = 4) /\ ~(local[1] = 2 \/ local[1] = 6)) \/ (local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4 \/ (~((local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4) /\ ~((local[1] >= 1 /\ local[1] <= 2) \/ (local[1] >= 4 /\ local[1] <= 6) \/ local[1] = 8))) /\ (~((local[1] = 2 \/ local[1] = 6) /\ ~(local[0] = 2 \/ local[0] = 4)) \/ (local[0] = 5 /\ (local[1] = 2 \/ local[1] = 6))) /\ (~((local[1] = 2 \/ local[1] = 6) /\ ~(local[0] = 2 \/ local[0] = 4)) \/ (((local[1] >= 1 /\ local[1] <= 2) \/ (local[1] >= 4 /\ local[1] <= 6) \/ local[1] = 8) /\ ~((local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4)) \/ (~((local[0] >= 1 /\ local[0] <= 2) \/ local[0] = 4) /\ ~((local[1] >= 1 /\ local[1] <= 2) \/ (local[1] >= 4 /\ local[1] <= 6) \/ local[1] = 8))))
Terminates == <>Quiet
====
