/*
 * chang-roberts
 *
 * Each process is a table of its reactions, which the algorithm's own code has computed. A state or a
 * message is a number; comments tell what it is.
 * Initiators wake at any time before a message reaches them.
 * Links are FIFO.
 * Not said here: bounds on messages and time, and invariants.
 *
 * What Suffrage's own exploration of this election finds:
 * - 18 configurations, 19 steps between them
 * - every property holds
 * - 4 to 5 messages
 *
 * To check it, with this file as election.pml:
 *   spin -a election.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m10000000
 * To look for executions without an end:
 *   gcc -O2 -DNP -o pan pan.c && ./pan -m10000000 -l
 * Spin is to find no error, in 18 states, with 20 transitions: the beginning counts as one.
 */

int s0 = 0; /* of 6 local states */
int s1 = 0; /* of 8 local states */
chan q0 = [1] of { int }; /* from 0, port 0, to 1 */
chan q1 = [1] of { int }; /* from 0, port 1, to 1 */
chan q2 = [2] of { int }; /* from 1, port 0, to 0 */
chan q3 = [1] of { int }; /* from 1, port 1, to 0 */

/* message 0 is Elect(Token(Id(1))) */
/* message 1 is Elect(Token(Id(2))) */
/* message 2 is Announce(Id(1)) */
/* message 3 is Announce(Id(2)) */

#define ALWAYS (!(s0 == 2 || s0 == 4) || !(s1 == 2 || s1 == 5))
#define QUIET (len(q0) == 0 && len(q1) == 0 && len(q2) == 0 && len(q3) == 0 && (s0 >= 1 && s0 <= 5) && (s1 >= 1 && s1 <= 7))
#define AT_THE_END ((s0 == 2 || s0 == 4 || s1 == 2 || s1 == 5) && (!(s0 == 2 || s0 == 4) || !(s1 == 2 || s1 == 5)) && (s0 >= 4 && s0 <= 5) && (s1 >= 5 && s1 <= 7) && (!(s0 == 2 || s0 == 4) || ((s0 == 2 || s0 == 4) && (s1 >= 6 && s1 <= 7))) && (!((s0 == 2 || s0 == 4) && !(s1 == 2 || s1 == 5)) || (s0 >= 1 && s0 <= 2) || s0 == 4 || (!((s0 >= 1 && s0 <= 2) || s0 == 4) && !((s1 >= 1 && s1 <= 2) || (s1 >= 4 && s1 <= 5) || s1 == 7))) && (!((s1 == 2 || s1 == 5) && !(s0 == 2 || s0 == 4)) || (s0 == 5 && (s1 == 2 || s1 == 5))) && (!((s1 == 2 || s1 == 5) && !(s0 == 2 || s0 == 4)) || (((s1 >= 1 && s1 <= 2) || (s1 >= 4 && s1 <= 5) || s1 == 7) && !((s0 >= 1 && s0 <= 2) || s0 == 4)) || (!((s0 >= 1 && s0 <= 2) || s0 == 4) && !((s1 >= 1 && s1 <= 2) || (s1 >= 4 && s1 <= 5) || s1 == 7))))

active proctype process_0() {
end:	do
	:: d_step { s0 == 0 -> s0 = 1; q0!0; } /* wakes, sends Elect(Token(Id(1))) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Candidate }, heard: None } */
	:: d_step { s0 == 0 && q2?[1] -> q2?1; s0 = 3; q0!1; } /* receives Elect(Token(Id(2))) from 1, sends Elect(Token(Id(2))) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Lost }, heard: None } */
	:: d_step { s0 == 1 && q2?[0] -> q2?0; s0 = 2; q0!2; assert(ALWAYS); } /* receives Elect(Token(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 2 }) } */
	:: d_step { s0 == 1 && q2?[1] -> q2?1; s0 = 1; assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(2))) from 1: Announced { elector: ChangRoberts { id: Id(1), state: Candidate }, heard: None } */
	:: d_step { s0 == 2 && q2?[2] -> q2?2; s0 = 4; assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(1)) from 1: Announced { elector: ChangRoberts { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s0 == 3 && q2?[3] -> q2?3; s0 = 5; q0!3; } /* receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: ChangRoberts { id: Id(1), state: Lost }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	od
}

active proctype process_1() {
end:	do
	:: d_step { s1 == 0 -> s1 = 1; q2!1; } /* wakes, sends Elect(Token(Id(2))) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Candidate }, heard: None } */
	:: d_step { s1 == 0 && q0?[0] -> q0?0; s1 = 3; q2!0; } /* receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: None } */
	:: d_step { s1 == 1 && q0?[0] -> q0?0; s1 = 4; q2!0; } /* receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: None } */
	:: d_step { s1 == 1 && q0?[1] -> q0?1; s1 = 2; q2!3; assert(ALWAYS); } /* receives Elect(Token(Id(2))) from 0, sends Announce(Id(2)) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 2 }) } */
	:: d_step { s1 == 2 && q0?[3] -> q0?3; s1 = 5; assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(2)) from 0: Announced { elector: ChangRoberts { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	:: d_step { s1 == 3 && q0?[2] -> q0?2; s1 = 6; q2!2; } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s1 == 4 && q0?[2] -> q0?2; s1 = 7; q2!2; } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: ChangRoberts { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	od
}
