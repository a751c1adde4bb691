/** The runners that a front can ask: this replica's own, and those of others over their inner doors; and what such a door has for them. */
import type { Aggregator } from '../../core/aggregator.ts';
import type { LineBudgets } from '../../core/wire/byte-budget.ts';
import type { TakeLine } from '../replicas/inner-door.ts';
import type { OpenReplicas } from '../replicas/open-replicas.ts';
import { signLinePass } from '../replicas/passes.ts';
import type { Reach } from '../replicas/reach.ts';
import type { Replica } from '../replicas/replica-registry.ts';
import { asAnswer, type Runner } from './find-runner.ts';
import { localLine } from './local-line.ts';
import type { PersonalRunner } from './personal-runner.ts';
import { answeredLine, askForLine, refuseLine } from './runner-line.ts';

export function ownRunner(id: string, runner: PersonalRunner): Runner {
  const open = async (...[person, { name }]: Parameters<Runner['ask']>): Promise<ReturnType<typeof localLine>[0]> => {
    const [front, end] = localLine();
    await runner.serve(end, person, name);
    return front;
  };
  return { id, ask: (...asked) => asAnswer(open(...asked)) };
}

interface Ours extends Pick<Aggregator, 'budgets'> {
  readonly replicas: Pick<OpenReplicas, 'registry' | 'reach' | 'seals'>;
}

/** A message that is told on is a little longer than it came: its id is another one. */
const longerBytes = 1024;

export function otherRunner({ id, address }: Replica, { replicas, budgets }: Ours): Runner {
  const { reach, registry, seals } = replicas;
  return {
    id,
    ask: (person, { name, maxMessageBytes }, signal) =>
      askForLine({
        ...{ address, signal },
        pass: signLinePass(seals, { to: id, from: registry.id, person, server: name }, registry.now),
        stream: { budgets, maxMessageBytes: maxMessageBytes + longerBytes },
        follow: (end) => reach.watch(id, end),
      }),
  };
}

/** What the inner door does with lines that others want. */
export function takeLines(runner: PersonalRunner, reach: Pick<Reach, 'watch'>, budgets: () => LineBudgets): TakeLine {
  return ({ person, server, from }, socket, leftover) => {
    socket.once(
      'close',
      reach.watch(from, () => socket.destroy()),
    );
    const line = answeredLine(socket, { leftover, budgets: budgets() });
    runner.serve(line, person, server).catch((error: unknown) => refuseLine(socket, error));
  };
}
