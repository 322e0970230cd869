import type { Settings, SettingsPatch } from '@ship/protocol';

/** The settings change for a control's text, or the problem with it. */
type ParsedField =
  | { readonly ok: true; readonly patch: SettingsPatch }
  | { readonly ok: false; readonly problem: string };

/** One setting of a form, in units that people use. */
export interface SettingField {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: 'text' | 'number' | 'lines' | 'model';
  readonly unit?: string;
  readonly placeholder?: string;
  readonly read: (settings: Settings) => string;
  readonly write: (text: string) => ParsedField;
}

export const valid = (patch: SettingsPatch): ParsedField => ({ ok: true, patch });
export const invalid = (problem: string): ParsedField => ({ ok: false, problem });

const MINUTE_MS = 60_000;

export function wholeNumber(
  text: string,
  [min, max]: readonly [number, number],
  use: (value: number) => SettingsPatch,
): ParsedField {
  const value = Number(text.trim());
  return text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max
    ? valid(use(value))
    : invalid(`Must be a whole number from ${min} to ${max.toLocaleString('en-US')}.`);
}

export function minutes(
  text: string,
  maxMinutes: number,
  use: (ms: number) => SettingsPatch,
): ParsedField {
  const value = Number(text.trim());
  return text.trim() !== '' && value > 0 && value <= maxMinutes
    ? valid(use(Math.round(value * MINUTE_MS)))
    : invalid(`Must be more than 0 and at most ${maxMinutes.toLocaleString('en-US')} minutes.`);
}

export function dollars(text: string, use: (usd: number | null) => SettingsPatch): ParsedField {
  const trimmed = text.trim().replace(/^\$/, '');
  if (trimmed === '') return valid(use(null));
  const value = Number(trimmed);
  return value > 0 && value <= 1_000_000
    ? valid(use(value))
    : invalid('Must be an amount above 0, or empty for no limit.');
}

export const asSwitch = (isOn: boolean) => (isOn ? 'on' : 'off');

export function onOrOff(text: string, use: (isOn: boolean) => SettingsPatch): ParsedField {
  const value = text.trim().toLowerCase();
  return value === 'on' || value === 'off'
    ? valid(use(value === 'on'))
    : invalid('Must be on or off.');
}

export const MAX_TOKENS = 1_000_000_000_000;

export const asMinutes = (ms: number) => String(Number((ms / MINUTE_MS).toFixed(2)));
export const asDollars = (usd: number | null) => (usd === null ? '' : String(usd));
export const orNull = (text: string) => (text.trim() === '' ? null : text.trim());
