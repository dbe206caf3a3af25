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
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Result;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.router.condition.ConditionStateRouter;
import org.apache.dubbo.rpc.cluster.router.condition.config.AppStateRouter;
import org.apache.dubbo.rpc.cluster.router.script.ScriptStateRouter;
import org.apache.dubbo.rpc.cluster.router.state.AbstractStateRouter;
import org.apache.dubbo.rpc.cluster.router.state.BitList;
import org.apache.dubbo.rpc.cluster.router.state.TailStateRouter;
import org.apache.dubbo.rpc.cluster.router.tag.TagStateRouter;
import org.apache.dubbo.rpc.model.ApplicationModel;
import org.apache.dubbo.rpc.model.FrameworkModel;
import org.apache.dubbo.rpc.model.ModuleModel;

/** A workload in Dubbo 3.3. */
final class Dubbo {
    private static final String APPLICATION_RULES = "provider-app.condition-router";
    private static final String SERVICE_RULES = "com.foo.BarService:1.0.0:.condition-router";
    private static final String TAG_RULES = "provider-app.tag-router";
    private static final String ROUTER = "://0.0.0.0/com.foo.BarService?category=routers&dynamic=false&";

    private static Documents documents;
    private static ApplicationModel application;
    private static ModuleModel module;

    final List<Invoker<Object>> all;
    final Workload.Route<Invocation> route;

    static void start() {
        Workload.silence();
        documents = new Documents();
        application = FrameworkModel.defaultModel().newApplication();
        application.modelEnvironment().setDynamicConfiguration(documents);
        module = application.newModule();
        module.modelEnvironment().setDynamicConfiguration(documents);
    }

    static void forget() {
        application.destroy();
        start();
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

    Dubbo(String workload, int n) {
        List<Invoker<Object>> invokers = new ArrayList<>(n);
        for (String text : Workload.providers(workload, n)) invokers.add(new Provider(URL.valueOf(text)));
        all = Collections.unmodifiableList(invokers); // as RegistryDirectory
        switch (workload) {
            case "W1", "W2" -> {
                String rule = Workload.text("rule-w1.txt").trim();
                URL url = url("condition" + ROUTER + "force=true&runtime=true&enabled=true");
                route = alone(new ConditionStateRouter<>(url, rule, true, true));
            }
            case "W3" -> {
                AppStateRouter<Object> router = new AppStateRouter<>(consumer());
                router.notify(new BitList<>(all));
                router.process(changed(APPLICATION_RULES, "doc-application.txt"));
                route = alone(router);
            }
            case "W4", "W4d" -> {
                TagStateRouter<Object> router = new TagStateRouter<>(consumer());
                router.notify(new BitList<>(all));
                if (workload.equals("W4d")) router.process(changed(TAG_RULES, "doc-tag.txt"));
                route = alone(router);
            }
            case "W5" -> route = chain();
            case "W6" -> {
                String rule = URL.encode(Workload.text("script-java.txt"));
                URL url = url("script" + ROUTER + "force=false&type=javascript&rule=" + rule);
                route = alone(new ScriptStateRouter<>(url));
            }
            default -> throw new IllegalArgumentException(workload);
        }
    }

    /** One router. It changes the list that it is given, so a directory hands out a clone for each call. */
    private Workload.Route<Invocation> alone(AbstractStateRouter<Object> router) {
        router.setNextRouter(TailStateRouter.getInstance());
        BitList<Invoker<Object>> valid = new BitList<>(all);
        URL consumer = consumer();
        return invocation -> router.route(valid.clone(), consumer, invocation, false, null);
    }

    /** All routers that Dubbo puts into a chain, as AbstractDirectory.list calls them. */
    private Workload.Route<Invocation> chain() {
        documents.texts.put(APPLICATION_RULES, Workload.text("doc-application.txt"));
        documents.texts.put(SERVICE_RULES, Workload.text("doc-service.txt"));
        URL consumer = consumer();
        RouterChain<Object> chain = RouterChain.buildChain(Object.class, consumer);
        BitList<Invoker<Object>> valid = new BitList<>(all);
        chain.setInvokers(valid.clone(), () -> {});
        return invocation -> {
            BitList<Invoker<Object>> list = valid.clone();
            return chain.getSingleChain(consumer, list, invocation).route(consumer, list, invocation);
        };
    }

    private static URL url(String text) {
        return URL.valueOf(text).setScopeModel(module);
    }

    private static URL consumer() {
        return url(Workload.text("consumer.txt").trim());
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
