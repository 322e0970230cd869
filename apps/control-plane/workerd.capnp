# The control plane on one machine. `ship up` passes addresses and folders on the command line
# (--socket-addr, --directory-path, --external-addr); this file only declares how services are connected.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  # V8's young generation grows to tens of megabytes before it is collected, and each dead request or stream in it also holds
  # native memory: after half an hour of sessions the process was twice as large as its live data. Smaller semi-spaces cost
  # nothing measurable.
  v8Flags = ["--max-semi-space-size=4"],
  services = [
    (name = "control-plane", worker = .controlPlane),
    (name = "objects", disk = (writable = true)),
    (name = "artifacts", disk = (writable = true)),
    (name = "page", disk = (allowDotfiles = false)),
    (name = "host", external = (http = ())),
    # One service per local component: each connects to one address only, whatever a response says.
    (name = "sandbox-api", external = (http = ())),
    (name = "sandboxes", external = (http = ())),
    (name = "forge", external = (http = ())),
    (name = "demo-model", external = (http = ())),
    # The default network of `fetch`: E2B's cloud.
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    # Addresses that the operator entered: a model server or GitHub Enterprise may be on loopback or on a private network.
    (name = "operator-network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [
    (name = "ipv4", http = (), service = "control-plane"),
    (name = "ipv6", http = (), service = "control-plane"),
  ],
);

const controlPlane :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-09-01",
  # When a sandbox disconnects, its model call must end. Sockets are not compressed: on one machine compression saves nothing
  # and costs a broadcast a fifth of its CPU time.
  compatibilityFlags = ["enable_request_signal", "no_web_socket_compression"],
  bindings = [
    (name = "SESSIONS", durableObjectNamespace = "SessionAgent"),
    (name = "WORKSPACES", durableObjectNamespace = "Workspace"),
    (name = "RESERVES", durableObjectNamespace = "Reserve"),
    (name = "ASSETS", service = "page"),
    (name = "ARTIFACTS", service = "artifacts"),
    (name = "HOST", service = "host"),
    (name = "SANDBOX_API", service = "sandbox-api"),
    (name = "SANDBOXES", service = "sandboxes"),
    (name = "FORGE", service = "forge"),
    (name = "DEMO_MODEL", service = "demo-model"),
    (name = "OPERATOR_NETWORK", service = "operator-network"),
    (name = "ALLOWED_HOSTS", text = "ship.localhost,localhost,127.0.0.1,[::1]"),
    # A different site for browsers than the app's names, because `localhost` is treated as a public suffix.
    (name = "PREVIEW_HOST", text = "ship-preview.localhost"),
    (name = "AUTH_MODE", text = "local"),
    (name = "LOCAL_TOKEN", fromEnvironment = "SHIP_LOCAL_TOKEN"),
    (name = "SECRETS_KEYS", fromEnvironment = "SHIP_SECRETS_KEYS"),
    # Local components and the user's keys (launch.ts); unset variables are null.
    (name = "E2B_API_URL", fromEnvironment = "SHIP_E2B_API_URL"),
    (name = "E2B_SANDBOX_URL", fromEnvironment = "SHIP_E2B_SANDBOX_URL"),
    (name = "E2B_API_KEY", fromEnvironment = "SHIP_E2B_API_KEY"),
    (name = "E2B_CLOUD_API_KEY", fromEnvironment = "SHIP_E2B_CLOUD_API_KEY"),
    (name = "E2B_TEMPLATE", fromEnvironment = "SHIP_E2B_TEMPLATE"),
    (name = "FORGE_API_URL", fromEnvironment = "SHIP_FORGE_API_URL"),
    (name = "FORGE_GIT_URL", fromEnvironment = "SHIP_FORGE_GIT_URL"),
    (name = "FORGE_TOKEN", fromEnvironment = "SHIP_FORGE_TOKEN"),
    (name = "DEMO_MODEL_URL", fromEnvironment = "SHIP_DEMO_MODEL_URL"),
    (name = "PUBLIC_URL", fromEnvironment = "SHIP_PUBLIC_URL"),
    (name = "GATEWAY_SECRET", fromEnvironment = "SHIP_GATEWAY_SECRET"),
    (name = "ANTHROPIC_API_KEY", fromEnvironment = "SHIP_ANTHROPIC_API_KEY"),
    (name = "OPENAI_API_KEY", fromEnvironment = "SHIP_OPENAI_API_KEY"),
    (name = "OPENROUTER_API_KEY", fromEnvironment = "SHIP_OPENROUTER_API_KEY"),
    (name = "OLLAMA_HOST", fromEnvironment = "SHIP_OLLAMA_HOST"),
    (name = "GITHUB_TOKEN", fromEnvironment = "SHIP_GITHUB_TOKEN"),
    (name = "GITHUB_APP_ID", fromEnvironment = "SHIP_GITHUB_APP_ID"),
    (name = "GITHUB_APP_PRIVATE_KEY", fromEnvironment = "SHIP_GITHUB_APP_PRIVATE_KEY"),
    (name = "GITHUB_API_URL", fromEnvironment = "SHIP_GITHUB_API_URL"),
    (name = "GITHUB_URL", fromEnvironment = "SHIP_GITHUB_URL"),
    (name = "GITHUB_WEBHOOK_SECRET", fromEnvironment = "SHIP_GITHUB_WEBHOOK_SECRET"),
    (name = "MODELS_FILE", fromEnvironment = "SHIP_MODELS_FILE"),
  ],
  durableObjectNamespaces = [
    (className = "SessionAgent", uniqueKey = "session-agent", enableSql = true),
    (className = "Workspace", uniqueKey = "workspace", enableSql = true),
    (className = "Reserve", uniqueKey = "reserve", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
);
