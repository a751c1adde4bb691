/**
 * The six tasks of the trials as a careful model does them. What it has found out is written into a file at the end.
 */
import { needs } from './needs.mjs';

/** Resolves when all is done that could be done; `material.wrong()` says what is not. */
export async function doSixTasks(model) {
  await model.meetAll([needs.createEntities, needs.createRelations, needs.readBack]);
  const found = {
    note: await noteWithWord(model),
    commit: await commitOfFile(model),
    sum: await sumOf(model),
    row: await rowByName(model),
    tokyo: await timeInTokyo(model),
  };
  await model.meet(needs.writeFile, found);
}

/** By a search inside of files where there is one; else all of them are read. */
async function noteWithWord(model) {
  const { hand, material } = model;
  const { notes, word } = material;
  const searched = await model.meet(needs.searchInside);
  const hit = searched?.isError === false ? /note-\d+\.txt/.exec(searched.text)?.[0] : undefined;
  if (hit !== undefined) return hit;
  if (hand.canSift) {
    const [list, read] = await model.prepare([needs.listFolder, needs.readFile]);
    const { text } = await hand.filesWith({ list, read }, notes, word);
    return /note-\d+\.txt/.exec(text)?.[0];
  }
  const listed = await model.meet(needs.listFolder);
  const names = [...new Set(listed.text.match(/note-\d+\.txt/g))];
  const { text } = await model.meet(
    needs.readMany,
    names.map((name) => `${notes}/${name}`),
  );
  const before = text.slice(0, text.indexOf(word));
  return before.match(/note-\d+\.txt/g)?.at(-1);
}

async function commitOfFile(model) {
  const { text } = await model.meet(needs.commitsOf);
  return /\b[0-9a-f]{40}\b/.exec(text)?.[0];
}

async function sumOf(model) {
  const { text } = await model.meet(needs.sum);
  return Number(/\bis (\d+)/.exec(text)?.[1] ?? /(\d+)\D*$/.exec(text)?.[1]);
}

async function rowByName(model) {
  const { hand, material } = model;
  const { rows, row } = material;
  const isFound = (text) => idIn(text, row.name) !== undefined;
  if (hand.canSift) {
    for (;;) {
      const [read] = await model.prepare([needs.readFile]);
      const answer = await hand.rowNamed(read, rows, row.name);
      if (!model.isRefused(answer, read)) return idIn(answer.text, row.name);
    }
  }
  const { text } = await model.meet(needs.readFile);
  if (isFound(text)) return idIn(text, row.name);
  return idIn((await model.readOn(text, row, isFound)) ?? '', row.name);
}

/** The id next to the name, however the answer is laid out. */
function idIn(text, name) {
  const plain = text.replaceAll('\\"', '"');
  const at = plain.indexOf(name);
  if (at < 0) return undefined;
  const object = plain.slice(plain.lastIndexOf('{', at) + 1, at);
  const id = [...object.matchAll(/\bid\b"?\s*:\s*(\d+)/g)].at(-1)?.[1];
  return id === undefined ? undefined : Number(id);
}

async function timeInTokyo(model) {
  const { text } = await model.meet(needs.convertTime);
  const beside = /(\d\d:\d\d)[^=]*Asia\/Tokyo/.exec(text.slice(text.indexOf('=') + 1))?.[1];
  return beside ?? /"to":"[^"]*T(\d\d:\d\d)/.exec(text)?.[1];
}
