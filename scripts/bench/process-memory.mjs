/** Resident memory of a process and of all that it has started, in MB. */
import { execFileSync } from 'node:child_process';

/** `{own, children, count}`; undefined if the system has no `ps`. */
export function processMemory(pid) {
  const processes = listProcesses();
  if (processes === undefined) return undefined;
  const offspring = childrenOf(pid, processes);
  const sum = (list) => Math.round(list.reduce((total, { kilobytes }) => total + kilobytes, 0) / 1024);
  return { own: sum(processes.filter((one) => one.pid === pid)), children: sum(offspring), count: offspring.length };
}

function listProcesses() {
  try {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' }).trim().split('\n');
    return lines.map((line) => {
      const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, kilobytes };
    });
  } catch {
    return undefined;
  }
}

function childrenOf(pid, processes) {
  const children = processes.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...childrenOf(child.pid, processes)]);
}
