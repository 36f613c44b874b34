package tenure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** How to stand for an office. */
public final class StandOptions {
    private static final int LONGEST_VALUE = 4096;

    final Map<String, Object> fields = new LinkedHashMap<>();
    Runnable lost = () -> {};
    Runnable stopping = () -> {};

    private StandOptions with(String name, Object value) {
        fields.put(name, value);
        return this;
    }

    private StandOptions with(String name, Duration time) {
        if (time.isNegative()) throw new IllegalArgumentException(name + " is negative: " + time);
        return with(name, (Object) time.toMillis());
    }

    /** Among the candidates for a vacant office, the one with the greatest leads; at least 0. */
    public StandOptions priority(int priority) {
        if (priority < 0) throw new IllegalArgumentException("the priority is negative: " + priority);
        return with("priority", (Object) priority);
    }

    /** How long the work may go on after the leadership was lost. */
    public StandOptions stop(Duration stop) {
        return with("stop_ms", stop);
    }

    /** How long to stand; then NotWon is thrown. */
    public StandOptions within(Duration wait) {
        return with("wait_ms", wait);
    }

    /** Gives up, with NotWon, as soon as another program is known to lead. */
    public StandOptions onlyTry() {
        return with("try", (Object) true);
    }

    /** What others are told of this leader, such as its address: a line of at most 4,096 bytes. */
    public StandOptions value(String value) {
        return with("value", (Object) line(value));
    }

    /** Is called by another thread when the leadership is over, by the clock at the latest; not after `close`. */
    public StandOptions lost(Runnable lost) {
        this.lost = lost;
        return this;
    }

    /** Is called by another thread when the work should end: the member wants the office back, or is gone. */
    public StandOptions stopping(Runnable stopping) {
        this.stopping = stopping;
        return this;
    }

    /** A member would refuse a value that is anything else, and end the leadership. */
    static String line(String value) {
        // Half of a surrogate pair is no character.
        boolean isLine = value.codePoints()
                .mapToObj(Character::getType)
                .noneMatch(type -> type == Character.CONTROL || type == Character.SURROGATE);
        if (isLine && value.getBytes(StandardCharsets.UTF_8).length <= LONGEST_VALUE) return value;
        throw new IllegalArgumentException(
                "a value is a line of at most " + LONGEST_VALUE + " bytes without control characters");
    }
}
