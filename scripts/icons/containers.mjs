/** The two files that hold an icon in many sizes: .ico for Windows, .icns for macOS. Both take PNG as it is. */
import { Buffer } from 'node:buffer';

/** Kinds of picture in an .icns, by size; a kind for a display of twice the density has the same pixels. */
const icnsKinds = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic13', 256],
  ['ic09', 512],
  ['ic14', 512],
  ['ic10', 1024],
];

/** `pictures`: PNG by size, all of which go into the file. */
export function ico(pictures) {
  const chosen = [...pictures].sort(([a], [b]) => a - b);
  const header = Buffer.from([0, 0, 1, 0, chosen.length, 0]);
  let offset = header.length + 16 * chosen.length;
  const entries = chosen.map(([size, png]) => {
    const entry = Buffer.alloc(16);
    // 0 stands for 256; then no palette, one plane, 32 bits.
    entry.set([size % 256, size % 256, 0, 0, 1, 0, 32, 0]);
    entry.writeUInt32LE(png.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...chosen.map(([, png]) => png)]);
}

export function icns(pictures) {
  const parts = icnsKinds.map(([kind, size]) => block(kind, pictures.get(size)));
  return block('icns', Buffer.concat(parts));
}

function block(kind, content) {
  const head = Buffer.alloc(8);
  head.write(kind, 'latin1');
  head.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([head, content]);
}
