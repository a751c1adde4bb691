/**
 * Entry point of the preload script: the bridge between the dashboard's page and the core. Built as CommonJS, because
 * a sandboxed preload script can import only Electron.
 */
import { contextBridge, ipcRenderer } from 'electron';
import { requestChannel, stateChannel, cancelChannel, watchChannel } from './rpc/ipc-server.ts';

contextBridge.exposeInMainWorld('tooltray', {
  request: (method: string, input: unknown, question?: string): Promise<unknown> =>
    ipcRenderer.invoke(requestChannel, method, input, question),
  takeBack: (question: string): void => void ipcRenderer.invoke(cancelChannel, question),
  watch(listener: (change: unknown) => void): () => void {
    const hear = (_event: unknown, change: unknown): void => listener(change);
    ipcRenderer.on(stateChannel, hear);
    void ipcRenderer.invoke(watchChannel);
    return () => ipcRenderer.off(stateChannel, hear);
  },
});
