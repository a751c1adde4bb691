/** Plugs Electron's IPC into the door that checks who asks and what. */
import { ipcMain, type IpcMainInvokeEvent } from 'electron';
import { requestChannel, takeBackChannel, watchChannel } from '../rpc/ipc-channels.ts';
import type { IpcDoor, IpcSender } from '../rpc/ipc-door.ts';

export function connectIpc(door: IpcDoor): void {
  ipcMain.handle(requestChannel, (event, method: unknown, input: unknown, question: unknown) =>
    door.request(senderOf(event), method, input, question),
  );
  ipcMain.handle(takeBackChannel, (event, question: unknown) => door.takeBack(senderOf(event), question));
  ipcMain.handle(watchChannel, (event) => door.watch(senderOf(event)));
}

function senderOf({ sender, senderFrame }: IpcMainInvokeEvent): IpcSender {
  return {
    id: sender.id,
    url: senderFrame?.url,
    isMainFrame: senderFrame !== null && senderFrame.parent === null,
    send(channel, message) {
      if (!sender.isDestroyed()) sender.send(channel, message);
    },
    onGone: (listener) => void sender.once('destroyed', listener),
  };
}
