export { type Clock, systemClock } from './clock.ts';
export { type DemoModel, type DemoModelOptions, startDemoModel } from './http/server.ts';
export type { LedgerEntry, LedgerReport, LedgerTotals, Outcome } from './ledger/ledger.ts';
export { defineScript, loadScript, parseScript, ScriptError } from './script/load.ts';
export type { Reply, Result, Run, Script, Turn } from './script/script.ts';
export type { ScriptFile } from './script/schema.ts';
export type { Fault, FaultKind } from './script/fault.ts';
export { SAMPLE_REPOSITORY } from './builtin/sample-repository.ts';
