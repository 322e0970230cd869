import type { BuilderRequest, SandboxPort } from '../sandbox/port.ts';
import type { SandboxServices } from '../sandbox/services.ts';

/**
 * The sandboxes that this session made for later sessions and has not ended yet: they fetch with the session's capability. Kept
 * in memory only, because work in them ends with the process.
 */
export class HelperSandboxes {
  readonly #ids = new Set<string>();

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** The same services, which also record each helper sandbox that they create and destroy. */
  tracking(services: SandboxServices): SandboxServices {
    return (provider) => this.#tracking(services(provider));
  }

  #tracking(port: SandboxPort): SandboxPort {
    const changed = {
      createBuilder: async (request: BuilderRequest) => {
        const sandboxId = await port.createBuilder(request);
        if (sandboxId !== undefined) this.#ids.add(sandboxId);
        return sandboxId;
      },
      destroy: async (sandboxId: string) => {
        this.#ids.delete(sandboxId);
        await port.destroy(sandboxId);
      },
    };
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(name in changed ? changed : target, name);
        // The port's methods use private fields, which only the port itself has.
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}
