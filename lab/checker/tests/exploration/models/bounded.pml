/*
 * lelann
 *
 * Each process is a table of its reactions, which the algorithm's own code has computed. A state or a
 * message is a number; comments tell what it is.
 * Initiators wake at any time before a message reaches them.
 * Links are FIFO and hold 1; who has no room to send, waits.
 * At most 1 messages lost.
 * At most 1 messages duplicated.
 * At most 1 processes crashed.
 * Not said here: bounds on messages and time, and invariants.
 *
 * What Suffrage's own exploration of this election finds:
 * - 109 configurations, 158 steps between them
 * - every property holds
 *
 * To check it, with this file as election.pml:
 *   spin -a election.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m10000000
 * To look for executions without an end:
 *   gcc -O2 -DNP -o pan pan.c && ./pan -m10000000 -l
 * Spin is to find no error, in 109 states, with 159 transitions: the beginning counts as one.
 */

int s0 = 0; /* of 11 local states */
int s1 = 0; /* of 16 local states */
chan q0 = [1] of { int }; /* from 0, port 0, to 1 */
chan q1 = [1] of { int }; /* from 0, port 1, to 1 */
chan q2 = [1] of { int }; /* from 1, port 0, to 0 */
chan q3 = [1] of { int }; /* from 1, port 1, to 0 */
byte losses = 1; /* that may still happen */
byte copies = 1; /* that may still happen */
byte crashes = 1; /* that may still happen */
chan o0 = [1] of { int, int }; /* the links and messages for which 0 has no room yet */
chan o1 = [1] of { int, int }; /* the links and messages for which 1 has no room yet */
hidden int to, what, ticks, length; /* within a step */

/* message 0 is Elect(Token(Id(1))) */
/* message 1 is Elect(Token(Id(2))) */
/* message 2 is Announce(Id(1)) */
/* message 3 is Announce(Id(2)) */

#define ALWAYS (!(s0 == 2 || s0 == 4) || !(s1 == 3 || s1 == 6))
#define QUIET ((len(o0) > 0 || (len(q2) == 0 && len(q3) == 0 && (s0 >= 1 && s0 <= 10))) && (len(o1) > 0 || (len(q0) == 0 && len(q1) == 0 && (s1 >= 1 && s1 <= 15))))
#define AT_THE_END true

inline flow_0() {
	do
	:: len(o0) > 0 -> o0?<to, what>;
		if
		:: to == 0 && (s1 >= 10 && s1 <= 15) -> o0?_, _ /* is lost */
		:: to == 0 && !(s1 >= 10 && s1 <= 15) && len(q0) < 1 -> o0?_, _; q0!what
		:: to == 1 && (s1 >= 10 && s1 <= 15) -> o0?_, _ /* is lost */
		:: to == 1 && !(s1 >= 10 && s1 <= 15) && len(q1) < 1 -> o0?_, _; q1!what
		:: else -> break
		fi
	:: else -> break
	od
}

inline flow_1() {
	do
	:: len(o1) > 0 -> o1?<to, what>;
		if
		:: to == 2 && (s0 >= 7 && s0 <= 10) -> o1?_, _ /* is lost */
		:: to == 2 && !(s0 >= 7 && s0 <= 10) && len(q2) < 1 -> o1?_, _; q2!what
		:: to == 3 && (s0 >= 7 && s0 <= 10) -> o1?_, _ /* is lost */
		:: to == 3 && !(s0 >= 7 && s0 <= 10) && len(q3) < 1 -> o1?_, _; q3!what
		:: else -> break
		fi
	:: else -> break
	od
}

