package peers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.config.configcenter.ConfigChangeType;
import org.apache.dubbo.common.config.configcenter.ConfigChangedEvent;
import org.apache.dubbo.common.config.configcenter.ConfigurationListener;
import org.apache.dubbo.common.config.configcenter.DynamicConfiguration;
import org.apache.dubbo.common.extension.ExtensionLoader;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Result;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.Router;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.RouterFactory;
import org.apache.dubbo.rpc.cluster.router.condition.ConditionRouter;
import org.apache.dubbo.rpc.cluster.router.condition.config.AppRouter;
import org.apache.dubbo.rpc.cluster.router.script.ScriptRouter;
import org.apache.dubbo.rpc.cluster.router.tag.TagRouter;
import org.apache.dubbo.rpc.model.ApplicationModel;

/** A workload in Dubbo 2.7. */
final class Dubbo {
    /** The router of applications knows the consumer's only. */
    private static final String APPLICATION_RULES = "consumer-app.condition-router";
    private static final String SERVICE_RULES = "com.foo.BarService:1.0.0:.condition-router";
    private static final String TAG_RULES = "provider-app.tag-router";
    private static final String ROUTER = "://0.0.0.0/com.foo.BarService?category=routers&dynamic=false&";

    /** One for good: Dubbo keeps it where it was first asked for. */
    private static final Documents documents = new Documents();


    final List<Invoker<Object>> all;
    final Workload.Route<Invocation> route;

    static void start() {
        Workload.silence();
        ApplicationModel.getEnvironment().setDynamicConfiguration(documents);
    }

    static void forget() {
        documents.texts.clear();
    }

    static Invocation invocation(String workload) {
        Workload.Call call = Workload.call(workload);
        URL consumer = consumer();
        return new RpcInvocation(
                call.method(),
                consumer.getServiceInterface(),
                consumer.getProtocolServiceKey(),
                new Class<?>[] {String.class},
                new Object[] {"alice"},
                call.attachments());
    }

    Dubbo(String workload, int n) throws ReflectiveOperationException {
        List<Invoker<Object>> invokers = new ArrayList<>(n);
        for (String text : Workload.providers(workload, n)) invokers.add(new Provider(URL.valueOf(text)));
        all = Collections.unmodifiableList(invokers); // as RegistryDirectory
        switch (workload) {
            case "W1", "W2" -> {
                String rule = URL.encode(Workload.text("rule-w1.txt").trim());
                String url = "condition" + ROUTER + "force=true&runtime=true&enabled=true&rule=" + rule;
                route = alone(new ConditionRouter(URL.valueOf(url)));
            }
            case "W3" -> {
                AppRouter router = new AppRouter(consumer());
                router.notify(all);
                router.process(changed(APPLICATION_RULES, "doc-application.txt"));
                route = alone(router);
            }
            case "W4", "W4d" -> {
                TagRouter router = new TagRouter(consumer());
                router.notify(all);
                if (workload.equals("W4d")) router.process(changed(TAG_RULES, "doc-tag.txt"));
                route = alone(router);
            }
            case "W5" -> route = chain();
            case "W6" -> {
                String rule = URL.encode(Workload.text("script-java.txt"));
                String url = "script" + ROUTER + "force=false&type=javascript&rule=" + rule;
                route = alone(new ScriptRouter(URL.valueOf(url)));
            }
            default -> throw new IllegalArgumentException(workload);
        }
    }

    private Workload.Route<Invocation> alone(Router router) {
        URL consumer = consumer();
        return invocation -> router.route(all, consumer, invocation);
    }

    /** All routers that Dubbo puts into a chain, made anew: its factories keep theirs by service. */
    private Workload.Route<Invocation> chain() throws ReflectiveOperationException {
        documents.texts.put(APPLICATION_RULES, Workload.text("doc-application.txt"));
        documents.texts.put(SERVICE_RULES, Workload.text("doc-service.txt"));
        URL consumer = consumer();
        RouterChain<Object> chain = RouterChain.buildChain(consumer);
        ExtensionLoader<RouterFactory> loader = ExtensionLoader.getExtensionLoader(RouterFactory.class);
        List<Router> routers = new ArrayList<>();
        for (RouterFactory factory : loader.getActivateExtension(consumer, "router")) {
            routers.add(factory.getClass().getDeclaredConstructor().newInstance().getRouter(consumer));
        }
        chain.initWithRouters(routers);
        chain.setInvokers(all);
        return invocation -> chain.route(consumer, invocation);
    }

    private static URL consumer() {
        return URL.valueOf(Workload.text("consumer.txt").trim());
    }

    private static ConfigChangedEvent changed(String key, String file) {
        return new ConfigChangedEvent(key, "dubbo", Workload.text(file), ConfigChangeType.MODIFIED);
    }

    /** Equal to itself only, as every invoker of Dubbo. */
    private static final class Provider implements Invoker<Object> {
        private final URL url;

        Provider(URL url) {
            this.url = url;
        }

        @Override
        public URL getUrl() {
            return url;
        }

        @Override
        public Class<Object> getInterface() {
            return Object.class;
        }

        @Override
        public Result invoke(Invocation invocation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void destroy() {}
    }

    /** A configuration centre in memory. */
    private static final class Documents implements DynamicConfiguration {
        private final Map<String, String> texts = new HashMap<>();

        @Override
        public String getConfig(String key, String group, long timeout) {
            return texts.get(key);
        }

        @Override
        public Object getInternalProperty(String key) {
            return null;
        }

        @Override
        public void addListener(String key, String group, ConfigurationListener listener) {}

        @Override
        public void removeListener(String key, String group, ConfigurationListener listener) {}
    }
}
