package peers;

import java.util.concurrent.TimeUnit;
import org.apache.dubbo.rpc.Invocation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One call; how often and how long is said by whoever runs it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RouteBench {
    @Param("W1")
    public String workload;

    @Param("10")
    public int n;

    private Workload.Route<Invocation> route;
    private Invocation invocation;

    @Setup
    public void setUp() throws Exception {
        Dubbo.start();
        route = new Dubbo(workload, n).route;
        invocation = Dubbo.invocation(workload);
    }

    @Benchmark
    public Object call() {
        return route.of(invocation);
    }
}