active proctype process_0() {
end:	do
	:: d_step { s0 == 0 && len(o0) == 0 -> s0 = 1; o0!0, 0; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* wakes, sends Elect(Token(Id(1))) to 1: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: None } */
	:: d_step { s0 == 0 && crashes > 0 -> crashes--; s0 = 7; do :: len(o0) > 0 -> o0?_, _ :: else -> break od; do :: len(q2) > 0 -> q2?_ :: else -> break od; do :: len(q3) > 0 -> q3?_ :: else -> break od; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(1), state: Sleep }, heard: None } */
	:: d_step { s0 == 0 && len(o0) == 0 && q2?[1] -> q2?1; s0 = 3; flow_1(); o0!0, 1; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(2))) from 1, sends Elect(Token(Id(2))) to 1: Announced { elector: LeLann { id: Id(1), state: Lost }, heard: None } */
	:: d_step { s0 == 1 && crashes > 0 -> crashes--; s0 = 8; do :: len(o0) > 0 -> o0?_, _ :: else -> break od; do :: len(q2) > 0 -> q2?_ :: else -> break od; do :: len(q3) > 0 -> q3?_ :: else -> break od; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: None } */
	:: d_step { s0 == 1 && len(o0) == 0 && q2?[0] -> q2?0; s0 = 2; flow_1(); o0!0, 2; flow_0(); assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(1))) from 1, sends Announce(Id(1)) to 1: Announced { elector: LeLann { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 2 }) } */
	:: d_step { s0 == 1 && len(o0) == 0 && q2?[1] -> q2?1; s0 = 1; flow_1(); o0!0, 1; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(2))) from 1, sends Elect(Token(Id(2))) to 1: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: None } */
	:: d_step { s0 == 1 && len(o0) == 0 && q2?[3] -> q2?3; s0 = 6; flow_1(); o0!0, 3; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: LeLann { id: Id(1), state: Candidate(Id(1)) }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	:: d_step { s0 == 2 && crashes > 0 -> crashes--; s0 = 9; do :: len(o0) > 0 -> o0?_, _ :: else -> break od; do :: len(q2) > 0 -> q2?_ :: else -> break od; do :: len(q3) > 0 -> q3?_ :: else -> break od; flow_1(); assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 2 }) } */
	:: d_step { s0 == 2 && len(o0) == 0 && q2?[2] -> q2?2; s0 = 4; flow_1(); assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(1)) from 1: Announced { elector: LeLann { id: Id(1), state: Leader }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s0 == 3 && crashes > 0 -> crashes--; s0 = 10; do :: len(o0) > 0 -> o0?_, _ :: else -> break od; do :: len(q2) > 0 -> q2?_ :: else -> break od; do :: len(q3) > 0 -> q3?_ :: else -> break od; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(1), state: Lost }, heard: None } */
	:: d_step { s0 == 3 && len(o0) == 0 && q2?[3] -> q2?3; s0 = 5; flow_1(); o0!0, 3; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(2)) from 1, sends Announce(Id(2)) to 1: Announced { elector: LeLann { id: Id(1), state: Lost }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	od
}

