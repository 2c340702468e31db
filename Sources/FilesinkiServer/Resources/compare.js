'use strict';
// How two or three contents differ: by lines, by the members of JSON, by the cells of a table.
// Pure functions; nothing here touches the page or the server.

// The lines of a text; a last newline does not begin another one.
function textLines(text) {
  const lines = text.split('\n');
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop();
  return lines;
}

// Which lines of `ours` are not in `base` at their place: a longest common subsequence, after what both
// begin and end with. Beyond the limit all lines between count as changed.
function changedLines(base, ours) {
  let start = 0;
  while (start < base.length && start < ours.length && base[start] === ours[start]) start += 1;
  let end = 0;
  while (end < base.length - start && end < ours.length - start &&
         base[base.length - 1 - end] === ours[ours.length - 1 - end]) end += 1;
  const changed = new Array(ours.length).fill(false);
  const a = base.slice(start, base.length - end);
  const b = ours.slice(start, ours.length - end);
  for (let i = 0; i < b.length; i += 1) changed[start + i] = true;
  if (a.length * b.length > 4000000) return changed;
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      changed[start + j] = false;
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
      i += 1;
    } else {
      j += 1;
    }
  }
  return changed;
}

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

// The cells of a table by row and column: rows by their first cell if that is different in each row, else
// by their number. Nil if the rows have different lengths.
function csvCells(text) {
  const rows = csvRows(text);
  const head = rows.shift();
  if (head === undefined || head.length < 2 || rows.some((row) => row.length !== head.length)) return null;
  const isKeyed = new Set(rows.map((row) => row[0])).size === rows.length;
  const cells = new Map();
  rows.forEach((row, number) => {
    row.forEach((cell, column) => {
      const name = isKeyed ? row[0] : `row ${number + 1}`;
      cells.set(`${name}, ${head[column]}`, cell);
    });
  });
  return cells;
}

// What differs between the values of three versions by name, at most `limit`: [name, base, here, there].
function differingValues(base, here, there, limit) {
  const names = new Set([...base.keys(), ...here.keys(), ...there.keys()]);
  const rows = [];
  for (const name of names) {
    const values = [base.get(name), here.get(name), there.get(name)];
    if (values[0] === values[1] && values[0] === values[2]) continue;
    if (rows.length === limit) break;
    rows.push([name, ...values]);
  }
  return rows;
}

// The values of three versions that can be compared by name: members of JSON, or cells of CSV. Nil if
// they cannot.
function comparableValues(name, texts) {
  try {
    if (/\.csv$/i.test(name)) {
      const cells = texts.map((text) => csvCells(text));
      return cells.includes(null) ? null : { kind: 'Cell', versions: cells };
    }
    const leaves = texts.map((text) => (text.trim() === '' ? new Map() : jsonLeaves(JSON.parse(text), '', new Map())));
    return { kind: 'Member', versions: leaves };
  } catch {
    return null;
  }
}

// A text without characters that would hide or reorder others.
function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
