package tenure;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a program and a member say to each other, for one request. An interrupt of who says or hears closes it. */
abstract class Conversation implements AutoCloseable {
    /** A line of a member, such as a list of ten thousand offices, is no longer than this. */
    private static final int LONGEST = 16 << 20;

    record Message(String name, Object content) {}

    static TenureException nonsense(Object what, Throwable cause) {
        String text = String.valueOf(what);
        String begin = text.substring(0, Math.min(100, text.length()));
        return new TenureException("the member answers nonsense: " + begin, cause);
    }

    static TenureException failure(String what, IOException error) throws InterruptedException {
        if (error instanceof ClosedByInterruptException && Thread.interrupted()) throw new InterruptedException();
        return new TenureException(what + ": " + error.getMessage(), error);
    }

    abstract void say(String name, Map<String, ?> fields) throws TenureException, InterruptedException;

    /** The next byte that the member sends. */
    abstract byte next() throws IOException, InterruptedException;

    /** The line of the next message. */
    String line() throws IOException, InterruptedException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (line.size() < LONGEST) {
            byte next = next();
            if (next == '\n') {
                ByteBuffer bytes = ByteBuffer.wrap(line.toByteArray());
                return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            }
            line.write(next);
        }
        throw new IOException("a line has more than " + LONGEST + " bytes");
    }

    /** The next message; a refusal is thrown. */
    Message hear() throws TenureException, InterruptedException {
        String line;
        Message message;
        try {
            line = line();
        } catch (IOException error) {
            throw failure("the member is gone", error);
        }
        try {
            Map<?, ?> said = (Map<?, ?>) Json.read(line);
            if (said.size() != 1) throw nonsense(line, null);
            Map.Entry<?, ?> only = said.entrySet().iterator().next();
            message = new Message((String) only.getKey(), only.getValue());
        } catch (IllegalArgumentException | ClassCastException | NullPointerException error) {
            throw nonsense(line, error);
        }
        if (!message.name.equals("refused")) return message;
        String code = field(message.content, "code", String.class);
        String why = field(message.content, "why", String.class);
        throw code.equals("not_won") ? new TenureException.NotWon(code, why) : new TenureException.Refused(code, why);
    }

    Object expect(String wanted) throws TenureException, InterruptedException {
        Message message = hear();
        if (message.name.equals(wanted)) return message.content;
        throw new TenureException("the member answers " + message.name + " in place of " + wanted, null);
    }

    /** Waits until the office is led, after the program has said that it stands. Without success, this is closed. */
    final Leadership leadership(String office, StandOptions how) throws TenureException, InterruptedException {
        try {
            return new Leadership(this, office, number(expect("leading"), "term"), how);
        } catch (Throwable error) {
            close();
            throw error;
        }
    }

    /** A field of this type. */
    static <T> T field(Object content, String name, Class<T> type) throws TenureException {
        Object value = content instanceof Map<?, ?> fields ? fields.get(name) : null;
        if (!type.isInstance(value)) throw nonsense(name + " is " + value, null);
        return type.cast(value);
    }

    /** A field of this type, or null if there is none. */
    static <T> T fieldIfAny(Object content, String name, Class<T> type) throws TenureException {
        return content instanceof Map<?, ?> fields && fields.get(name) == null ? null : field(content, name, type);
    }

    static BigInteger number(Object content, String name) throws TenureException {
        BigInteger number = field(content, name, BigInteger.class);
        if (number.signum() < 0) throw nonsense(name + " is " + number, null);
        return number;
    }

    /** Wakes who hears. */
    @Override
    public abstract void close();
}
