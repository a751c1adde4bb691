/** Required by Electron before the app: leaves the first dialog open, and says in the file TOOLTRAY_TEST_DIALOG that it is. */
const { writeFileSync } = module.require('node:fs');
const { dialog } = module.require('electron');

dialog.showMessageBox = (...words) => {
  writeFileSync(process.env.TOOLTRAY_TEST_DIALOG, JSON.stringify(words.at(-1)));
  return new Promise(() => undefined);
};
