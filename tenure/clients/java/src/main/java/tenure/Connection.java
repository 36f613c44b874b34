package tenure;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.math.BigInteger;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A connection that has greeted, and carries one request. An interrupt of who says or hears closes it. */
final class Connection implements AutoCloseable {
    private static final List<Integer> VERSIONS = List.of(1);
    /** A line of a member, such as a list of ten thousand offices, is no longer than this. */
    private static final int LONGEST = 16 << 20;

    private final SocketChannel channel;
    private final ByteBuffer heard = ByteBuffer.allocate(16 << 10).flip();

    record Message(String name, Object content) {}

    private Connection(SocketChannel channel) {
        this.channel = channel;
    }

    static Connection open(Path path) throws TenureException, InterruptedException {
        Connection connection;
        try {
            connection = new Connection(SocketChannel.open(StandardProtocolFamily.UNIX));
        } catch (IOException error) {
            throw new TenureException("there are no Unix sockets: " + error.getMessage(), error);
        }
        try {
            connection.channel.connect(UnixDomainSocketAddress.of(path));
            connection.say("hello", Map.of("versions", VERSIONS));
            connection.expect("hello");
            return connection;
        } catch (TenureException | InterruptedException error) {
            connection.close();
            throw error;
        } catch (IOException error) {
            connection.close();
            throw failure(path.toString(), error);
        }
    }

    private static TenureException failure(String what, IOException error) throws InterruptedException {
        if (error instanceof ClosedByInterruptException && Thread.interrupted()) throw new InterruptedException();
        return new TenureException(what + ": " + error.getMessage(), error);
    }

    private static TenureException nonsense(Object what, Throwable cause) {
        String text = String.valueOf(what);
        String begin = text.substring(0, Math.min(100, text.length()));
        return new TenureException("the member answers nonsense: " + begin, cause);
    }

    void say(String name, Map<String, ?> fields) throws TenureException, InterruptedException {
        byte[] line = (Json.write(Map.of(name, fields)) + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuffer rest = ByteBuffer.wrap(line);
        try {
            synchronized (channel) {
                while (rest.hasRemaining()) channel.write(rest);
            }
        } catch (IOException error) {
            throw failure("the member is gone", error);
        }
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

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (line.size() < LONGEST) {
            if (!heard.hasRemaining()) {
                int read = channel.read(heard.clear());
                heard.flip();
                if (read < 0) throw new EOFException("it has closed the connection");
            }
            byte next = heard.get();
            if (next == '\n') {
                ByteBuffer bytes = ByteBuffer.wrap(line.toByteArray());
                return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            }
            line.write(next);
        }
        throw new IOException("a line has more than " + LONGEST + " bytes");
    }

    Object expect(String wanted) throws TenureException, InterruptedException {
        Message message = hear();
        if (message.name.equals(wanted)) return message.content;
        throw new TenureException("the member answers " + message.name + " in place of " + wanted, null);
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

    @Override
    public void close() {
        try {
            channel.close(); // Wakes who hears.
        } catch (IOException error) {
            // It is closed all the same.
        }
    }
}
