/** Splits a byte stream into lines, in time linear to its length. */

const newline = 0x0a;

export function eachLine(stream, onLine) {
  let pending = [];
  stream.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const last = chunk.subarray(start, end);
      onLine((pending.length === 0 ? last : Buffer.concat([...pending, last])).toString('utf8'));
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  });
}
