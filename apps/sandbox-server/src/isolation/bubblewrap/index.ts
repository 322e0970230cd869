/** Isolation by bubblewrap: unprivileged namespaces, overlay layers, and cgroups where the machine allows them. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type {
  Capabilities,
  IsolationBackend,
  LayerStore,
  Presence,
  SandboxSpec,
  Unusable,
  Usage,
} from '../backend.ts';
import { captureLayer, completeCapture } from './capture.ts';
import { connectListener } from './listener.ts';
import { Exits } from './exits.ts';
import { freeSlot } from './identity.ts';
import { Launchers } from './launchers.ts';
import { Layers } from './layers.ts';
import { sandboxPaths, type SandboxPaths } from './layout.ts';
import { identify, isAlive, type ProcessIdentity } from './procfs.ts';
import { probeMachine } from './probe.ts';
import { clearWorkFolder, removeTree } from './remove-tree.ts';
import { continueTree, isTreeStopped, killAndWait, stopTree } from './signals.ts';
import { startSandbox, type Machine } from './start.ts';
import {
  abandonedProcesses,
  runningProcesses,
  readState,
  writeState,
  type SandboxState,
} from './state.ts';
import { UsageMeter } from './usage.ts';
import { Watchdog } from './watchdog.ts';

/** A launcher forks at most three times, so more rounds than that end all of its processes. */
const MAX_KILL_ROUNDS = 10;

