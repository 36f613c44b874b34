package tenure;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The member that stands for programs of this host, at its socket. docs/reference/local-protocol.md specifies the
 * protocol. An interrupt ends a call.
 */
public final class Member {
    private final Path path;

    /** The member whose socket TENURE_SOCKET names, or the only one on this host. */
    public Member() {
        this(null);
    }

    /** The member at this socket. */
    public Member(Path path) {
        this.path = path;
    }

    /** The socket that TENURE_SOCKET names, or the only one of a member that runs on this host. */
    public static Path find() throws TenureException {
        Map<String, String> environment = System.getenv();
        String named = environment.getOrDefault("TENURE_SOCKET", "");
        if (!named.isEmpty()) return Path.of(named);
        List<Path> folders = new ArrayList<>();
        List<Path> found = new ArrayList<>();
        try {
            Path given = folder(environment, "TENURE_SOCKETS");
            Path own = given != null ? given : folder(environment, "XDG_RUNTIME_DIR");
            if (own == null) {
                boolean root = Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
                own = Path.of(root ? "/run" : environment.getOrDefault("TMPDIR", "/tmp"));
            }
            folders.add(own);
            if (given == null) folders.add(Path.of("/run/tenure"));
            for (Path folder : folders) {
                if (!Files.isDirectory(folder)) continue;
                try (DirectoryStream<Path> sockets = Files.newDirectoryStream(folder, "tenure.*.socket")) {
                    for (Path socket : sockets) if (listens(socket)) found.add(socket);
                }
            }
        } catch (IOException error) {
            throw new TenureException("no member is found: " + error, error);
        }
        if (found.size() == 1) return found.get(0);
        String what = found.isEmpty() ? "no member runs" : "several members run";
        throw new TenureException(what + " on this host (see " + folders + "): name a socket, or set TENURE_SOCKET", null);
    }

    private static Path folder(Map<String, String> environment, String variable) {
        String given = environment.getOrDefault(variable, "");
        return !given.isEmpty() && Files.isDirectory(Path.of(given)) ? Path.of(given) : null;
    }

    private static boolean listens(Path socket) {
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(socket)).close();
            return true;
        } catch (IOException error) {
            return false;
        }
    }

    private Connection connect() throws TenureException, InterruptedException {
        return Connection.open(path == null ? find() : path);
    }

    private Object ask(String answer, String request, Map<String, ?> fields)
            throws TenureException, InterruptedException {
        try (Connection connection = connect()) {
            connection.say(request, fields);
            return connection.expect(answer);
        }
    }

    /** Stands until the office is led. */
    public Leadership stand(String office) throws TenureException, InterruptedException {
        return stand(office, new StandOptions());
    }

    /** Stands until the office is led, or as the options say. */
    public Leadership stand(String office, StandOptions how) throws TenureException, InterruptedException {
        Map<String, Object> fields = new LinkedHashMap<>(how.fields);
        fields.put("office", office);
        Connection connection = connect();
        try {
            connection.say("stand", fields);
        } catch (Throwable error) {
            connection.close();
            throw error;
        }
        return connection.leadership(office, how);
    }

    /** All offices that any member knows. */
    public List<Office> list() throws TenureException, InterruptedException {
        List<Office> offices = new ArrayList<>();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("offices", ask("offices", "list", Map.of()));
        for (Object office : Conversation.field(answer, "offices", List.class)) offices.add(Office.of(office));
        return offices;
    }

    /** An office, as any member knows it. */
    public Office show(String office) throws TenureException, InterruptedException {
        return Office.of(ask("office", "show", Map.of("office", office)));
    }

    /** Calls a function with an office now and at each change. Ends by an exception, of the member or an interrupt. */
    public void watch(String office, Consumer<Office> changed) throws TenureException, InterruptedException {
        try (Connection connection = connect()) {
            connection.say("watch", Map.of("office", office));
            while (true) changed.accept(Office.of(connection.expect("office")));
        }
    }

    /** Asks the leader of an office, wherever it is, to leave it, and waits until it has. */
    public void resign(String office) throws TenureException, InterruptedException {
        ask("done", "resign", Map.of("office", office));
    }

    /** Asks the leader of an office, wherever it is, to leave it to a participant, and waits until that one leads. */
    public void transfer(String office, String to) throws TenureException, InterruptedException {
        ask("done", "transfer", Map.of("office", office, "to", to));
    }
}
