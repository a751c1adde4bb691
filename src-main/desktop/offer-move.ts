/**
 * Asks the user to move the app to a permanent location if macOS runs it from one that changes, because client apps
 * could not start it.
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
