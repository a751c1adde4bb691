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
      return record.sentence ?? `Access of ${record.app ?? record.profile}: ${record.change}.`;
    case 'setting':
      return [`${record.key}: ${record.before} became ${record.after}.`, stopped(record)].filter(Boolean).join(' ');
    case 'call':
      return called(record);
    case 'head':
      return `Signed up to record ${record.seq - 1}.`;
    case 'mended':
      return `An incomplete line of ${formatBytes(record.bytes)}, left by a killed process, was removed.`;
    case 'trimmed':
      return `Deleted ${formatCount(record.records, 'record')}, up to ${record.to}, to free space.`;
    case 'cut':
      return `Records up to ${record.to} were signed, but were missing at startup.`;
    case 'lost':
      return `Lost ${formatCount(record.records, 'record')} that could not be written.`;
  }
}

const changes: Readonly<Record<ServerChangeEntry['change'], string>> = {
  added: 'was added',
  removed: 'was removed',
  changed: 'has a different config entry',
  on: 'was enabled',
  off: 'was disabled',
  'tools switched': 'has different tools enabled',
  'sent different instructions': 'has different instructions or definitions',
  'waits for review': 'has changes that await review',
};

function stopped({ whileStopped }: { readonly whileStopped?: boolean | undefined }): string {
  return whileStopped === true ? 'This happened while Tooltray was not running.' : '';
}

function refused({ of, server = '', tool = '' }: RefusalEntry): string {
  if (of === 'call') return `${[server, tool].filter(Boolean).join(':')} was not called`;
  return of === 'change' ? 'A change was refused' : 'A connection was refused';
}

function called({ server, tool, outcome, code, result, ms, labels = [], verdict, by }: CallEntry): string {
  const how = outcome === 'ok' ? '' : ` (${outcome.replace('_', ' ')}${code === undefined ? '' : ` ${code}`})`;
  const answer = result === undefined ? 'no result' : formatBytes(result.bytes);
  const more = [...labels, ...(verdict === undefined ? [] : [by === undefined ? verdict : `${verdict} (${by})`])];
  return `${[server, tool].filter(Boolean).join(':')}${how}, ${answer} in ${formatDuration(ms)}${more.length === 0 ? '' : `: ${more.join(', ')}`}`;
}
