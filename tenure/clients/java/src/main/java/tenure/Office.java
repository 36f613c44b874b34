package tenure;

import java.math.BigInteger;
import java.util.Map;

/**
 * An office, as a member knows it.
 *
 * @param name its name
 * @param leader the leader; null if none is known
 * @param term the term of the leader, or else the last known one; null if none is
 * @param value what the leader has set; null if there is none, or it is not known yet
 * @param fields these and all other fields, as the protocol has them
 */
public record Office(String name, String leader, BigInteger term, String value, Map<?, ?> fields) {
    static Office of(Object content) throws TenureException {
        String name = Conversation.field(content, "office", String.class);
        return new Office(
                name,
                Conversation.fieldIfAny(content, "leader", String.class),
                Conversation.fieldIfAny(content, "term", BigInteger.class),
                Conversation.fieldIfAny(content, "value", String.class),
                (Map<?, ?>) content);
    }
}
