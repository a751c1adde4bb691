/**
 * Asks to be moved where macOS starts an app from the same place each time; from elsewhere client apps cannot start it.
 */
import { app, dialog } from 'electron';

export async function offerMove(): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: 'Move Tooltray to the Applications folder?',
    detail:
      'From where it is now, macOS starts it at another place each time, so client apps would find it only while it runs.',
    buttons: ['Move', 'Not now'],
    defaultId: 0,
    cancelId: 1,
  });
  if (response === 0) app.moveToApplicationsFolder();
}
