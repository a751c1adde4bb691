/**
 * Asks to be moved where macOS starts an app from the same place each time; from elsewhere client apps cannot start it.
 */
import { app, dialog } from 'electron';

export async function offerMove(): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: 'Move Tooltray to the Applications folder?',
    detail:
      'macOS runs apps outside the Applications folder from a random location, so client apps could not start Tooltray.',
    buttons: ['Move', 'Not now'],
    defaultId: 0,
    cancelId: 1,
  });
  if (response === 0) app.moveToApplicationsFolder();
}
