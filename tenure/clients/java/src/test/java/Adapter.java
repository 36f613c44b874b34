import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Timer;
import java.util.TimerTask;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import tenure.Leadership;
import tenure.Member;
import tenure.Office;
import tenure.RemoteMember;
import tenure.StandOptions;
import tenure.TenureException;

/** Does with the client what standard input says, for the dialogues; ../../../../dialogues/README.md has the words. */
class Adapter {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    /** Stands by a member of another host, if the environment names one, or else by the own one. */
    private interface Standing {
        Leadership stand(String office, StandOptions how) throws Exception;
    }

    private final Member member;
    private final Standing standing;
    private Leadership leadership;
    private String last;

    Adapter(Member member, Standing standing) {
        this.member = member;
        this.standing = standing;
    }

    private static RemoteMember remote(String url) throws Exception {
        String token = System.getenv("TENURE_TOKEN");
        String authority = System.getenv("TENURE_AUTHORITY");
        if (authority == null) return new RemoteMember(URI.create(url), token);
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream file = Files.newInputStream(Path.of(authority))) {
            trusted.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return new RemoteMember(URI.create(url), token, context);
    }

    private static String failed(Exception error) {
        if (error instanceof TenureException.NotWon) return "not won";
        if (error instanceof TenureException.Refused refused) return "refused " + refused.code();
        if (error instanceof TenureException.NotLeading) return "not leading";
        if (error instanceof TenureException) return "error";
        if (error instanceof IllegalArgumentException) return "no value";
        return error instanceof InterruptedException ? "withdrawn" : error.toString();
    }

    private static String leaderOf(Office office) {
        Object leader = Objects.requireNonNullElse(office.leader(), "-");
        return "office " + office.name() + " " + leader + " " + Objects.requireNonNullElse((Object) office.term(), "-");
    }

    private void watch(String office) {
        try {
            member.watch(office, changed -> {
                // Its value may have changed, and nothing else.
                if (!leaderOf(changed).equals(last)) OUT.println(last = leaderOf(changed));
            });
        } catch (TenureException | InterruptedException error) {
            OUT.println("watch " + failed(error));
        }
    }

    private static Duration seconds(String text) {
        return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
    }

    private Leadership stand(List<String> words) throws Exception {
        StandOptions how = new StandOptions().lost(() -> OUT.println("lost")).stopping(() -> OUT.println("stopping"));
        Timer timer = new Timer(true);
        Thread caller = Thread.currentThread();
        for (String word : words.subList(1, words.size())) {
            String value = word.substring(word.indexOf('=') + 1);
            switch (word.split("=")[0]) {
                case "priority" -> how.priority(Integer.parseInt(value));
                case "stop" -> how.stop(seconds(value));
                case "wait" -> how.within(seconds(value));
                case "value" -> how.value(value);
                case "try" -> how.onlyTry();
                case "withdraw" -> timer.schedule(new TimerTask() {
                    @Override
                    public void run() {
                        caller.interrupt();
                    }
                }, seconds(value).toMillis());
                default -> throw new IllegalStateException(word);
            }
        }
        try {
            return standing.stand(words.get(0), how);
        } finally {
            timer.cancel();
        }
    }

    private String obey(String word, List<String> rest) throws Exception {
        switch (word) {
            case "stand":
                leadership = stand(rest);
                return "leads " + leadership.term();
            case "valid":
                return "valid " + leadership.validFor().toMillis();
            case "check":
                leadership.check();
                return "leads";
            case "proclaim":
                leadership.proclaim(String.join(" ", rest));
                return "proclaimed";
            case "release":
                if (rest.isEmpty()) leadership.close();
                else leadership.transfer(rest.get(0));
                return "released";
            case "list":
                return "offices" + member.list().stream().map(office -> " " + office.name()).collect(Collectors.joining());
            case "show":
                return leaderOf(member.show(rest.get(0)));
            case "value":
                return "value " + Objects.requireNonNullElse(member.show(rest.get(0)).value(), "-");
            case "watch":
                Thread thread = new Thread(() -> watch(rest.get(0)));
                thread.setDaemon(true);
                thread.start();
                return null;
            case "resign":
                member.resign(rest.get(0));
                return "done";
            case "transfer":
                member.transfer(rest.get(0), rest.get(1));
                return "done";
            default:
                return "no command: " + word;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Member member = new Member();
        String url = System.getenv("TENURE_URL");
        Adapter adapter = new Adapter(member, url == null ? member::stand : remote(url)::stand);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<String> words = Arrays.asList(line.split(" "));
            // A program that ends may interrupt its threads first: what they say to the member is said all the same.
            if (List.of("proclaim", "check", "release").contains(words.get(0))) Thread.currentThread().interrupt();
            String said;
            try {
                said = adapter.obey(words.get(0), words.subList(1, words.size()));
            } catch (Exception error) {
                said = failed(error);
            }
            Thread.interrupted();
            if (said != null) OUT.println(said);
        }
    }
}