export class BubblewrapBackend implements IsolationBackend, LayerStore {
  readonly #machine: Machine;
  readonly #layers: Layers;
  readonly #launchers: Launchers;
  readonly #exits = new Exits();
  readonly #meter: UsageMeter;
  readonly #watchdog: Watchdog;
  #probed: Promise<Capabilities | Unusable> | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
    mkdirSync(machine.layout.sandboxes, { recursive: true, mode: 0o700 });
    this.#layers = new Layers(machine.layout, machine.owner);
    this.#launchers = new Launchers({
      perl: machine.tools.perl,
      seccompFile: machine.seccompFile,
      folder: machine.layout.sockets,
      instance: machine.layout.instance,
    });
    this.#meter = new UsageMeter(machine.cgroups);
    this.#watchdog = new Watchdog(machine, (id) => this.#init(id));
    for (const id of this.#onDisk()) this.#adopt(id);
  }

  async probe(): Promise<Capabilities | Unusable> {
    const found = await (this.#probed ??= probeMachine(this, this.#machine));
    // Retry at the next call: the cause of the failure may be fixed by then.
    if ('reason' in found) this.#probed = undefined;
    return found;
  }

  async start(spec: SandboxSpec): Promise<void> {
    const paths = this.#paths(spec.id);
    if (this.#init(spec.id) !== undefined) throw new Error(`sandbox ${spec.id} is already running`);
    const onDisk = readState(paths);
    const known =
      onDisk === undefined
        ? undefined
        : await completeCapture(this.#layers, paths, onDisk, this.#machine.owner);
    const state: SandboxState = {
      lowers: known?.lowers ?? this.#layers.stack(spec.layer),
      slot: known?.slot ?? freeSlot(this.#takenSlots()),
      limits: spec.limits,
    };
    mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
    try {
      const { init, child } = await startSandbox(
        this.#machine,
        this.#launchers,
        paths,
        spec,
        state,
      );
      this.#exits.watch(spec.id, init);
      this.#watchdog.watch(spec.id, spec.limits);
      child.once('exit', () => this.#exits.report(spec.id, init));
    } catch (error) {
      // A failed first start leaves nothing behind; a failed restart must not lose the files that `stop` kept.
      await (known === undefined ? this.destroy(spec.id) : this.#end(spec.id)).catch(() => {});
      throw error;
    } finally {
      this.#launchers.refillSoon();
    }
  }

  async presence(id: string): Promise<Presence> {
    if (!existsSync(this.#paths(id).folder)) return 'absent';
    const init = this.#init(id);
    if (init === undefined) return 'stopped';
    return this.#machine.cgroups.isFrozen(id) || isTreeStopped(init) ? 'frozen' : 'running';
  }

  async freeze(id: string): Promise<void> {
    const init = this.#running(id);
    if (this.#machine.cgroups.controllers.has('freezer')) await this.#machine.cgroups.freeze(id);
    else await stopTree(init);
  }

  async thaw(id: string): Promise<void> {
    const init = this.#running(id);
    if (this.#machine.cgroups.controllers.has('freezer')) await this.#machine.cgroups.thaw(id);
    else continueTree(init);
  }

  async stop(id: string): Promise<void> {
    const paths = this.#paths(id);
    await this.#end(id);
    const state = readState(paths);
    if (state !== undefined)
      writeState(paths, { lowers: state.lowers, slot: state.slot, limits: state.limits });
  }

  async destroy(id: string): Promise<void> {
    await this.#end(id);
    this.#meter.forget(id);
    await removeTree(this.#paths(id).folder, this.#machine.owner);
    await this.#layers.collect(this.#layersInUse());
  }

  async capture(id: string, layer: string, isTemplate = false): Promise<void> {
    const paths = this.#paths(id);
    const state = readState(paths);
    if (state === undefined) throw new Error(`sandbox ${id} does not exist`);
    const wasRunning = (await this.presence(id)) === 'running';
    const isAlreadyFrozen = !wasRunning && this.#init(id) !== undefined;
    if (wasRunning) {
      writeState(paths, { ...state, isFrozenForCapture: true });
      await this.freeze(id);
    }
    try {
      await captureLayer({
        layers: this.#layers,
        paths,
        state,
        layer,
        isStopped: !wasRunning && !isAlreadyFrozen,
        hasOwnersByRule: isTemplate,
        owner: this.#machine.owner,
        cp: this.#machine.tools.cp,
      });
    } finally {
      if (wasRunning) {
        await this.thaw(id);
        writeState(paths, state);
      }
    }
  }

  async removeLayer(layer: string): Promise<void> {
    await this.#layers.remove(layer, this.#layersInUse());
  }

  async hasLayer(layer: string): Promise<boolean> {
    return this.#layers.exists(layer);
  }

  async listLayers(): Promise<string[]> {
    return this.#layers.list();
  }

  async importLayer(layer: string, fill: (folder: string) => void | Promise<void>): Promise<void> {
    const folder = join(await this.#layers.stage(layer), 'fs');
    mkdirSync(folder, { mode: 0o755 });
    await fill(folder);
    await this.#machine.owner.assign(folder);
    await this.#layers.publish(layer, [], true);
  }

  async usage(id: string): Promise<Usage> {
    const state = readState(this.#paths(id));
    if (state === undefined) throw new Error(`sandbox ${id} does not exist`);
    const disk = await this.#watchdog.diskBytes(id);
    return this.#meter.read(id, this.#init(id), state.limits, disk);
  }

  async open(id: string): Promise<Duplex> {
    return await connectListener(this.#paths(id).socket);
  }

  async list(): Promise<string[]> {
    return [...new Set([...this.#onDisk(), ...this.#machine.cgroups.list()])];
  }

  onExit(listener: (id: string) => void): void {
    this.#exits.onExit(listener);
  }

  onLimit(listener: (id: string, reason: string) => void): void {
    this.#watchdog.onLimit(listener);
  }

  async claim(): Promise<void> {
    await this.#layers.claimOwners();
  }

  async release(): Promise<void> {
    this.#launchers.close();
    if (this.#onDisk().every((id) => this.#init(id) === undefined))
      await this.#layers.releaseOwners();
  }

  #paths(id: string): SandboxPaths {
    return sandboxPaths(this.#machine.layout, id);
  }

  #onDisk(): string[] {
    return readdirSync(this.#machine.layout.sandboxes).filter((name) => !name.startsWith('.'));
  }

  /** Pid 1 of a running sandbox, checked now. */
  #init(id: string): ProcessIdentity | undefined {
    const state = readState(this.#paths(id));
    const init = state?.run?.init;
    return init !== undefined && runningProcesses(state).includes(init) ? init : undefined;
  }

  #running(id: string): ProcessIdentity {
    const init = this.#init(id);
    if (init === undefined) throw new Error(`sandbox ${id} is not running`);
    return init;
  }

  /** Takes over a sandbox that an earlier server started. */
  #adopt(id: string): void {
    const init = this.#init(id);
    const state = readState(this.#paths(id));
    if (init === undefined || state === undefined) {
      // Its processes died with the machine or were killed; nothing else empties the work folder before the next start.
      void clearWorkFolder(this.#paths(id).work, this.#machine.owner).catch(() => {});
      return;
    }
    this.#machine.cgroups.adopt(id, init.pid);
    this.#exits.watch(id, init);
    this.#watchdog.watch(id, state.limits);
    if (state.isFrozenForCapture === true) void this.#endCapture(id, state);
  }

  async #endCapture(id: string, state: SandboxState): Promise<void> {
    await this.thaw(id).catch(() => {});
    const { isFrozenForCapture: _, ...settled } = state;
    writeState(this.#paths(id), settled);
  }

  /** Kills all processes and removes the cgroups; only the files of the run remain. */
  async #end(id: string): Promise<void> {
    this.#exits.unwatch(id);
    this.#watchdog.unwatch(id);
    const { cgroups } = this.#machine;
    const paths = this.#paths(id);
    const ended = killAndWait(runningProcesses(readState(paths)));
    // A frozen process does not die before it is thawed.
    if (cgroups.isFrozen(id)) await cgroups.thaw(id);
    await ended;
    await this.#killRemaining(id);
    await cgroups.remove(id);
    await clearWorkFolder(paths.work, this.#machine.owner);
    rmSync(paths.socket, { force: true });
    rmSync(paths.pid, { force: true });
  }

  /** Kills the remains of an interrupted start. Repeats, because a launcher may fork between listing and kill. */
  async #killRemaining(id: string): Promise<void> {
    const { cgroups, layout } = this.#machine;
    for (let round = 0; round < MAX_KILL_ROUNDS; round += 1) {
      const grouped = cgroups.pids(id).flatMap((pid) => identify(pid) ?? []);
      const left = [
        ...grouped.filter(isAlive),
        ...abandonedProcesses(this.#paths(id), layout.instance),
      ];
      if (left.length === 0) return;
      await killAndWait(left);
    }
  }

  #takenSlots(): Set<number> {
    return new Set(this.#onDisk().flatMap((id) => readState(this.#paths(id))?.slot ?? []));
  }

  #layersInUse(): Set<string> {
    return new Set(this.#onDisk().flatMap((id) => readState(this.#paths(id))?.lowers ?? []));
  }
}
