/** Words an audit record as a sentence for users. */
import { formatBytes, formatCount, formatDuration } from '../../base/text-format.ts';
import type { AuditRecord, CallEntry, RefusalEntry, ServerChangeEntry } from './audit-entries.ts';

export function describeRecord(record: AuditRecord): string {
  switch (record.kind) {
    case 'decision':
      return record.sentence;
    case 'refusal':
      return `${refused(record)}: ${record.sentence}`;
    case 'server':
      return [`${record.server} ${changes[record.change]}.`, record.sentence, stopped(record)]
        .filter(Boolean)
        .join(' ');
    case 'access':
      return record.sentence ?? `The access of ${record.app ?? record.profile}: ${record.change}.`;
    case 'setting':
      return [`${record.key}: ${record.before} became ${record.after}.`, stopped(record)].filter(Boolean).join(' ');
    case 'call':
      return called(record);
    case 'head':
      return `Signed up to record ${record.seq - 1}.`;
    case 'mended':
      return `Half a line of ${formatBytes(record.bytes)}, left by a process that was killed, was taken away.`;
    case 'trimmed':
      return `${formatCount(record.records, 'record')}, up to ${record.to}, went to make room.`;
    case 'cut':
      return `Records up to ${record.to} had been signed, and were gone at the start.`;
    case 'lost':
      return `${formatCount(record.records, 'record')} could not be written and are lost.`;
  }
}

const changes: Readonly<Record<ServerChangeEntry['change'], string>> = {
  added: 'was added',
  removed: 'was taken out',
  changed: 'has another entry',
  on: 'was switched on',
  off: 'was switched off',
  'tools switched': 'has other tools switched on',
  'sent different instructions': 'has different instructions or definitions than before',
  'waits for review': 'says things that wait for a decision',
};

function stopped({ whileStopped }: { readonly whileStopped?: boolean | undefined }): string {
  return whileStopped === true ? 'It happened while Tooltray did not run.' : '';
}

function refused({ of, server = '', tool = '' }: RefusalEntry): string {
  if (of === 'call') return `${[server, tool].filter(Boolean).join(':')} was not called`;
  return of === 'change' ? 'A change was refused' : 'A connection was refused';
}

function called({ server, tool, outcome, code, result, ms, labels = [], verdict, by }: CallEntry): string {
  const how = outcome === 'ok' ? '' : ` (${outcome.replace('_', ' ')}${code === undefined ? '' : ` ${code}`})`;
  const answer = result === undefined ? 'no answer' : formatBytes(result.bytes);
  const more = [...labels, ...(verdict === undefined ? [] : [by === undefined ? verdict : `${verdict} (${by})`])];
  return `${[server, tool].filter(Boolean).join(':')}${how}, ${answer} in ${formatDuration(ms)}${more.length === 0 ? '' : `: ${more.join(', ')}`}`;
}
