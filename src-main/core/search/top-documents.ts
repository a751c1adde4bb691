/** The best few of many scored documents, without sorting them all. */

/**
 * Numbers of the `limit` best documents, best first.
 * `isBetter(a, b)` must order every two different documents, or the answer depends on chance.
 */
export function topDocuments(
  documents: Iterable<number>,
  limit: number,
  isBetter: (a: number, b: number) => boolean,
): number[] {
  // A binary heap whose root is the worst of those kept.
  const heap: number[] = [];
  for (const document of documents) {
    if (heap.length < limit) {
      heap.push(document);
      siftUp(heap, isBetter);
    } else if (heap.length > 0 && isBetter(document, heap[0] ?? 0)) {
      heap[0] = document;
      siftDown(heap, isBetter);
    }
  }
  return heap.sort((a, b) => (isBetter(a, b) ? -1 : 1));
}

function siftUp(heap: number[], isBetter: (a: number, b: number) => boolean): void {
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isBetter(heap[parent] ?? 0, heap[child] ?? 0)) return;
    swap(heap, parent, child);
    child = parent;
  }
}

function siftDown(heap: number[], isBetter: (a: number, b: number) => boolean): void {
  let parent = 0;
  for (;;) {
    let worst = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      if (child < heap.length && isBetter(heap[worst] ?? 0, heap[child] ?? 0)) worst = child;
    }
    if (worst === parent) return;
    swap(heap, parent, worst);
    parent = worst;
  }
}

function swap(heap: number[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b] ?? 0, heap[a] ?? 0];
}
