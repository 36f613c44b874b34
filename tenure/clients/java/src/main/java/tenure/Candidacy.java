package tenure;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a connection to a member's socket is for a program of its host: events of one answer, and requests. */
final class Candidacy extends Conversation {
    /** The member sends something every 5 seconds, and answers at once. Who is silent for longer is gone. */
    static final Duration SILENCE = Duration.ofSeconds(15);

    private final HttpClient client;
    private final String url;
    private final String token;
    private Events events;
    private String key;

    private Candidacy(HttpClient client, String url, String token) {
        this.client = client;
        this.url = url;
        this.token = token;
    }

    static Candidacy open(HttpClient client, String url, String token, String office, Map<String, ?> stand)
            throws TenureException, InterruptedException {
        Candidacy candidacy = new Candidacy(client, url, token);
        HttpResponse<Events> answer =
                candidacy.post("/v1/offices/" + encoded(office) + "/stand", stand, head -> new Events());
        candidacy.events = answer.body();
        try {
            if (answer.statusCode() != 200) throw refusal(answer.statusCode(), candidacy.why());
            candidacy.key = encoded(field(candidacy.expect("hello"), "candidacy", String.class));
            return candidacy;
        } catch (Throwable error) {
            candidacy.close();
            throw error;
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static TenureException refusal(int status, String why) {
        return switch (status) {
            case 400 -> new TenureException.Refused("invalid", why);
            case 401, 403 -> new TenureException.Refused("forbidden", why);
            default -> new TenureException("the member answers " + status + ": " + why, null);
        };
    }

    private String why() throws InterruptedException {
        try {
            return super.line();
        } catch (IOException none) {
            return "";
        }
    }

    private <T> HttpResponse<T> post(String path, Map<String, ?> what, BodyHandler<T> handler)
            throws TenureException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(Json.write(what)))
                .build();
        CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, handler);
        try {
            return answer.get(SILENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException error) {
            throw new TenureException("the member is gone: " + error.getCause().getMessage(), error.getCause());
        } catch (TimeoutException error) {
            throw new TenureException("the member has said nothing for " + SILENCE.toSeconds() + " s", error);
        } finally {
            answer.cancel(true); // If it has not come.
        }
    }

    @Override
    synchronized void say(String name, Map<String, ?> fields) throws TenureException, InterruptedException {
        HttpResponse<String> answer = post("/v1/candidacies/" + key, Map.of(name, fields), BodyHandlers.ofString());
        if (answer.statusCode() != 204) throw refusal(answer.statusCode(), answer.body().strip());
    }

    @Override
    byte next() throws IOException, InterruptedException {
        return events.next();
    }

    @Override
    String line() throws IOException, InterruptedException {
        String event = "";
        while (true) {
            String line = super.line();
            // A line without a name says that the member is there.
            String name = line.substring(0, Math.max(0, line.indexOf(':')));
            String content = line.substring(line.indexOf(':') + 1).strip();
            if (name.equals("event")) event = content;
            if (name.equals("data")) return "{" + Json.write(event) + ":" + content + "}";
        }
    }

    @Override
    public void close() {
        events.close();
    }

    /** The body of an answer, in the parts in which it comes. */
    private static final class Events implements BodySubscriber<Events> {
        private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
        /** Lists of buffers, and at last an IOException. */
        private final BlockingQueue<Object> parts = new LinkedBlockingQueue<>();
        private final Deque<ByteBuffer> part = new ArrayDeque<>();

        byte next() throws IOException, InterruptedException {
            while (part.isEmpty() || !part.peek().hasRemaining()) {
                if (part.poll() == null) take();
            }
            return part.peek().get();
        }

        private void take() throws IOException, InterruptedException {
            Object next = parts.poll(SILENCE.toSeconds(), TimeUnit.SECONDS);
            if (next == null) throw new IOException("it has said nothing for " + SILENCE.toSeconds() + " s");
            if (next instanceof IOException end) throw end;
            for (Object buffer : (List<?>) next) part.add((ByteBuffer) buffer);
            subscription.thenAccept(from -> from.request(1));
        }

        void close() {
            subscription.thenAccept(Flow.Subscription::cancel);
            parts.add(new EOFException("it was left"));
        }

        @Override
        public CompletionStage<Events> getBody() {
            return CompletableFuture.completedStage(this);
        }

        @Override
        public void onSubscribe(Flow.Subscription from) {
            from.request(1);
            subscription.complete(from);
        }

        @Override
        public void onNext(List<ByteBuffer> next) {
            parts.add(next);
        }

        @Override
        public void onError(Throwable error) {
            parts.add(new IOException(error.getMessage(), error));
        }

        @Override
        public void onComplete() {
            parts.add(new EOFException("it has ended the candidacy"));
        }
    }
}
