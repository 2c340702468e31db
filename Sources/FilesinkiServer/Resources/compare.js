'use strict';
// How two or three contents differ: by lines, by the members of JSON, by the cells of a table.
// Pure functions; nothing here touches the page or the server.

// The lines of a text; a last newline does not begin another one.
function textLines(text) {
  const lines = text.split('\n');
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop();
  return lines;
}

// The pairs of equal lines of two texts, in order: what both begin and end with, and a longest common subsequence of
// the rest. If that would take too long, the rest has no pairs.
function commonLines(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const pairs = Array.from({ length: start }, (_, index) => [index, index]);
  const rows = a.length - end - start;
  const columns = b.length - end - start;
  if (rows * columns <= 4000000) {
    const width = columns + 1;
    const lengths = new Uint32Array((rows + 1) * width);
    for (let i = rows - 1; i >= 0; i -= 1) {
      for (let j = columns - 1; j >= 0; j -= 1) {
        lengths[i * width + j] = a[start + i] === b[start + j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      }
    }
    for (let i = 0, j = 0; i < rows && j < columns;) {
      if (a[start + i] === b[start + j]) {
        pairs.push([start + i, start + j]);
        i += 1;
        j += 1;
      } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
        i += 1;
      } else {
        j += 1;
      }
    }
  }
  for (let index = end; index > 0; index -= 1) pairs.push([a.length - index, b.length - index]);
  return pairs;
}

// The parts in which a text differs from its base: from and to which line of each.
function changedParts(base, own) {
  const parts = [];
  let [i, j] = [0, 0];
  for (const [inBase, inOwn] of [...commonLines(base, own), [base.length, own.length]]) {
    if (inBase > i || inOwn > j) parts.push({ from: i, to: inBase, ownFrom: j, ownTo: inOwn });
    [i, j] = [inBase + 1, inOwn + 1];
  }
  return parts;
}

// Whether two parts change the same lines of the base, or add lines at the same place.
function isSamePlace(a, b) {
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
  if (from < to || (a.from === b.from && a.to === b.to)) return true;
  const [empty, other] = a.from === a.to ? [a, b] : [b, a];
  return empty.from === empty.to && other.from < empty.from && empty.from < other.to;
}

// How each line of a base and of its versions is marked: as `added` in a version, as `removed` from the base, as one of a
// place that both versions changed, or not at all. A version that is not known has no lines.
function lineMarks(base, versions) {
  const marks = [base, ...versions].map((lines) => new Array((lines ?? []).length).fill(null));
  const parts = versions.map((lines) => lines === null ? [] : changedParts(base, lines));
  parts.forEach((own, index) => {
    const others = parts.filter((_, other) => other !== index).flat();
    for (const part of own) {
      const isBoth = others.some((other) => isSamePlace(part, other));
      marks[index + 1].fill(isBoth ? 'bothAdded' : 'added', part.ownFrom, part.ownTo);
      for (let line = part.from; line < part.to; line += 1) {
        const isGoneInBoth = others.some((other) => other.from <= line && line < other.to);
        marks[0][line] = isGoneInBoth ? 'bothRemoved' : 'removed';
      }
    }
  });
  return marks;
}

// The difference of two texts as `diff -u` prints it, without names and numbers of lines; empty for equal texts.
function unifiedLines(older, newer) {
  const steps = [];
  let [i, j] = [0, 0];
  const skip = (toOld, toNew) => {
    for (; i < toOld; i += 1) steps.push({ mark: '-', text: older[i], i, j });
    for (; j < toNew; j += 1) steps.push({ mark: '+', text: newer[j], i, j });
  };
  for (const [inOld, inNew] of commonLines(older, newer)) {
    skip(inOld, inNew);
    steps.push({ mark: ' ', text: older[i], i, j });
    i += 1;
    j += 1;
  }
  skip(older.length, newer.length);
  const context = 3;
  const isNear = new Array(steps.length).fill(false);
  steps.forEach((step, index) => {
    if (step.mark !== ' ') isNear.fill(true, Math.max(0, index - context), index + context + 1);
  });
  const lines = [];
  steps.forEach((step, index) => {
    if (!isNear[index]) return;
    if (index === 0 || !isNear[index - 1]) lines.push(`@@ -${step.i + 1} +${step.j + 1} @@`);
    lines.push(step.mark + step.text);
  });
  return lines;
}

// The longest text of all names of a document: a small one with deep names could have names of gigabytes.
const longestPointers = 8000000;

// The values of a JSON document by their pointer (RFC 6901): scalars, and empty containers.
function jsonLeaves(value, pointer, leaves) {
  if (value !== null && typeof value === 'object') {
    const names = Object.keys(value);
    if (names.length > 0) {
      for (const name of names) {
        const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
        jsonLeaves(value[name], `${pointer}/${step}`, leaves);
      }
      return leaves;
    }
  }
  leaves.length = (leaves.length ?? 0) + pointer.length;
  if (leaves.length > longestPointers) throw new RangeError('too many names');
  leaves.set(pointer, JSON.stringify(value));
  return leaves;
}

