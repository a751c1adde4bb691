/**
 * Runs in the page's main world before its scripts: exposes the preload script's API on `window`. Used as source text.
 */

export interface Shape {
  /** A function of the preload script, by number. */
  readonly call?: number;
  readonly members?: Readonly<Record<string, Shape>>;
  readonly value?: unknown;
}

export interface BridgeAnswer {
  readonly id: number;
  readonly error?: string;
  readonly isPromise?: boolean;
  readonly value?: unknown;
}

export function mainWorld(): void {
  const functions = new Map<number, (...args: unknown[]) => void>();
  const promises = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;

  const giveFunction = (value: unknown): unknown => {
    if (typeof value !== 'function') return value;
    const id = ++lastId;
    functions.set(id, value as () => void);
    return { function: id };
  };

  const call = (target: number, args: unknown[]): unknown => {
    const id = ++lastId;
    const answers: BridgeAnswer[] = [];
    const hear = (event: Event): void => void answers.push((event as CustomEvent<BridgeAnswer>).detail);
    document.addEventListener('stand-in:answer', hear);
    document.dispatchEvent(new CustomEvent('stand-in:call', { detail: { id, target, args: args.map(giveFunction) } }));
    document.removeEventListener('stand-in:answer', hear);
    const answer = answers.find((one) => one.id === id);
    if (answer === undefined) throw new Error('The preload did not answer.');
    if (answer.error !== undefined) throw new Error(answer.error);
    if (answer.isPromise !== true) return take(answer.value as Shape);
    return new Promise((resolve, reject) => promises.set(id, { resolve, reject }));
  };

  const take = (shape: Shape): unknown => {
    const { call: target, members } = shape;
    if (target !== undefined) return (...args: unknown[]) => call(target, args);
    if (members === undefined) return shape.value;
    return Object.freeze(Object.fromEntries(Object.entries(members).map(([name, member]) => [name, take(member)])));
  };

  document.addEventListener('stand-in:settle', (event) => {
    const { id, error, value } = (event as CustomEvent<BridgeAnswer>).detail;
    if (error === undefined) promises.get(id)?.resolve(take(value as Shape));
    else promises.get(id)?.reject(new Error(error));
    promises.delete(id);
  });
  document.addEventListener('stand-in:callback', (event) => {
    const { id, args } = (event as CustomEvent<{ id: number; args: Shape[] }>).detail;
    functions.get(id)?.(...args.map(take));
  });
  document.addEventListener('stand-in:expose', (event) => {
    const { key, shape } = (event as CustomEvent<{ key: string; shape: Shape }>).detail;
    Object.defineProperty(window, key, { value: take(shape), enumerable: true });
  });
}
