// The workload in dubbo-go: what it keeps (TestKept), and how long a call takes (BenchmarkRoute).
package peers

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	gxset "github.com/dubbogo/gost/container/set"
	"github.com/dubbogo/gost/log/logger"

	"dubbo.apache.org/dubbo-go/v3/cluster/router/chain"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/condition"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/script"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/tag"
	"dubbo.apache.org/dubbo-go/v3/common"
	dubboconfig "dubbo.apache.org/dubbo-go/v3/common/config"
	"dubbo.apache.org/dubbo-go/v3/common/constant"
	"dubbo.apache.org/dubbo-go/v3/config"
	"dubbo.apache.org/dubbo-go/v3/config_center"
	"dubbo.apache.org/dubbo-go/v3/config_center/parser"
	"dubbo.apache.org/dubbo-go/v3/protocol/base"
	"dubbo.apache.org/dubbo-go/v3/protocol/invocation"
	"dubbo.apache.org/dubbo-go/v3/remoting"

	"gopkg.in/yaml.v2"
)

var (
	folder    = flag.String("workload", "", "the folder of the workload")
	workloads = flag.String("workloads", "W1", "their names, with commas")
	sizes     = flag.String("sizes", "10", "numbers of providers, with commas")
	warmUp    = flag.Duration("warm-up", time.Second, "calls before the first that is measured")
)

const (
	applicationRules = "provider-app" + constant.ConditionRouterRuleSuffix
	serviceRules     = "com.foo.BarService:1.0.0:" + constant.ConditionRouterRuleSuffix
	tagRules         = "consumer-app" + constant.TagRouterRuleSuffix
	scriptRules      = "provider-app" + constant.ScriptRouterRuleSuffix
)

