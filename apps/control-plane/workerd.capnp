# The control plane on one machine. Addresses and folders are given by `ship up` on the command line
# (--socket-addr, --directory-path, --external-addr); this file says only what is connected to what.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  # V8 lets young objects fill tens of megabytes before it looks at them, and each that was a request or a stream holds
  # native memory as well: after half an hour of sessions the process was twice as large as what it held. Small steps cost nothing
  # that can be measured.
  v8Flags = ["--max-semi-space-size=4"],
  services = [
    (name = "control-plane", worker = .controlPlane),
    (name = "objects", disk = (writable = true)),
    (name = "artifacts", disk = (writable = true)),
    (name = "page", disk = (allowDotfiles = false)),
    (name = "host", external = (http = ())),
    # One service for each part of this machine: whatever an answer says, none of them leads anywhere else.
    (name = "sandbox-api", external = (http = ())),
    (name = "sandboxes", external = (http = ())),
    (name = "forge", external = (http = ())),
    (name = "demo-model", external = (http = ())),
    # Where `fetch` goes: E2B's cloud.
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    # Addresses that the operator entered: a model server or a GitHub Enterprise may be on loopback or on a private network.
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
  # A sandbox that hangs up must end the model call that it pays for. Sockets are not compressed: on one machine that saves
  # nothing, and costs a message to many a fifth of its processor time.
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
    # Another site to a browser than the app's names: `localhost` is treated as a public suffix.
    (name = "PREVIEW_HOST", text = "ship-preview.localhost"),
    (name = "AUTH_MODE", text = "local"),
    (name = "LOCAL_TOKEN", fromEnvironment = "SHIP_LOCAL_TOKEN"),
    (name = "SECRETS_KEYS", fromEnvironment = "SHIP_SECRETS_KEYS"),
    # The parts around it and the user's own keys (launch.ts); what is not set is null.
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