// The rows of a CSV text (RFC 4180).
function csvRows(text) {
  const rows = [];
  let row = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else if (c === '"') {
        quoted = false;
      } else {
        cell += c;
      }
    } else if (c === '"' && cell === '') {
      quoted = true;
    } else if (c === ',') {
      row.push(cell);
      cell = '';
    } else if (c === '\n') {
      row.push(cell.endsWith('\r') ? cell.slice(0, -1) : cell);
      rows.push(row);
      row = [];
      cell = '';
    } else {
      cell += c;
    }
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

// The names of the columns of a CSV text, and its rows. Nil if the rows have different lengths.
function csvTable(text) {
  const rows = csvRows(text);
  const head = rows.shift();
  if (head === undefined || head.length < 2 || rows.some((row) => row.length !== head.length)) return null;
  return { head, rows };
}

// The column that identifies the rows of all tables, as the merge chooses it: the first one without empty and equal cells,
// those that are called as keys are before others. Undefined if there is none.
function keyColumn(tables) {
  const common = tables[0].head.filter((name) => tables.every(({ head }) => head.includes(name)));
  const likely = ['id', 'uuid', 'key', 'name'].flatMap((name) => common.filter((column) => column.toLowerCase() === name));
  return [...likely, ...common].find((name) => tables.every(({ head, rows }) => {
    const cells = rows.map((row) => row[head.indexOf(name)]);
    return !cells.includes('') && new Set(cells).size === cells.length;
  }));
}

// The cells of a table by row and column: rows by their cell in the key column if there is one, else by their number.
function csvCells({ head, rows }, key) {
  const place = head.indexOf(key);
  const cells = new Map();
  rows.forEach((row, number) => {
    row.forEach((cell, column) => {
      const name = place >= 0 ? row[place] : `row ${number + 1}`;
      cells.set(`${name}, ${head[column]}`, cell);
    });
  });
  return cells;
}

// What differs between the values of several versions by name, at most `limit` rows: the name, then the values.
function differingValues(versions, limit) {
  const names = new Set(versions.flatMap((version) => [...version.keys()]));
  const rows = [];
  for (const name of names) {
    const values = versions.map((version) => version.get(name));
    if (values.every((value) => value === values[0])) continue;
    if (rows.length === limit) break;
    rows.push([name, ...values]);
  }
  return rows;
}

// The values of versions that can be compared by name: members of JSON, or cells of CSV. Nil if
// they cannot.
function comparableValues(name, texts) {
  try {
    if (/\.csv$/i.test(name)) {
      const tables = texts.map((text) => csvTable(text));
      if (tables.includes(null)) return null;
      const key = keyColumn(tables);
      return { kind: 'Cell', versions: tables.map((table) => csvCells(table, key)) };
    }
    const leaves = texts.map((text) => (text.trim() === '' ? new Map() : jsonLeaves(JSON.parse(text), '', new Map())));
    return { kind: 'Member', versions: leaves };
  } catch {
    return null;
  }
}

// A text without characters that would hide or reorder others. They are written as the command line writes them.
function visible(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu,
    (c) => [...new TextEncoder().encode(c)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));
}

// The longest line that is shown, in characters: a browser takes minutes to break one of megabytes.
const longestLine = 4000;

// A line of a content, with its tabs.
function visibleLine(line) {
  const shown = line.slice(0, longestLine).split('\t').map((part) => visible(part)).join('\t');
  return line.length > longestLine ? `${shown} … ${(line.length - longestLine).toLocaleString()} more characters` : shown;
}

// The type of an image that a browser shows without running anything of it; nil for anything else.
function imageType(bytes) {
  const starts = (...first) => first.every((byte, index) => bytes[index] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57 && bytes[9] === 0x45) return 'image/webp';
  return null;
}

// The text of a content; nil if it is not UTF-8 or has NUL bytes.
function contentText(bytes) {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

// The days of a store's growth as at most `limit` periods without gaps: days, weeks that begin on Mondays, or months. Of
// more than `limit` months, the last ones.
function growthPeriods(days, limit) {
  const length = 86400000;
  const begins = {
    day: (time) => time,
    week: (time) => time - ((time / length + 3) % 7) * length,
    month: (time) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth(), 1),
  };
  const next = {
    day: (time) => time + length,
    week: (time) => time + 7 * length,
    month: (time) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + 1, 1),
  };
  const read = days.map((day) => ({ ...day, time: Date.parse(`${day.day}T00:00:00Z`) })).filter((day) => day.time >= 0);
  const last = read.reduce((latest, day) => Math.max(latest, day.time), 0);
  for (const unit of ['day', 'week', 'month']) {
    const first = begins[unit](read.reduce((earliest, day) => Math.min(earliest, day.time), last));
    const periods = new Map();
    for (let time = first; time <= last && periods.size <= 12000; time = next[unit](time)) {
      periods.set(time, { begin: new Date(time).toISOString().slice(0, 10), stored: 0, freed: 0, commits: 0 });
    }
    if (periods.size > limit && unit !== 'month') continue;
    for (const day of read) {
      const period = periods.get(begins[unit](day.time));
      if (period === undefined) continue;
      period.stored += day.stored_bytes;
      period.freed += day.freed_bytes;
      period.commits += day.commits;
    }
    return { unit, periods: [...periods.values()].slice(-limit) };
  }
  return { unit: 'month', periods: [] };
}