func init() {
	if dubbo, ok := logger.GetLogger().(*logger.DubboLogger); ok {
		dubbo.SetLoggerLevel("error")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// --- the files of the workload ---

func text(name string) string {
	return string(must(os.ReadFile(filepath.Join(*folder, name))))
}

func invokers(size int) []base.Invoker {
	lines := strings.Split(strings.TrimSpace(text(fmt.Sprintf("providers-%d.txt", size))), "\n")
	if len(lines) != size {
		panic("the wrong number of providers")
	}
	made := make([]base.Invoker, 0, size)
	for _, line := range lines {
		made = append(made, base.NewBaseInvoker(must(common.NewURL(line))))
	}
	return made
}

func consumer() *common.URL {
	return must(common.NewURL(strings.TrimSpace(text("consumer.txt"))))
}

type call struct {
	Method      string         `json:"method"`
	Types       []string       `json:"types"`
	Arguments   []any          `json:"args"`
	Attachments map[string]any `json:"attachments"`
}

func callOf(workload string) call {
	lines := bufio.NewScanner(strings.NewReader(text("calls.txt")))
	for lines.Scan() {
		if name, described, _ := strings.Cut(lines.Text(), " "); name == workload {
			var found call
			if err := json.Unmarshal([]byte(described), &found); err != nil {
				panic(err)
			}
			return found
		}
	}
	panic("no call for " + workload)
}

func (c call) invocation() base.Invocation {
	attachments := make(map[string]any, len(c.Attachments))
	for key, value := range c.Attachments {
		attachments[key] = value
	}
	return invocation.NewRPCInvocationWithOptions(
		invocation.WithMethodName(c.Method), invocation.WithParameterTypeNames(c.Types),
		invocation.WithArguments(c.Arguments), invocation.WithAttachments(attachments))
}

// --- the rules ---

type routeFunc func([]base.Invoker, *common.URL, base.Invocation) []base.Invoker

func routeOf(workload string, invokers []base.Invoker) routeFunc {
	switch workload {
	case "W1", "W2":
		url := must(common.NewURL("condition://"))
		url.AddParam(constant.RuleKey, strings.TrimSpace(text("rule-w1.txt")))
		url.AddParam(constant.ForceKey, "true")
		return must(condition.NewConditionStateRouter(url)).Route
	case "W3":
		dubboconfig.GetEnvInstance().SetDynamicConfiguration(nil)
		router := condition.NewApplicationRouter()
		router.Process(changed(applicationRules, text("doc-application.txt")))
		return router.Route
	case "W4":
		return must(tag.NewTagPriorityRouter()).Route
	case "W4d":
		router := must(tag.NewTagPriorityRouter())
		router.Process(changed(tagRules, text("doc-tag.txt")))
		return router.Route
	case "W5":
		config.GetApplicationConfig().Name = "consumer-app"
		dubboconfig.GetEnvInstance().SetDynamicConfiguration(documents{
			applicationRules: text("doc-application.txt"),
			serviceRules:     text("doc-service.txt"),
		})
		routers := must(chain.NewRouterChain(consumer()))
		routers.SetInvokers(invokers)
		return func(_ []base.Invoker, url *common.URL, invocation base.Invocation) []base.Invoker {
			return routers.Route(url, invocation)
		}
	case "W6":
		router := script.NewScriptRouter()
		document := must(yaml.Marshal(map[string]any{
			"configVersion": "v3.0", "scope": "application", "key": "provider-app", "enabled": true, "force": false,
			"type": "javascript", "script": text("script-go.txt"),
		}))
		router.Process(changed(scriptRules, string(document)))
		return router.Route
	}
	panic("no workload " + workload)
}

func changed(key, document string) *config_center.ConfigChangeEvent {
	return &config_center.ConfigChangeEvent{Key: key, Value: document, ConfigType: remoting.EventTypeUpdate}
}

// A configuration centre in memory: documents by their keys.
type documents map[string]string

func (d documents) Parser() parser.ConfigurationParser   { return nil }
func (d documents) SetParser(parser.ConfigurationParser) {}
func (d documents) AddListener(string, config_center.ConfigurationListener, ...config_center.Option) {
}
func (d documents) RemoveListener(string, config_center.ConfigurationListener, ...config_center.Option) {
}
func (d documents) GetProperties(key string, _ ...config_center.Option) (string, error) {
	return d[key], nil
}
func (d documents) GetRule(key string, _ ...config_center.Option) (string, error) {
	return d[key], nil
}
func (d documents) GetInternalProperty(string, ...config_center.Option) (string, error) {
	return "", nil
}
func (d documents) PublishConfig(string, string, string) error { return nil }
func (d documents) RemoveConfig(string, string) error          { return nil }
func (d documents) GetConfigKeysByGroup(string) (*gxset.HashSet, error) {
	return gxset.NewSet(), nil
}

// --- what is run ---

func each(run func(workload string, size int)) {
	for _, workload := range strings.Split(*workloads, ",") {
		for _, size := range strings.Split(*sizes, ",") {
			run(workload, must(strconv.Atoi(size)))
		}
	}
}

// Prints workload, number of providers, how many are kept, SHA-256 of their positions.
func TestKept(t *testing.T) {
	each(func(workload string, size int) {
		all := invokers(size)
		position := map[string]int{}
		for at, invoker := range all {
			position[invoker.GetURL().Ip] = at
		}
		kept := routeOf(workload, all)(all, consumer(), callOf(workload).invocation())
		positions := make([]string, 0, len(kept))
		for _, invoker := range kept {
			positions = append(positions, strconv.Itoa(position[invoker.GetURL().Ip]))
		}
		digest := sha256.Sum256([]byte(strings.Join(positions, ",")))
		fmt.Printf("%s %d %d %x\n", workload, size, len(kept), digest)
	})
}

var kept []base.Invoker

func BenchmarkRoute(b *testing.B) {
	each(func(workload string, size int) {
		all, url, described := invokers(size), consumer(), callOf(workload)
		route, invocation := routeOf(workload, all), described.invocation()
		once := func() {
			if workload == "W6" { // the router writes its attachments into the invocation
				invocation = described.invocation()
			}
			kept = route(all, url, invocation)
		}
		for start := time.Now(); time.Since(start) < *warmUp; {
			once()
		}
		b.Run(fmt.Sprintf("%s/%d", workload, size), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				once()
			}
		})
	})
}
