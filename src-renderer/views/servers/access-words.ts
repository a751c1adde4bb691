/** Describes what a server can read, write, and connect to. Pure. */
import type { AccessScope, ServerAccess } from '../../../src-main/rpc/contract.ts';

/** As a phrase, or as a list of paths or hosts. */
export function accessInWords(kind: 'read' | 'write' | 'reach', scope: AccessScope): string | readonly string[] {
  if (typeof scope !== 'string') return scope;
  if (scope === 'arguments') return 'Files and folders that its arguments and variables name';
  if (scope === 'unknown') return kind === 'reach' ? 'Whatever its network allows' : 'Whatever its operator allows';
  if (kind === 'reach') return scope === 'nothing' ? 'Nothing; network is off' : 'Any host, including this computer';
  return scope === 'nothing' ? 'None of your files' : 'All files of your user account';
}

/** `problem`: why this computer has no sandbox. */
export function sandboxInWords(sandbox: ServerAccess['sandbox'], problem: string | undefined): string {
  switch (sandbox) {
    case undefined:
      return 'Not available for this kind of server';
    case 'none':
      return 'Runs with all permissions of your user account';
    case 'container':
      return 'Runs in a container';
    case 'auto':
      if (problem !== undefined)
        return 'Requested, but this computer has no sandbox: it runs with all your permissions';
      return 'Own process and home folder, no other files';
    case 'sandbox':
      return problem === undefined
        ? 'Own process and home folder, no other files'
        : 'Required, but this computer has no sandbox: it does not start';
  }
}
