package tenure;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A connection to a member's socket that has greeted. */
final class Connection extends Conversation {
    private static final List<Integer> VERSIONS = List.of(1);

    private final SocketChannel channel;
    private final ByteBuffer heard = ByteBuffer.allocate(16 << 10).flip();

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

    @Override
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

    @Override
    byte next() throws IOException {
        if (!heard.hasRemaining()) {
            int read = channel.read(heard.clear());
            heard.flip();
            if (read < 0) throw new EOFException("it has closed the connection");
        }
        return heard.get();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException error) {
            // It is closed all the same.
        }
    }
}
