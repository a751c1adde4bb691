/** Whether anything still runs in a process group (POSIX). */
import { readdirSync, readFileSync } from 'node:fs';

/** True while a process of the group runs. Processes that have ended and only wait to be collected do not count. */
export function isGroupAlive(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
  } catch {
    // ESRCH: no members. EPERM: macOS answers so for a group of ended processes; and what is not ours we cannot end.
    return false;
  }
  return process.platform !== 'linux' || hasRunningMember(groupId);
}

/** In a container whose first process collects nobody, ended orphans stay in the group for ever; /proc tells them apart. */
function hasRunningMember(groupId: number): boolean {
  try {
    return readdirSync('/proc').some((name) => /^\d/.test(name) && runsInGroup(name, groupId));
  } catch {
    return true;
  }
}

function runsInGroup(pid: string, groupId: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): the name stands in brackets and may hold anything; after it come state, parent, group.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === groupId && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
