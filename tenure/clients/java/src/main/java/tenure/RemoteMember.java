package tenure;

import java.net.URI;
import java.net.http.HttpClient;
import javax.net.ssl.SSLContext;

/** A member that stands for programs of other hosts, over HTTPS. An interrupt ends a call. */
public final class RemoteMember {
    private final HttpClient client;
    private final String url;
    private final String token;

    /** The member at the URL of its HTTP, whose certificate Java trusts. */
    public RemoteMember(URI url, String token) {
        this(url, token, null);
    }

    /**
     * The member at the URL of its HTTP.
     *
     * @param token the one of this program in the member's configuration
     * @param context has the authority of the member's certificate; null for that which Java trusts
     */
    public RemoteMember(URI url, String token, SSLContext context) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Candidacy.SILENCE);
        this.client = (context == null ? builder : builder.sslContext(context)).build();
        this.url = url.toString().replaceAll("/+$", "");
        this.token = token;
    }

    /** Stands until the office is led. */
    public Leadership stand(String office) throws TenureException, InterruptedException {
        return stand(office, new StandOptions());
    }

    /** Stands until the office is led, or as the options say. */
    public Leadership stand(String office, StandOptions how) throws TenureException, InterruptedException {
        return Candidacy.open(client, url, token, office, how.fields).leadership(office, how);
    }
}
