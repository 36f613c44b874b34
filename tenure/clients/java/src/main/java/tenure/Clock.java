package tenure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A clock that never jumps, and goes on while the host is suspended: of those of Java, none does. It shows whole
 * hundredths of a second. Without /proc, it stops meanwhile.
 */
final class Clock {
    private static final Pattern UPTIME = Pattern.compile("(\\d+)\\.(\\d\\d) .*", Pattern.DOTALL);
    private static final long START = System.nanoTime();
    // No channel: an interrupt would close that.
    private static final RandomAccessFile FILE = open();

    /** Up to so many nanoseconds more may have passed than `now` says. */
    static final long STEP = FILE == null ? 0 : 10_000_000;

    private Clock() {}

    private static RandomAccessFile open() {
        try {
            return new RandomAccessFile("/proc/uptime", "r");
        } catch (FileNotFoundException none) {
            return null;
        }
    }

    /** Nanoseconds. */
    static synchronized long now() {
        if (FILE == null) return System.nanoTime() - START;
        try {
            byte[] shown = new byte[64];
            FILE.seek(0);
            int length = FILE.read(shown);
            Matcher time = UPTIME.matcher(new String(shown, 0, Math.max(length, 0), StandardCharsets.US_ASCII));
            if (time.matches()) return Long.parseLong(time.group(1) + time.group(2)) * 10_000_000;
        } catch (IOException error) {
            // As below.
        }
        return Long.MAX_VALUE - STEP; // Nothing lasts until then.
    }
}