active proctype process_1() {
end:	do
	:: d_step { s1 == 0 && len(o1) == 0 -> s1 = 1; o1!2, 1; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* wakes, sends Elect(Token(Id(2))) to 0: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(2)) }, heard: None } */
	:: d_step { s1 == 0 && crashes > 0 -> crashes--; s1 = 10; do :: len(o1) > 0 -> o1?_, _ :: else -> break od; do :: len(q0) > 0 -> q0?_ :: else -> break od; do :: len(q1) > 0 -> q1?_ :: else -> break od; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(2), state: Sleep }, heard: None } */
	:: d_step { s1 == 0 && len(o1) == 0 && q0?[0] -> q0?0; s1 = 4; flow_0(); o1!2, 0; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None } */
	:: d_step { s1 == 1 && crashes > 0 -> crashes--; s1 = 11; do :: len(o1) > 0 -> o1?_, _ :: else -> break od; do :: len(q0) > 0 -> q0?_ :: else -> break od; do :: len(q1) > 0 -> q1?_ :: else -> break od; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(2)) }, heard: None } */
	:: d_step { s1 == 1 && len(o1) == 0 && q0?[0] -> q0?0; s1 = 2; flow_0(); o1!2, 0; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(1))) from 0, sends Elect(Token(Id(1))) to 0: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(1)) }, heard: None } */
	:: d_step { s1 == 1 && len(o1) == 0 && q0?[1] -> q0?1; s1 = 3; flow_0(); o1!2, 3; flow_1(); assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(2))) from 0, sends Announce(Id(2)) to 0: Announced { elector: LeLann { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 2 }) } */
	:: d_step { s1 == 2 && crashes > 0 -> crashes--; s1 = 12; do :: len(o1) > 0 -> o1?_, _ :: else -> break od; do :: len(q0) > 0 -> q0?_ :: else -> break od; do :: len(q1) > 0 -> q1?_ :: else -> break od; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(1)) }, heard: None } */
	:: d_step { s1 == 2 && len(o1) == 0 && q0?[1] -> q0?1; s1 = 5; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* receives Elect(Token(Id(2))) from 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None } */
	:: d_step { s1 == 2 && len(o1) == 0 && q0?[2] -> q0?2; s1 = 8; flow_0(); o1!2, 2; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: LeLann { id: Id(2), state: Candidate(Id(1)) }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s1 == 3 && crashes > 0 -> crashes--; s1 = 13; do :: len(o1) > 0 -> o1?_, _ :: else -> break od; do :: len(q0) > 0 -> q0?_ :: else -> break od; do :: len(q1) > 0 -> q1?_ :: else -> break od; flow_0(); assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 2 }) } */
	:: d_step { s1 == 3 && len(o1) == 0 && q0?[3] -> q0?3; s1 = 6; flow_0(); assert(ALWAYS); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(2)) from 0: Announced { elector: LeLann { id: Id(2), state: Leader }, heard: Some(Heard { leader: Id(2), pending: 1 }) } */
	:: d_step { s1 == 4 && crashes > 0 -> crashes--; s1 = 14; do :: len(o1) > 0 -> o1?_, _ :: else -> break od; do :: len(q0) > 0 -> q0?_ :: else -> break od; do :: len(q1) > 0 -> q1?_ :: else -> break od; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None } */
	:: d_step { s1 == 4 && len(o1) == 0 && q0?[2] -> q0?2; s1 = 7; flow_0(); o1!2, 2; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	:: d_step { s1 == 5 && crashes > 0 -> crashes--; s1 = 15; do :: len(o1) > 0 -> o1?_, _ :: else -> break od; do :: len(q0) > 0 -> q0?_ :: else -> break od; do :: len(q1) > 0 -> q1?_ :: else -> break od; flow_0(); assert(!(QUIET) || (AT_THE_END)); } /* crashes: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: None } */
	:: d_step { s1 == 5 && len(o1) == 0 && q0?[2] -> q0?2; s1 = 9; flow_0(); o1!2, 2; flow_1(); assert(!(QUIET) || (AT_THE_END)); } /* receives Announce(Id(1)) from 0, sends Announce(Id(1)) to 0: Announced { elector: LeLann { id: Id(2), state: Lost }, heard: Some(Heard { leader: Id(1), pending: 1 }) } */
	od
}

active proctype surroundings() {
end:	do
	:: d_step { len(q0) > 0 && losses > 0 -> losses--; q0?_; flow_0(); /* is lost */ skip }
	:: d_step { len(q0) > 0 && copies > 0 && len(q0) < 1 -> copies--; length = len(q0) - 1; q0?what; q0!what; q0!what; do :: length > 0 -> length--; q0?what; q0!what :: else -> break od; /* is doubled */ skip }
	:: d_step { len(q1) > 0 && losses > 0 -> losses--; q1?_; flow_0(); /* is lost */ skip }
	:: d_step { len(q2) > 0 && losses > 0 -> losses--; q2?_; flow_1(); /* is lost */ skip }
	:: d_step { len(q2) > 0 && copies > 0 && len(q2) < 1 -> copies--; length = len(q2) - 1; q2?what; q2!what; q2!what; do :: length > 0 -> length--; q2?what; q2!what :: else -> break od; /* is doubled */ skip }
	:: d_step { len(q3) > 0 && losses > 0 -> losses--; q3?_; flow_1(); /* is lost */ skip }
	od
}
