/** Saves a text or blob as a download. */

/** `type`: MIME type; default: plain text. */
export function saveText(text: string, fileName: string, type = 'text/plain'): void {
  saveBlob(new Blob([text], { type }), fileName);
}

export function saveBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download holds its own reference by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
