/*
 * variable-speeds
 *
 * Each process is a table of its reactions, which the algorithm's own code has computed. A state or a
 * message is a number; comments tell what it is.
 * Initiators wake at the beginning of any tick.
 * A message takes one tick; processes take their turns in one order.
 * Links are FIFO.
 * Not said here: bounds on messages and time, and invariants.
 *
 * What Suffrage's own exploration of this election finds:
 * - 38 configurations, 40 steps between them
 * - every property holds
 * - 4 to 5 messages
 *
 * To check it, with this file as election.pml:
 *   spin -a election.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m10000000
 * To look for executions without an end:
 *   gcc -O2 -DNP -o pan pan.c && ./pan -m10000000 -l
 * Spin is to find no error, in 38 states, with 41 transitions: the beginning counts as one.
 */

int s0 = 0; /* of 6 local states */
int s1 = 0; /* of 9 local states */
chan q0 = [1] of { int }; /* from 0, port 0, to 1 */
chan q1 = [1] of { int }; /* from 0, port 1, to 1 */
chan q2 = [1] of { int }; /* from 1, port 0, to 0 */
chan q3 = [1] of { int }; /* from 1, port 1, to 0 */
bool begins = true; /* whether nothing but wake-ups has happened in this tick */
chan n0 = [1] of { int }; /* for q0 in the next tick */
chan n1 = [1] of { int }; /* for q1 in the next tick */
chan n2 = [1] of { int }; /* for q2 in the next tick */
chan n3 = [1] of { int }; /* for q3 in the next tick */
int a0 = 0; /* the ticks until the alarm of 0 rings, and one more; or none */
int a1 = 0; /* the ticks until the alarm of 1 rings, and one more; or none */
hidden int to, what, ticks, length; /* within a step */

/* message 0 is Elect(Fast(Id(1))) */
/* message 1 is Elect(Fast(Id(2))) */
/* message 2 is Announce(Id(1)) */
/* message 3 is Announce(Id(2)) */
/* message 4 is Elect(Slow(Id(1))) */

#define ALWAYS (!(s0 == 2 || s0 == 4) || !(s1 == 2 || s1 == 6))
#define QUIET (len(q0) == 0 && len(q1) == 0 && len(q2) == 0 && len(q3) == 0 && len(n0) == 0 && len(n1) == 0 && len(n2) == 0 && len(n3) == 0 && (s0 >= 1 && s0 <= 5) && ((s1 >= 1 && s1 <= 4) || (s1 >= 6 && s1 <= 8)))
#define AT_THE_END ((s0 == 2 || s0 == 4 || s1 == 2 || s1 == 6) && (!(s0 == 2 || s0 == 4) || !(s1 == 2 || s1 == 6)) && (s0 >= 4 && s0 <= 5) && (s1 >= 6 && s1 <= 8) && (!(s0 == 2 || s0 == 4) || ((s0 == 2 || s0 == 4) && (s1 >= 7 && s1 <= 8))) && (!((s0 == 2 || s0 == 4) && !(s1 == 2 || s1 == 6)) || (s0 >= 1 && s0 <= 2) || s0 == 4 || (!((s0 >= 1 && s0 <= 2) || s0 == 4) && !((s1 >= 1 && s1 <= 2) || (s1 >= 4 && s1 <= 6) || s1 == 8))) && (!((s1 == 2 || s1 == 6) && !(s0 == 2 || s0 == 4)) || (s0 == 5 && (s1 == 2 || s1 == 6))) && (!((s1 == 2 || s1 == 6) && !(s0 == 2 || s0 == 4)) || (((s1 >= 1 && s1 <= 2) || (s1 >= 4 && s1 <= 6) || s1 == 8) && !((s0 >= 1 && s0 <= 2) || s0 == 4)) || (!((s0 >= 1 && s0 <= 2) || s0 == 4) && !((s1 >= 1 && s1 <= 2) || (s1 >= 4 && s1 <= 6) || s1 == 8))))
#define SLEEPING ((s0 == 0) || (s1 == 0))
#define ARRIVING_0 (len(q2) > 0 || len(q3) > 0)
#define ARRIVING_1 (len(q0) > 0 || len(q1) > 0)
#define ARRIVING (ARRIVING_0 || ARRIVING_1)
#define DUE (a0 == 1 || a1 == 1)
#define SENT (false || len(n0) > 0 || len(n1) > 0 || len(n2) > 0 || len(n3) > 0)
#define SET (a0 > 0 || a1 > 0)

