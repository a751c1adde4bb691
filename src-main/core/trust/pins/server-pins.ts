/**
 * Compares one server's definitions with the ones that the user accepted. Unchanged, stricter or merely shorter
 * definitions pass. All other changes form one pending review: until it is decided, models see the accepted text, and
 * calls of changed tools are refused.
 */
import { AppError, errorText } from '../../base/errors.ts';
import { Emitter } from '../../base/emitter.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import { canonicalHash, HashMemo } from '../canonical-json.ts';
import { isOtherVersion, type LaunchFingerprint, fingerprintLaunch } from './launch-fingerprint.ts';
import { scanChanges, withoutSuspicious } from './scan-changes.ts';
import {
  changesInSlices,
  diffDefinitions,
  type DefinitionChange,
  pinnableDefinitions,
  forgetGone,
  removedDefinitions,
  introductionKey,
  pinKey,
  pinKeys,
  onlyAddsTools,
  pinnableKinds,
  needsReview,
  type PinnableLists,
} from './pinned-definitions.ts';
import {
  type PinDecision,
  maxDecisions,
  type PinChoice,
  type PinKey,
  type PinnedKind,
  type PinnedServer,
  type ServerPinStore,
  type PendingChange,
} from './pin-store.ts';
import { type FindPinsOfProgram, firstMoment, type Moment, type PinPolicy } from './pin-rules.ts';
import { decisionAbout, pendingChanges, type PinReview, type PinScope } from './pin-review.ts';
import { definitionHeldError, definitionChangedError } from './pin-errors.ts';

