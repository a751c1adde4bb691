/** Shows notifications of the system. */
import { Notification } from 'electron';

/** Answers whether this system has any. */
export function notify(title: string, body: string, onClick: () => void): boolean {
  if (!Notification.isSupported()) return false;
  const notification = new Notification({ title, body });
  notification.on('click', onClick);
  notification.show();
  return true;
}
