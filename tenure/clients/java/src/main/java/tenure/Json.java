package tenure;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the protocol needs of JSON: whole numbers are BigIntegers, since a member may name any below 2^64. */
final class Json {
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
    private static final int DEEPEST = 100;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads a text. Throws IllegalArgumentException if it is not JSON. */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) throw json.wrong();
        return value;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON from character " + (at + 1));
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private boolean take(String word) {
        boolean is = text.startsWith(word, at);
        if (is) at += word.length();
        return is;
    }

    private void expect(String word) {
        space();
        if (!take(word)) throw wrong();
    }

    private Object value(int depth) {
        if (depth > DEEPEST) throw wrong();
        space();
        if (take("{")) return object(depth);
        if (take("[")) return array(depth);
        if (take("\"")) return string();
        if (take("null")) return null;
        if (take("true")) return true;
        if (take("false")) return false;
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        if (!number.lookingAt()) throw wrong();
        at = number.end();
        boolean whole = number.group(1) == null && number.group(2) == null;
        return whole ? new BigInteger(number.group()) : new BigDecimal(number.group());
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> object = new LinkedHashMap<>();
        space();
        if (take("}")) return object;
        do {
            expect("\"");
            String name = string();
            expect(":");
            object.put(name, value(depth + 1));
            space();
        } while (take(","));
        expect("}");
        return object;
    }

    private List<Object> array(int depth) {
        List<Object> array = new ArrayList<>();
        space();
        if (take("]")) return array;
        do {
            array.add(value(depth + 1));
            space();
        } while (take(","));
        expect("]");
        return array;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        while (!take("\"")) {
            if (at == text.length() || text.charAt(at) < ' ') throw wrong();
            string.append(take("\\") ? escaped() : text.charAt(at++));
        }
        return string.toString();
    }

    private char escaped() {
        if (take("u")) {
            if (!text.substring(at, Math.min(at + 4, text.length())).matches("[0-9a-fA-F]{4}")) throw wrong();
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int which = at < text.length() ? "\"\\/bfnrt".indexOf(text.charAt(at)) : -1;
        if (which < 0) throw wrong();
        at++;
        return "\"\\/\b\f\n\r\t".charAt(which);
    }

    /** Writes what a program says: maps, lists, strings, numbers and booleans. Leaves out fields that are null. */
    static String write(Object value) {
        if (value instanceof Map<?, ?> map) {
            List<String> fields = new ArrayList<>();
            map.forEach((name, field) -> {
                if (field != null) fields.add(write(name) + ":" + write(field));
            });
            return "{" + String.join(",", fields) + "}";
        }
        if (value instanceof List<?> list) {
            return "[" + String.join(",", list.stream().map(Json::write).toList()) + "]";
        }
        return value instanceof String string ? quoted(string) : value.toString();
    }

    private static String quoted(String string) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : string.toCharArray()) {
            boolean plain = letter >= ' ' && letter != '"' && letter != '\\' && !Character.isSurrogate(letter);
            quoted.append(plain ? letter : String.format("\\u%04x", (int) letter));
        }
        return quoted.append('"').toString();
    }
}
