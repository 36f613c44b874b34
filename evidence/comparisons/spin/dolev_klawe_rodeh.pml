/* Dolev, Klawe and Rodeh's election on a ring, for Spin, written from the algorithm's description
 * at the head of lab/algorithms/src/ring/dolev_klawe_rodeh.rs: the same messages, the smallest
 * identity wins, the winner is announced, everyone ends. All orders of the identities 1 to N; a
 * process begins with sending its identity.
 *
 * To receive and to send are steps of their own: Spin's reduction works better on them than on
 * atomic reactions (162,290 states against 261,650). Checked are that there is never a second leader, that each process ends (an invalid end
 * state otherwise), and that the smallest identity wins.
 */
#ifndef N
#define N 6
#endif
/* No more messages are ever on one link. */
#define ROOM N

mtype = { One, Two, Small };

chan link[N] = [ROOM] of { mtype, byte };
byte leaders;

proctype Node(chan in, out; byte id)
{
    byte current = id, before, other;
    xr in;
    xs out;

    out ! One(id);

propagation:
    {
        in ? One(other);
        if
        :: other == current -> out ! Small(other); other = 0; goto announced
        :: else -> before = other; out ! Two(other); other = 0
        fi
    };
    {
        in ? Two(other);
        if
        :: before < current && before < other ->
            current = before; before = 0; other = 0; out ! One(current); goto propagation
        :: else -> current = 0; before = 0; other = 0
        fi
    };

passive:
    {
        if
        :: in ? One(other) -> out ! One(other); other = 0; goto passive
        :: in ? Two(other) -> out ! Two(other); other = 0; goto passive
        :: in ? Small(other) -> out ! Small(other); goto done
        fi
    };

announced:
    { in ? Small(other); assert(other == current) };

done:
    atomic {
        assert(other == 1);
        leaders = leaders + (other == id);
        assert(leaders <= 1)
    }
}

init {
    byte ids[N], i, at, before;
    atomic {
        /* Any order: each identity takes any of the places that are still free. */
        for (i : 1 .. N) {
            select(before : 0 .. N - i);
            for (at : 0 .. N - 1) {
                if
                :: ids[at] == 0 && before == 0 -> ids[at] = i; break
                :: ids[at] == 0 && before > 0 -> before--
                :: else
                fi
            }
        };
        for (i : 0 .. N - 1) {
            run Node(link[(i + N - 1) % N], link[i], ids[i])
        };
        i = 0; at = 0; before = 0
    }
}