active proctype process_0() {
end:	do
	:: d_step { s0 == 0 && begins -> s0 = 1; n0!0; } /* wakes, sends Elect(Fast(Id(1))) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Candidate, least: Some(Id(1)), waiting: None }, heard: None } */
	:: d_step { s0 == 0 && q2?[1] -> begins = false; q2?1; s0 = 3; n0!1; } /* receives Elect(Fast(Id(2))) from 1, sends Elect(Fast(Id(2))) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Lost, least: Some(Id(2)), waiting: None }, heard: None } */
	:: d_step { s0 == 1 && q2?[0] -> begins = false; q2?0; s0 = 2; n0!2; assert(ALWAYS); } /* receives Elect(Fast(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Leader, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 2 }) } */
	:: d_step { s0 == 1 && q2?[1] -> begins = false; q2?1; s0 = 1; assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Fast(Id(2))) from 1: Announced { elector: VariableSpeeds { id: Id(1), state: Candidate, least: Some(Id(1)), waiting: None }, heard: None } */
	:: d_step { s0 == 1 && q2?[4] -> begins = false; q2?4; s0 = 2; n0!2; assert(ALWAYS); } /* receives Elect(Slow(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Leader, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 2 }) } */
	:: d_step { s0 == 2 && q2?[2] -> begins = false; q2?2; s0 = 4; a0 = 0; assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(1)) from 1: Announced { elector: VariableSpeeds { id: Id(1), state: Leader, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s0 == 3 && q2?[3] -> begins = false; q2?3; s0 = 5; a0 = 0; n0!3; } /* receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: VariableSpeeds { id: Id(1), state: Lost, least: Some(Id(2)), waiting: None }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	od
}

active proctype process_1() {
end:	do
	:: d_step { s1 == 0 && begins -> s1 = 1; n2!1; } /* wakes, sends Elect(Fast(Id(2))) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Candidate, least: Some(Id(2)), waiting: None }, heard: None } */
	:: d_step { s1 == 0 && q0?[0] && !(ARRIVING_0) -> begins = false; q0?0; s1 = 3; n2!0; } /* receives Elect(Fast(Id(1))) from 0, sends Elect(Fast(Id(1))) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: None } */
	:: d_step { s1 == 1 && q0?[0] && !(ARRIVING_0) -> begins = false; q0?0; s1 = 5; a1 = 2; assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Fast(Id(1))) from 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: Some(Waiting { id: Id(1), rounds: 0 }) }, heard: None } */
	:: d_step { s1 == 1 && q0?[1] && !(ARRIVING_0) -> begins = false; q0?1; s1 = 2; n2!3; assert(ALWAYS); } /* receives Elect(Fast(Id(2))) from 0, sends Announce(Id(2)) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Leader, least: Some(Id(2)), waiting: None }, heard: Some(Heard { leader: Id(2), pending: 2 }) } */
	:: d_step { s1 == 2 && q0?[3] && !(ARRIVING_0) -> begins = false; q0?3; s1 = 6; a1 = 0; assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(2)) from 0: Announced { elector: VariableSpeeds { id: Id(2), state: Leader, least: Some(Id(2)), waiting: None }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	:: d_step { s1 == 3 && q0?[2] && !(ARRIVING_0) -> begins = false; q0?2; s1 = 7; a1 = 0; n2!2; } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s1 == 4 && q0?[2] && !(ARRIVING_0) -> begins = false; q0?2; s1 = 8; a1 = 0; n2!2; } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s1 == 5 && !ARRIVING && a1 == 1 && a0 != 1 -> begins = false; s1 = 4; a1 = 0; n2!4; } /* is alarmed, sends Elect(Slow(Id(1))) to 0: Announced { elector: VariableSpeeds { id: Id(2), state: Lost, least: Some(Id(1)), waiting: None }, heard: None } */
	od
}

active proctype surroundings() {
end:	do
	:: d_step { !ARRIVING && !DUE && (SET || SENT || !begins && SLEEPING) -> ticks = 1; if :: SENT || SLEEPING -> skip :: else -> ticks = 0; if :: a0 > 0 && (ticks == 0 || a0 - 1 < ticks) -> ticks = a0 - 1 :: else -> skip fi; if :: a1 > 0 && (ticks == 0 || a1 - 1 < ticks) -> ticks = a1 - 1 :: else -> skip fi; fi; if :: a0 > 0 -> a0 = a0 - ticks :: else -> skip fi; if :: a1 > 0 -> a1 = a1 - ticks :: else -> skip fi; do :: len(n0) > 0 -> n0?what; q0!what :: else -> break od; do :: len(n1) > 0 -> n1?what; q1!what :: else -> break od; do :: len(n2) > 0 -> n2?what; q2!what :: else -> break od; do :: len(n3) > 0 -> n3?what; q3!what :: else -> break od; begins = true; /* the tick ends */ skip }
	od
}
