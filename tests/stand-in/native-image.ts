/** `nativeImage`: PNG bytes and their size. */
import { readFileSync } from 'node:fs';
import type { NativeImage as ElectronImage } from 'electron';
import { refuseUnwritten } from './refuse-unwritten.ts';

type Written = 'isEmpty' | 'toPNG' | 'getSize' | 'setTemplateImage' | 'isTemplateImage' | 'addRepresentation';

export class NativeImage implements Pick<ElectronImage, Written> {
  readonly #png: Buffer;
  #isTemplate = false;

  constructor(png: Buffer) {
    this.#png = png;
  }

  isEmpty = (): boolean => this.#png.length === 0;
  toPNG = (): Buffer => this.#png;
  setTemplateImage = (isTemplate: boolean): void => void (this.#isTemplate = isTemplate);
  isTemplateImage = (): boolean => this.#isTemplate;
  addRepresentation = (): void => undefined;

  getSize(): { width: number; height: number } {
    if (this.isEmpty()) return { width: 0, height: 0 };
    return { width: this.#png.readUInt32BE(16), height: this.#png.readUInt32BE(20) };
  }
}
refuseUnwritten(NativeImage.prototype, 'NativeImage');

/** An image that cannot be read is empty, as in Electron. */
export const nativeImage = {
  createEmpty: (): NativeImage => new NativeImage(Buffer.alloc(0)),
  createFromBuffer: (png: Buffer): NativeImage => new NativeImage(png),
  createFromPath(path: string): NativeImage {
    try {
      return new NativeImage(readFileSync(path));
    } catch {
      return new NativeImage(Buffer.alloc(0));
    }
  },
};
refuseUnwritten(nativeImage, 'nativeImage');