export class ServerPins {
  /** Emits when the shown, held or pending definitions change. */
  readonly changed = new Emitter();
  /** Its name is that of the pins, which differs from the server's name if they apply to some apps only. */
  readonly #config: ServerConfig;
  readonly scope: PinScope;
  readonly #place: ServerPinStore;
  readonly #stopFollowing: () => void;
  readonly #rules: PinPolicy;
  readonly #twin: FindPinsOfProgram;
  #pins: PinnedServer | undefined;
  #held: ReadonlyMap<PinKey, DefinitionChange> = new Map();
  #offered: ReadonlyMap<PinKey, JsonObject> = new Map();
  /** Latest versions of user interfaces, which no list contains. */
  readonly #views = new Map<PinKey, JsonObject>();
  /** Definitions read since the server started. */
  readonly #viewsOfStart = new Set<PinKey>();
  readonly #hashes = new HashMemo();
  #launch: LaunchFingerprint | undefined;
  #launching: Promise<LaunchFingerprint> | undefined;
  #restored: Promise<void> | undefined;
  #isLost = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(config: ServerConfig, scope: PinScope, place: ServerPinStore, rules: PinPolicy, twin: FindPinsOfProgram) {
    this.#config = config;
    this.scope = scope;
    this.#twin = twin;
    this.#place = place;
    this.#rules = rules;
    this.#stopFollowing = place.changed.on(() => void this.#inTurn(() => this.#follow()));
  }

  /** Called when other pins replace these. */
  close(): void {
    this.#stopFollowing();
  }

  /** Loads what was accepted earlier. Never rejects. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  /** Called when the server starts: from now on it lists the installed version. Never rejects. */
  async onLaunch(): Promise<void> {
    this.#launching = fingerprintLaunch(this.#config);
    this.#viewsOfStart.clear();
    await this.#launching;
  }

  /** Compares the offered definitions with the pins. Never rejects. */
  evaluate(offer: PinnableLists, introduced: JsonObject | undefined, moment = firstMoment): Promise<void> {
    return this.#inTurn(async () => {
      await this.restore();
      const before = this.#offered;
      const offered = pinnableDefinitions(offer, introduced);
      this.#offered = offered;
      for (let tries = 1; !(await this.#judge(before, moment)) && tries < maxWriteAttempts; tries++);
    });
  }

  /** Resolves to false if another process changed the compared definitions meanwhile. */
  async #judge(before: ReadonlyMap<PinKey, JsonObject>, moment: Moment): Promise<boolean> {
    const offered = this.#offered;
    // Accepting a server's launch accepts its first listing, except for severe findings.
    const pins = this.#pins ?? (await this.#accept(offered));
    const changes = await changesInSlices(pins.definitions, offered);
    const wanting = changes.filter(needsReview);
    const gone = removedDefinitions(pins.definitions, before, offered);
    const isGrowth = moment.isAfterCall && onlyAddsTools(changes, gone);
    const held = wanting.length === 0 ? [] : await this.#hold(wanting, moment, isGrowth);
    const isStored = await this.#pass(changes, held, gone);
    this.#keepHeld([...held, ...this.heldChanges.filter(({ kind }) => kind === 'view')]);
    return isStored;
  }

  /**
   * Compares a user interface with the one that was read first. Rejects with AppError
   * `not_allowed` if it changed and the user has not accepted the change; the app then receives none.
   */
  async evaluateView(uri: string, view: JsonObject): Promise<void> {
    await this.#inTurn(async () => {
      await this.restore();
      const pins = this.#pins ?? (await this.#accept(this.#offered));
      const key = pinKey('view', uri);
      const sameProcess = this.#viewsOfStart.has(key);
      this.#viewsOfStart.add(key);
      this.#views.set(key, view);
      const pinned = pins.definitions.get(key);
      const changes = diffDefinitions(new Map([[key, pinned ?? view]]), new Map([[key, view]]));
      const wanting = changes.filter(needsReview);
      const held = wanting.length === 0 ? [] : await this.#hold(wanting, { sameProcess, isAfterCall: false });
      const waits = this.#waitsOf(held);
      if (held.length === 0 && (pinned === undefined || changes.length > 0)) {
        const isStored = await this.#save({ ...pins, definitions: new Map(pins.definitions).set(key, view), waits });
        if (isStored && wanting.length > 0) this.#rules.onPassed(this.#config.name, wanting);
      } else await this.#noteWaiting({ ...pins, waits }, held);
      this.#keepHeld([...this.heldChanges.filter((one) => one.key !== key), ...held]);
    });
    this.assertAccepted('view', uri);
  }

  /**
   * Scans the instructions of a skill when they are read, because they are in no list. Suspicious ones wait for the
   * user. Rejects with AppError `not_allowed` until the user has accepted them.
   */
  async evaluateSkillText(uri: string, text: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.restore();
      const pins = this.#pins ?? (await this.#accept(this.#offered));
      const key = pinKey('view', uri);
      const after: JsonObject = { uri, text };
      const before = pins.definitions.get(key);
      const [change] = diffDefinitions(new Map(before && [[key, before]]), new Map([[key, after]]));
      const findings = (await scanChanges([{ key, kind: 'skill', before, after }])).get(key) ?? [];
      const isHeld = change !== undefined && findings.some(({ tier }) => tier === 'block');
      const held = isHeld ? [{ ...change, findings }] : [];
      if (isHeld) this.#views.set(key, after);
      else this.#views.delete(key);
      await this.#noteWaiting({ ...pins, waits: this.#waitsOf(held) }, held);
      this.#keepHeld([...this.heldChanges.filter((one) => one.key !== key), ...held]);
    });
    this.assertAccepted('view', uri);
  }

  /**
   * Returns a list as models may see it: accepted texts instead of changed ones, and no new definition that is not
   * accepted.
   */
  acceptedListing<T extends PinnableLists>(listing: T): T {
    if (this.#held.size === 0) return listing;
    const shown = pinnableKinds.flatMap(({ kind, list, identifier }) => {
      const offered = listing[list];
      if (offered === undefined) return [];
      const keys = pinKeys(kind, offered, identifier);
      const entries = offered.flatMap((entry, at) => {
        const change = this.#held.get(keys[at] ?? pinKey(kind, undefined));
        if (change === undefined) return [entry];
        return change.before === undefined ? [] : [change.before];
      });
      return [[list, entries]];
    });
    return { ...listing, ...(Object.fromEntries(shown) as Partial<PinnableLists>) };
  }

  /** Returns the server's instructions as models may see them, in the form of `introductionOf`. */
  showIntroduction(introduced: JsonObject): JsonObject {
    const pinned = this.#pins?.definitions.get(introductionKey);
    if (pinned === undefined) return introduced;
    // Before the comparison is done, nothing new is shown either.
    const judged = this.#offered.get(introductionKey) === introduced && !this.#held.has(introductionKey);
    return judged ? introduced : pinned;
  }

  /** Throws AppError `not_allowed` for a definition that the user has not accepted in this form. */
  assertAccepted(kind: PinnedKind, name: unknown): void {
    if (this.#held.size === 0) return;
    const refusal = this.refusalOf(kind, name);
    if (refusal !== undefined) throw refusal;
  }

  /** The same as an error without any of the server's new words; undefined if the definition is accepted. */
  refusalOf(kind: PinnedKind, name: unknown): AppError | undefined {
    const change = this.#held.get(pinKey(kind, name));
    return change === undefined
      ? undefined
      : definitionHeldError(this.scope.server, change, { isRejected: !this.#isOpen(change), isLost: this.#isLost });
  }

  get heldChanges(): readonly DefinitionChange[] {
    return [...this.#held.values()];
  }

  /** The pending review; undefined if none. */
  get pendingReview(): PinReview | undefined {
    const open = this.heldChanges.filter((change) => this.#isOpen(change));
    if (open.length === 0) return undefined;
    const { name } = this.#config;
    return {
      name,
      ...this.scope,
      // Includes the name, because another server may change in the same way.
      id: canonicalHash([name, ...open.map(({ key, after }) => [key, this.#hashes.of(after)])]).slice(0, 8),
      changes: open.toSorted((one, other) => Number(other.isRugPull) - Number(one.isRugPull)),
      isRugPull: open.some(({ isRugPull }) => isRugPull),
      isOtherLaunch: isOtherVersion(this.#pins?.pin, this.#launch?.pin),
      isLost: this.#isLost,
      floats: this.#launch?.floats,
      at: Math.min(...open.map(({ key }) => this.#pins?.waits.get(key)?.since ?? this.#rules.now())),
    };
  }

  /** Whether the user has not yet decided on its current form. */
  #isOpen({ key, after }: DefinitionChange): boolean {
    return this.#pins?.refused.get(key) !== this.#hashes.of(after);
  }

  get decisions(): readonly PinDecision[] {
    return this.#pins?.decisions ?? [];
  }

  /** SHA-256 of an accepted definition, for the audit log. */
  pinOf(kind: PinnedKind, name: string): string | undefined {
    const pinned = this.#pins?.definitions.get(pinKey(kind, name));
    return pinned === undefined ? undefined : this.#hashes.of(pinned);
  }

  /**
   * Applies the user's decision. `keys` limits it to these definitions; `id` is that of the review the user saw,
   * because another change may have come meanwhile. Rejects with AppError `not_allowed` if the review has changed.
   */
  decide(choice: PinChoice, by: string, id: string, keys?: readonly PinKey[]): Promise<void> {
    return this.#inTurn(async () => {
      for (let tries = 0; tries < maxWriteAttempts; tries++) if (await this.#decide(choice, by, id, keys)) return;
      throw definitionChangedError(this.scope.server);
    });
  }

  /** Resolves to false if another process wrote meanwhile, even about another definition. */
  async #decide(choice: PinChoice, by: string, id: string, keys?: readonly PinKey[]): Promise<boolean> {
    const pins = this.#pins;
    const decided = this.heldChanges.filter(({ key }) => keys === undefined || keys.includes(key));
    if (pins === undefined || decided.length === 0 || this.pendingReview?.id !== id)
      throw definitionChangedError(this.scope.server);
    const made = { at: this.#rules.now(), by, choice };
    const decision = decisionAbout(decided, made, (definition) => this.#hashes.of(definition));
    const [definitions, refused, waits] = [new Map(pins.definitions), new Map(pins.refused), new Map(pins.waits)];
    for (const { key, after } of decided) {
      if (choice === 'keep') refused.set(key, this.#hashes.of(after));
      else {
        definitions.set(key, after ?? {});
        waits.delete(key);
      }
    }
    const { pin = null } = choice === 'keep' ? pins : await this.#launchNow();
    const decisions = [...pins.decisions, decision].slice(-maxDecisions);
    const mayGrow = choice === 'grow' || pins.mayGrow;
    if (!(await this.#save({ ...pins, definitions, refused, waits, pin, decisions, mayGrow }, true))) return false;
    this.#rules.onDecided(this.#config.name, decision, false);
    this.#again();
    return true;
  }

  /**
   * Undoes a decision: the definitions before it apply again and are pending. Rejects with AppError if it is unknown.
   */
  undo(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const pins = this.#pins;
      const decision = pins?.decisions.find((one) => one.id === id);
      if (pins === undefined || decision === undefined) {
        throw new AppError('not_allowed', `There is no decision ${JSON.stringify(id)} on ${this.scope.server}.`);
      }
      const definitions = new Map(pins.definitions);
      const refused = new Map(pins.refused);
      for (const [key, was] of Object.entries(decision.before) as [PinKey, JsonObject | null][]) {
        refused.delete(key);
        if (decision.choice === 'keep') continue;
        if (was === null) definitions.delete(key);
        else definitions.set(key, was);
      }
      const decisions = pins.decisions.filter((one) => one !== decision);
      const mayGrow = pins.mayGrow && decision.choice !== 'grow';
      if (!(await this.#save({ ...pins, definitions, refused, decisions, mayGrow }, true)))
        throw definitionChangedError(this.scope.server);
      this.#rules.onDecided(this.#config.name, decision, true);
      this.#again();
    });
  }

  /** Returns the pins if they are of this program and its server has pending changes. */
  heldPinsOf(program: string): PinnedServer | undefined {
    return this.#held.size > 0 && this.#pins?.program === program ? this.#pins : undefined;
  }

  async #restore(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      // Nothing counts as accepted, so that everything is reviewed.
      this.#isLost = true;
      this.#pins = await this.#fresh(new Map());
      this.#rules.onWarning(this.#config.name, `Its accepted definitions cannot be read: ${String(error)}`);
    }
  }

  async #read(): Promise<void> {
    const { program } = await this.#launchNow();
    const pins = await this.#place.read();
    // Another program under the same name was accepted with its entry.
    this.#pins = pins?.program === program ? pins : undefined;
  }

  /** Loads what another process accepted. If that fails, the state stays as it was and the next change is refused. */
  async #follow(): Promise<void> {
    if (this.#restored === undefined) return;
    await this.restore();
    try {
      await this.#read();
      this.#again();
    } catch (error) {
      this.#rules.onWarning(this.#config.name, `Definitions accepted elsewhere cannot be read: ${errorText(error)}`);
    }
  }

  async #launchNow(): Promise<LaunchFingerprint> {
    return (this.#launch = await (this.#launching ?? fingerprintLaunch(this.#config)));
  }

  async #accept(offered: ReadonlyMap<PinKey, JsonObject>): Promise<PinnedServer> {
    const { program } = await this.#launchNow();
    const twin = this.#twin(this.#config.name, program);
    const pins = await this.#fresh(twin?.definitions ?? (await withoutSuspicious(offered)));
    await this.#save(pins);
    return this.#pins ?? pins;
  }

  async #fresh(definitions: ReadonlyMap<PinKey, JsonObject>): Promise<PinnedServer> {
    const { program, pin = null } = await this.#launchNow();
    const none = new Map<PinKey, string>();
    return {
      server: this.#config.name,
      acceptedAt: this.#rules.now(),
      program,
      pin,
      definitions,
      refused: none,
      rugPulls: none,
      waits: new Map(),
      decisions: [],
      mayGrow: false,
    };
  }

  /** Adds changes to the pending review. */
  async #hold(
    wanting: readonly DefinitionChange[],
    { sameProcess }: Moment,
    isGrowth = false,
  ): Promise<readonly DefinitionChange[]> {
    const [{ pin }, found] = await Promise.all([this.#launchNow(), scanChanges(wanting)]);
    const isSameVersion = pin !== undefined && pin === this.#pins?.pin;
    return wanting.flatMap((change) => {
      const known = this.#pins?.rugPulls.get(change.key);
      const isRugPull =
        change.class !== 'new' && (sameProcess || isSameVersion || known === canonicalHash(change.after));
      const findings = found.get(change.key) ?? [];
      const mayPass = this.#rules.onChange() === 'scan' || (isGrowth && this.#pins?.mayGrow === true);
      const passes = this.#rules.onChange() === 'warn' || (mayPass && findings.length === 0);
      const now = isGrowth ? 'call' : sameProcess || isSameVersion ? 'same launch' : undefined;
      const origin = this.#held.get(change.key)?.origin ?? now;
      return passes && !isRugPull ? [] : [{ ...change, isRugPull, findings, ...(origin && { origin }) }];
    });
  }

  /**
   * Stores accepted definitions, sharing the objects of the listing. Returns false if another process wrote meanwhile.
   */
  async #pass(
    changes: readonly DefinitionChange[],
    held: readonly DefinitionChange[],
    gone: readonly DefinitionChange[],
  ): Promise<boolean> {
    const pins = this.#pins;
    if (pins === undefined) return true;
    const isHeld = new Set(held.map(({ key }) => key));
    const passed = changes.filter(({ key }) => !isHeld.has(key));
    const definitions = new Map(pins.definitions);
    for (const [key, after] of this.#offered) if (!isHeld.has(key)) definitions.set(key, after);
    forgetGone(definitions, new Map([...this.#offered, ...this.#views]));
    const marks = held.flatMap(({ key, after, isRugPull }) =>
      isRugPull ? [[key, this.#hashes.of(after)] as const] : [],
    );
    const isMarked =
      marks.length === pins.rugPulls.size && marks.every(([key, hash]) => pins.rugPulls.get(key) === hash);
    const isUpdate = passed.length > 0 && held.length === 0;
    const pin = isUpdate ? ((await this.#launchNow()).pin ?? null) : pins.pin;
    const waits = this.#waitsOf(held);
    const updated = { ...pins, definitions, rugPulls: new Map(marks), pin, waits };
    if (!(await this.#noteWaiting(updated, held, passed.length > 0 || !isMarked))) return false;
    if (passed.length + gone.length > 0) this.#rules.onPassed(this.#config.name, [...passed, ...gone]);
    return true;
  }

  /** Includes changes known to be pending: another replica's process may still offer them if this one's does not. */
  #waitsOf(held: readonly DefinitionChange[]): ReadonlyMap<PinKey, PendingChange> {
    return pendingChanges(held, this.#pins?.waits ?? new Map(), this.#rules.now(), (after) => this.#hashes.of(after));
  }

  /**
   * Stores pending changes and reports the new ones; `mustSave` says that there is more to store. Resolves to false if
   * another process wrote meanwhile.
   */
  async #noteWaiting(pins: PinnedServer, held: readonly DefinitionChange[], mustSave = false): Promise<boolean> {
    const known = this.#pins?.waits ?? new Map<PinKey, PendingChange>();
    const fresh = held.filter(({ key }) => pins.waits.get(key) !== known.get(key));
    if (!mustSave && fresh.length === 0) this.#pins = pins;
    else if (!(await this.#save(pins))) return false;
    if (fresh.length > 0) this.#rules.onHeld(this.#config.name, fresh);
    return true;
  }

  /** Compares the offered definitions with the accepted ones again after a decision. */
  #again(): void {
    if (this.#pins === undefined) return;
    const known = this.#held;
    const offered = new Map([...this.#offered, ...this.#views]);
    const wanting = diffDefinitions(this.#pins.definitions, offered).filter(needsReview);
    this.#held = new Map(
      wanting.map((change) => {
        const { isRugPull = false, findings = [], origin } = known.get(change.key) ?? {};
        return [change.key, { ...change, isRugPull, findings, ...(origin && { origin }) }];
      }),
    );
    this.changed.emit();
  }

  #keepHeld(held: readonly DefinitionChange[]): void {
    const before = this.#held;
    this.#held = new Map(held.map((change) => [change.key, change]));
    const isSame = held.length === before.size && held.every(({ key, after }) => before.get(key)?.after === after);
    if (!isSame) this.changed.emit();
  }

  /** Serializes the work, because a listing and a decision may arrive at once. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /**
   * Resolves to false if another process wrote meanwhile; its version wins. `isDecision`: rejects with AppError if the
   * database did not store it, and nothing is decided.
   */
  async #save(pins: PinnedServer, isDecision = false): Promise<boolean> {
    const before = this.#pins;
    this.#pins = pins;
    try {
      await this.#place.write(pins);
    } catch (error) {
      if (error instanceof AppError && error.code === 'config_conflict') {
        await this.#follow();
        return false;
      }
      if (isDecision && error instanceof AppError) {
        this.#pins = before;
        throw error;
      }
      this.#rules.onWarning(this.#config.name, `Its accepted definitions could not be written: ${String(error)}`);
    }
    return true;
  }
}

/** Retries after write conflicts; in each conflict another process made progress. */
const maxWriteAttempts = 5;
