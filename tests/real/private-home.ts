/**
 * A separate home for everything that a test starts, so that real client apps do not read or change the user's own
 * files.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Variables that programs need; any other might point to the user's own home. */
const kept = ['LANG', 'SystemRoot', 'ComSpec', 'PATHEXT', 'NODE_COMPILE_CACHE'];

export class PrivateHome implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tooltray-real-'));
  readonly env: Readonly<Record<string, string>>;
  /** An empty working folder, because client apps look for project files. */
  readonly workFolder: string;

  constructor() {
    this.workFolder = this.folder('work');
    const outer = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    this.env = {
      ...(Object.fromEntries(outer) as Record<string, string>),
      // The Node.js of the tests first, because client apps start `node` by name.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: this.folder('home'),
      USERPROFILE: this.folder('home'),
      TMPDIR: this.folder('tmp'),
      TOOLTRAY_HOME: this.folder('tooltray'),
    };
  }

  /** Creates a subfolder. */
  folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
