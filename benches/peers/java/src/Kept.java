package peers;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints what is kept: {@code Kept W1,W5 10,1000}. A line is workload, n, how many, SHA-256 of their positions. */
public final class Kept {
    public static void main(String[] arguments) throws Exception {
        Dubbo.start();
        for (String workload : arguments[0].split(",")) {
            for (String size : arguments[1].split(",")) {
                Dubbo.forget();
                Dubbo dubbo = new Dubbo(workload, Integer.parseInt(size));
                List<?> kept = dubbo.route.of(Dubbo.invocation(workload));
                String digest = digest(positions(dubbo.all, kept));
                System.out.println(workload + " " + size + " " + kept.size() + " " + digest);
            }
        }
        Runtime.getRuntime().halt(0); // threads of Dubbo would keep the process
    }

    private static String positions(List<?> all, List<?> kept) {
        Map<Object, Integer> position = new IdentityHashMap<>();
        for (Object invoker : all) position.put(invoker, position.size());
        return kept.stream().map(invoker -> position.get(invoker).toString()).collect(Collectors.joining(","));
    }

    private static String digest(String text) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }
}
