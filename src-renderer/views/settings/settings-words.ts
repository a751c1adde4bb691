/** Descriptions of modes and amounts in the settings; parses amounts. Pure. */
import type { DataFlowOverview, ModeCard, SettingsFacts } from '../../../src-main/rpc/contract.ts';
import { count } from '../../lib/format.ts';

/** `Lists 142 tools, 38,400 tokens`. */
export function modeCost({ tools, tokens }: Pick<ModeCard, 'tools' | 'tokens'>): string {
  return `${count(tools, 'tool')} listed, ${count(tokens, 'token')}`;
}

const updateNames = { off: 'Off', notify: 'Notify me', install: 'Install on quit' } as const;

export const updateChoices = (Object.keys(updateNames) as (keyof typeof updateNames)[]).map((value) => ({
  value,
  label: updateNames[value],
}));

const themeNames = { system: 'System', light: 'Light', dark: 'Dark' } as const;

export const themeChoices = (Object.keys(themeNames) as SettingsFacts['theme'][]).map((value) => ({
  value,
  label: themeNames[value],
}));

const flowNames = { off: 'Allow', record: 'Record', ask: 'Require approval' } as const;

export const flowChoices = (Object.keys(flowNames) as DataFlowOverview['mode'][]).map((value) => ({
  value,
  label: flowNames[value],
}));

const flowMeanings: Readonly<Record<DataFlowOverview['mode'], string>> = {
  off: 'Destinations are not checked.',
  record: 'Calls are sent and listed on the Overview.',
  ask: 'Calls wait in the Inbox for your approval, once or always for that destination. Unanswered calls are rejected.',
};

/** The effect of the choice, as a sentence. */
export function flowMeaning(mode: DataFlowOverview['mode']): string {
  return flowMeanings[mode];
}

/** Parses a number field; undefined: invalid. `empty`: value of an empty field. */
export function readAmount(
  text: string,
  { unit, least, empty }: { readonly unit: number; readonly least: number; readonly empty?: null },
): number | null | undefined {
  if (text.trim() === '') return empty;
  const amount = Number(text);
  return Number.isFinite(amount) && amount >= least ? amount * unit : undefined;
}

/** A stored amount as shown in its field. */
export function amountText(amount: number | undefined, unit: number): string {
  if (amount === undefined) return '';
  const inUnit = amount / unit;
  return String(Number(inUnit.toFixed(inUnit < 1_000 ? 3 : 0)));
}

/** The config snippet for the other choice. */
export function policySnippet(agentChanges: SettingsFacts['agentChanges']): string {
  return `"policy": { "agentChanges": "${agentChanges === 'ask' ? 'allow' : 'ask'}" }`;
}
