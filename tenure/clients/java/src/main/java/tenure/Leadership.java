package tenure;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * The leadership of an office, for one term.
 *
 * <p>It lasts for as long as the member can extend it and this process runs: a thread keeps it. All work for it has to
 * be over when it is closed, and the stop time after it is lost.
 */
public final class Leadership implements AutoCloseable {
    /** Timers stop while the host is suspended; so the clock is read again after a second at the latest. */
    private static final long LOOK_AGAIN = 1_000_000_000;

    private static final BigInteger MILLISECOND = BigInteger.valueOf(1_000_000);
    private static final BigInteger LAST = BigInteger.valueOf(Long.MAX_VALUE);

    private final Conversation connection;
    private final String office;
    private final BigInteger term;
    private final Runnable lost;
    private final Runnable stopping;

    private boolean begun; // Whether the first ping is answered.
    private long until; // On our clock.
    private boolean over;
    private boolean told; // That the work should end.
    private boolean leaving;
    private boolean ended; // Whether nothing more is heard.
    private Throwable end; // Why, unless the office is released.

    Leadership(Conversation connection, String office, BigInteger term, StandOptions how)
            throws TenureException, InterruptedException {
        this.connection = connection;
        this.office = office;
        this.term = term;
        this.lost = how.lost;
        this.stopping = how.stopping;
        ping();
        start(this::hear);
        synchronized (this) {
            while (!begun && !over && !ended) wait();
            if (!begun) throw new TenureException(office + " was lost before it could be led: " + end, end);
        }
        start(this::watchClock);
    }

    public String office() {
        return office;
    }

    /** The fencing token. */
    public BigInteger term() {
        return term;
    }

    /** For how long from now the leadership is certain; zero if it is over. */
    public Duration validFor() {
        return Duration.ofNanos(left());
    }

    private synchronized long left() {
        long left = over ? 0 : Math.max(0, until - Clock.now() - Clock.STEP);
        // Who has seen it end never sees it again.
        over = left == 0;
        return left;
    }

    /** Throws NotLeading if the leadership is over. What is written should still compare terms. */
    public void check() throws TenureException.NotLeading {
        if (left() == 0) throw new TenureException.NotLeading(office + " is not led any more in term " + term);
    }

    /** Whether the work should end: the member wants the office back, is gone, or has lost it. */
    public synchronized boolean isStopping() {
        return told || left() == 0;
    }

    /** Sets what others are told of this leader, such as its address: a line of at most 4,096 bytes. */
    public void proclaim(String value) throws TenureException {
        StandOptions.line(value);
        check();
        undisturbed(() -> connection.say("proclaim", Map.of("value", value)));
    }

    /** Releases the office, after the work has ended. */
    @Override
    public void close() throws TenureException {
        release(Map.of());
    }

    /** Releases the office to a participant, after the work has ended; to any, with Refused, if that cannot lead. */
    public void transfer(String to) throws TenureException {
        release(Map.of("to", to));
    }

    private void release(Map<String, String> to) throws TenureException {
        synchronized (this) {
            if (leaving) return;
            leaving = over = true;
            notifyAll();
        }
        try {
            undisturbed(() -> {
                connection.say("release", to);
                awaitEnd();
            });
        } catch (TenureException gone) {
            // With the member, the leadership is gone.
        }
        connection.close();
        synchronized (this) {
            if (end instanceof TenureException.Refused refused) throw refused;
        }
    }

    private synchronized void awaitEnd() throws InterruptedException {
        while (!ended) wait();
    }

    private interface Work {
        void run() throws TenureException, InterruptedException;
    }

    /** Lets another thread do it: an interrupt of this one would close the connection, and the office stay taken. */
    private void undisturbed(Work work) throws TenureException {
        FutureTask<Void> task = new FutureTask<>(() -> {
            work.run();
            return null;
        });
        start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException error) {
            throw new TenureException(error.getCause().getMessage(), error.getCause());
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    private void start(Runnable work) {
        Thread thread = new Thread(work, "tenure " + office);
        thread.setDaemon(true);
        thread.start();
    }

    private void ping() throws TenureException, InterruptedException {
        // What the member says in answer counts from now: whatever is held up, we never count on too much.
        connection.say("alive", Map.of("ping", Clock.now()));
    }

    private void hear() {
        Throwable failure = null;
        try {
            while (react(connection.hear())) {}
        } catch (Throwable error) {
            failure = error;
        }
        boolean gone;
        synchronized (this) {
            gone = failure != null && begun;
            end = failure;
            ended = true;
            notifyAll();
        }
        if (gone) stop();
    }

    /** Returns whether more can come. */
    private boolean react(Conversation.Message message) throws TenureException, InterruptedException {
        switch (message.name()) {
            case "valid" -> extend(message.content());
            case "over" -> lose();
            case "stopping" -> stop();
            default -> {}
        }
        return !message.name().equals("released");
    }

    private void extend(Object content) throws TenureException, InterruptedException {
        BigInteger valid = Conversation.number(content, "for_ms").multiply(MILLISECOND);
        long end = Conversation.number(content, "ping").add(valid).min(LAST).longValue();
        synchronized (this) {
            until = Math.max(until, end);
            begun = true;
            notifyAll();
            if (leaving) return;
        }
        try {
            ping();
        } catch (TenureException gone) {
            // Read first what the member has said.
        }
    }

    private synchronized void lose() {
        over = true;
        notifyAll();
    }

    private void stop() {
        synchronized (this) {
            if (told || leaving || over) return;
            told = true;
        }
        start(stopping);
    }

    /** Calls `lost` at the end, even if nothing is heard: a member that is gone extends nothing any more. */
    private void watchClock() {
        synchronized (this) {
            try {
                for (long left = left(); left > 0; left = left()) {
                    TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, LOOK_AGAIN));
                }
            } catch (InterruptedException none) {
                throw new IllegalStateException(none); // Our own threads are not interrupted.
            }
            if (leaving) return;
        }
        lost.run();
    }
}
