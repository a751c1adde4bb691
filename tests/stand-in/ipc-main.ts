/** `ipcMain`: requests of pages to the main process. */
import { EventEmitter } from 'node:events';
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { refuseUnwritten } from './refuse-unwritten.ts';

type Handler = Parameters<IpcMain['handle']>[1];

export class StandInIpcMain extends EventEmitter implements Pick<IpcMain, 'handle' | 'removeHandler'> {
  readonly #handlers = new Map<string, Handler>();

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.#handlers.set(channel, handler);
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  async _answer(channel: string, event: IpcMainInvokeEvent, args: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return (await handler(event, ...args)) as unknown;
  }
}

refuseUnwritten(StandInIpcMain.prototype, 'ipcMain');

export const ipcMain = new StandInIpcMain();
