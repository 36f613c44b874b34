package tenure;

import java.io.IOException;

/** The member cannot be reached, or does not keep to the protocol. */
public class TenureException extends IOException {
    private static final long serialVersionUID = 1;

    TenureException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The member refuses a request, or has failed to carry it out. */
    public static class Refused extends TenureException {
        private static final long serialVersionUID = 1;
        private final String code;

        Refused(String code, String why) {
            super(why, null);
            this.code = code;
        }

        /** What kind of refusal it is; the protocol has the codes. */
        public String code() {
            return code;
        }
    }

    /** The office was not won in time, or another program leads it. */
    public static final class NotWon extends Refused {
        private static final long serialVersionUID = 1;

        NotWon(String code, String why) {
            super(code, why);
        }
    }

    /** The leadership is over. */
    public static final class NotLeading extends TenureException {
        private static final long serialVersionUID = 1;

        NotLeading(String message) {
            super(message, null);
        }
    }
}
