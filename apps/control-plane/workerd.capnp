# The control plane on one machine. Addresses and folders are given by `ship up` on the command line
# (--socket-addr, --directory-path, --external-addr); this file says only what is connected to what.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "control-plane", worker = .controlPlane),
    (name = "objects", disk = (writable = true)),
    (name = "page", disk = (allowDotfiles = false)),
    (name = "host", external = (http = ())),
    # Sandboxes, forge and local models are on loopback, hence "private".
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [
    (name = "ipv4", http = (), service = "control-plane"),
    (name = "ipv6", http = (), service = "control-plane"),
  ],
);

const controlPlane :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-09-01",
  # A sandbox that hangs up must end the model call that it pays for.
  compatibilityFlags = ["enable_request_signal"],
  bindings = [
    (name = "SESSIONS", durableObjectNamespace = "SessionAgent"),
    (name = "WORKSPACES", durableObjectNamespace = "Workspace"),
    (name = "ASSETS", service = "page"),
    (name = "HOST", service = "host"),
    (name = "ALLOWED_HOSTS", text = "ship.localhost,localhost,127.0.0.1,[::1]"),
    (name = "AUTH_MODE", text = "local"),
    (name = "LOCAL_TOKEN", fromEnvironment = "SHIP_LOCAL_TOKEN"),
    (name = "SECRETS_KEYS", fromEnvironment = "SHIP_SECRETS_KEYS"),
  ],
  durableObjectNamespaces = [
    (className = "SessionAgent", uniqueKey = "session-agent", enableSql = true),
    (className = "Workspace", uniqueKey = "workspace", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
);
