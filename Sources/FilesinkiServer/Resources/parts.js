'use strict';
// Parts of views that both pages have.

// The largest content that is shown, in bytes, and the most lines of one.
const largestShown = 4000000;
const mostLines = 5000;

function tooLarge(size) {
  return h('p', { class: 'soft' }, `It has ${sizeText(size)}, which is too large to show here.`);
}

function fact(name, value) { return [h('dt', {}, name), h('dd', {}, value)]; }

function countsText(commit) {
  const counts = ['added', 'modified', 'deleted', 'renamed'].filter((kind) => commit[kind] > 0);
  return counts.map((kind) => `${commit[kind].toLocaleString()} ${kind}`).join(', ') || otherWords(commit);
}

// What a commit did that changed no path, as `log` says it.
function otherWords(commit) {
  const kept = commit.superseded ?? 0;
  return kept > 0 ? `${kept.toLocaleString()} ${kept === 1 ? 'version' : 'versions'} kept aside` : visible(commit.operation ?? '');
}

function commitWords(commit) {
  const paths = (commit.paths ?? []).map(listedPath);
  const renames = new Map((commit.renames ?? []).map((line) => [pathHash('', pathValues(line)), line]));
  const renameOf = (path) => renames.get(pathHash('', path));
  const origin = (path) => {
    const line = renameOf(path);
    return line === undefined ? null : [pathName(pathValues(line, 'moved_from')), ' → '];
  };
  const edited = (path) => renameOf(path)?.edited ? ', edited' : null;
  // A renamed folder stands for all that is in it.
  const more = commit.renamed > 0 ? 0 : commit.added + commit.modified + commit.deleted - paths.length;
  return h('div', {}, countsText(commit),
    paths.map((path) => h('div', {}, origin(path), h('a', { href: pathHash('versions', path) }, pathName(path)), edited(path))),
    more > 0 ? h('div', { class: 'soft' }, `and ${more.toLocaleString()} more`) : null);
}

function changeWord(line) {
  if (line.superseded) return 'superseded';
  if (line.kind === 'tombstone') return 'deleted';
  if (line.moved_from !== undefined) return 'renamed';
  return line.based_on === 0 ? 'added' : 'modified';
}

// Why a version was made, where that is no ordinary edit.
const reasonWords = {
  resolve: 'a conflict was resolved', restore: 'an older version was restored', undelete: 'brought back', 'conflict-copy': 'conflict copy',
  'edit-beats-delete': 'one side edited it, the other deleted it; the edit was kept',
  'delete-beats-edit': 'one side edited it, the other deleted it; deleted, as on-delete says',
  'both-names': 'both sides renamed it', 'renamed-and-edited': 'edited, too', 'later-time': 'both sides changed only the time', 'committed-mode': 'both sides changed the mode',
};

// The permission bits without the zeros in front: 644.
function modeWords(line) { return line.mode.replace(/^0+(?=\d)/, ''); }

// What differs of two versions that have the same content; null where the contents differ, or nothing does.
function sameContentWords(older, newer) {
  if (older.content === undefined || older.content !== newer.content) return null;
  const [from, to] = [older, newer].map(modeWords);
  if (from !== to) return `Only the mode differs: ${from} and ${to}.`;
  return older.modified === newer.modified ? null : 'Only the time differs.';
}

// What happened in a version, and what has become of it.
function versionWords(line) {
  const kind = { directory: 'folder', symlink: 'symlink' }[line.kind];
  const origin = line.moved_from === undefined ? null : `from ${line.moved_from}`;
  const reason = reasonWords[line.reason] ?? (line.reason?.startsWith('auto:') ? `both edits kept, merged by ${line.reason}` : line.reason);
  return visible([[line.moved_to === undefined ? changeWord(line) : `renamed to ${line.moved_to}`, origin].filter((word) => word).join(' '), kind, reason, line.pruned && 'removed by a prune', line.lost && 'lost']
    .filter((word) => word).join(', '));
}

// Shows what a button brought, with a heading that has the focus: it is read out, and the next key scrolls there.
function fill(place, button, title, ...parts) {
  const heading = h('h3', { tabindex: '-1' }, title);
  const close = action('Close', { 'aria-label': `Close ${title}` }, opened(place, () => button));
  place.replaceChildren(h('div', { class: 'row' }, heading, close), ...parts.flat());
  heading.focus();
  place.scrollIntoView({ block: 'nearest' });
}

// A difference as `diff` prints it.
function differenceElement(lines) {
  const names = lines[0]?.startsWith('--- ') ? 2 : 0;
  return h('pre', { class: 'side', tabindex: '0', role: 'region', 'aria-label': 'Difference' },
    lines.slice(0, mostLines).map((line, index) => {
      const name = index < names ? 'span' : line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : 'span';
      const kind = { ins: 'line added', del: 'line removed', span: 'line' }[name];
      return h(name, { class: kind }, visibleLine(line));
    }), moreLines(lines));
}

// What says how many lines are not shown; nothing if all are.
function moreLines(lines) {
  return lines.length > mostLines ? h('span', { class: 'line' }, `… ${countText(lines.length - mostLines, 'more line')}`) : null;
}

function differenceElements(result) {
  const differences = result.lines.filter((line) => line.type === 'difference');
  if (differences.length === 0) return [h('p', {}, failureOf(result) ?? 'They are equal.')];
  return differences.map((difference) => differenceElement(textLines(difference.diff)));
}

// How a line is shown that has a mark: its element, class and sign, and what that says.
const lineKinds = {
  added: ['ins', 'added', '+', 'changed or new here only'],
  removed: ['del', 'removed', '−', 'changed or deleted on one side'],
  bothAdded: ['ins', 'both', '!', 'changed on both sides'],
  bothRemoved: ['del', 'both', '!', 'changed or deleted on both sides'],
};

function lineElement(text, mark) {
  if (!mark) return h('span', { class: 'line' }, text);
  const [name, kind, sign, words] = lineKinds[mark];
  return h(name, { class: `line ${kind}`, 'data-sign': sign, title: words }, text);
}

// A content as text by lines, as a picture, or by its size. With marks, each line has one or none.
function contentElement(bytes, marks, label) {
  if (bytes === null) return h('p', { class: 'soft' }, 'No content.');
  const image = imageType(bytes);
  if (image) {
    const url = URL.createObjectURL(new Blob([bytes], { type: image }));
    return h('img', { src: url, alt: `Picture of ${sizeText(bytes.length)}`, onload: () => URL.revokeObjectURL(url) });
  }
  const text = contentText(bytes);
  if (text === null) return h('p', { class: 'soft' }, `Not text: ${sizeText(bytes.length)}.`);
  if (text === '') return h('p', { class: 'soft' }, 'An empty file.');
  const lines = textLines(text);
  // The line ends of Windows are not shown as characters; one among others is.
  const isWindows = lines.every((line) => line.endsWith('\r'));
  return h('pre', { tabindex: '0', role: 'region', class: marks ? 'marked' : null,
    'aria-label': `Text${label === undefined ? '' : `, ${label}`}` },
  lines.slice(0, mostLines).map((line, index) => lineElement(visibleLine(isWindows ? line.slice(0, -1) : line), marks?.[index])),
  moreLines(lines));
}

// A part of a view that takes longer than the rest. `words` stand in its place until then; if the view has shown the
// part before, by this name, that does.
function later(name, words, parts) {
  const earlier = frame.shown.get(name);
  const element = h('div', { 'aria-busy': 'true' }, earlier?.cloneNode(true) ?? h('p', { class: 'soft' }, words));
  parts.catch((error) => [h('p', {}, error.message)]).then((found) => {
    const whole = h('div', {}, found);
    if (name !== null) frame.shown.set(name, whole);
    replaceParts(element, [whole]);
    element.removeAttribute('aria-busy');
  });
  return element;
}

// A table of which a page is shown at first, with a field that looks for a text. `found` is told what is left.
function listing(caption, heads, items, text, row, found = () => {}) {
  const length = 200;
  const place = h('div', {});
  const count = h('span', { class: 'soft', role: 'status' });
  const field = h('input', { id: 'filter', type: 'search', autocomplete: 'off', spellcheck: 'false' });
  const fillRows = (chosen, shown) => {
    const more = chosen.length > shown ? action(`Show ${Math.min(length, chosen.length - shown).toLocaleString()} more`, {}, () => {
      const focused = shown;
      fillRows(chosen, shown + length);
      place.querySelectorAll('tbody tr')[focused]?.querySelector('a, button')?.focus();
    }) : null;
    place.replaceChildren(...[
      chosen.length === 0 ? h('p', {}, 'Nothing has this in its path.') : table(caption, heads, chosen.slice(0, shown).map(row)), more,
    ].filter((part) => part !== null));
  };
  const look = () => {
    const words = field.value.toLowerCase();
    const chosen = words === '' ? items : items.filter((item) => text(item).toLowerCase().includes(words));
    count.textContent = words === '' ? '' : `${chosen.length.toLocaleString()} of ${items.length.toLocaleString()}`;
    found(chosen, words !== '');
    fillRows(chosen, length);
  };
  field.addEventListener('input', look);
  look();
  return [items.length < 10 ? null : h('div', { class: 'row' }, h('label', { for: 'filter' }, 'Path contains'), field, count), place];
}

// What differs between values that have names: cells, members. `heads` are the names of the versions.
function valuesTable(kind, heads, rows) {
  const value = (text) => text === undefined ? h('span', { class: 'soft' }, 'none') : h('code', {}, visible(text));
  return table(`What differs, by ${kind.toLowerCase()}`,
    [{ text: kind, isName: true }, ...heads.map((text) => ({ text }))],
    rows.map(([name, ...values]) => [visible(name), ...values.map(value)]));
}

// A folder leads to what is in it, a file to its versions.
function sizeLink(line) {
  const path = pathValues(line);
  return line.kind === 'directory'
    ? h('a', { href: pathHash('space', path) }, pathName(path), '/')
    : h('a', { href: pathHash('versions', path) }, pathName(path));
}

// The folders above a path, as links.
function ways(view, path, all) {
  if (path === null) return null;
  // The bytes of a name that is not text cannot be cut here.
  const names = path.path_bytes === undefined ? path.path.split('/').slice(0, -1) : [];
  const folders = names.map((_, index) => ({ path: names.slice(0, index + 1).join('/') }));
  return h('nav', { 'aria-label': 'Folders above' }, h('ol', { class: 'ways' },
    h('li', {}, h('a', { href: `#/${view}` }, all)),
    folders.map((folder, index) => h('li', {}, h('a', { href: pathHash(view, folder) }, h('bdi', {}, visible(names[index])))))));
}

// The largest of some things, with bars.
function meters(caption, rows, name, bytes, column = 'Stored') {
  const most = rows.reduce((largest, row) => Math.max(largest, bytes(row)), 1);
  const shown = rows.slice(0, 30);
  if (shown.length === 0) return null;
  return [table(caption, [{ text: 'What', isName: true }, { text: column, number: true }, { text: 'Share of the largest' }],
    shown.map((row) => {
      const bar = h('span', {});
      bar.style.width = `${Math.round(100 * bytes(row) / most)}%`;
      return [name(row), sizeText(bytes(row)), h('span', { class: 'meter', 'aria-hidden': 'true' }, bar)];
    })), rows.length > shown.length ? h('p', { class: 'soft' }, `and ${countText(rows.length - shown.length, 'smaller one')}`) : null];
}

// How a store grew: a bar for each day, week or month, and the same as a table.
function growthElement(growth, total) {
  const days = growth ?? [];
  if (days.length === 0) return null;
  const { unit, periods } = growthPeriods(days, 60);
  const most = Math.max(1, ...periods.map((period) => period.stored));
  const stored = periods.reduce((sum, period) => sum + period.stored, 0);
  const freed = periods.reduce((sum, period) => sum + period.freed, 0);
  // A week or a month may begin before the first commit does.
  const begin = days.reduce((earliest, { day }) => day < earliest ? day : earliest, days[0].day);
  const words = `From ${begin > periods[0].begin ? begin : periods[0].begin} on ${sizeText(stored)} were added and ${sizeText(freed)} were freed; ` +
    `the contents take ${sizeText(total)} now.`;
  const bars = periods.map((period, index) => {
    const height = Math.max(period.stored > 0 ? 1 : 0, Math.round(100 * period.stored / most));
    return svg('rect', { class: 'bar', x: index * 10 + 1, y: 100 - height, width: 8, height });
  });
  // A few periods do not fill the width, as if they were all there is to come.
  const width = Math.max(periods.length, 20) * 10;
  return h('section', { 'aria-label': 'Growth' }, h('h3', {}, 'Growth'), h('p', {}, words),
    svg('svg', { class: 'growth', viewBox: `0 0 ${width} 100`, preserveAspectRatio: 'none', role: 'img',
      'aria-label': `Bytes stored by ${unit}; the largest is ${sizeText(most)}. The table below has the numbers.` },
      ...bars),
    h('p', { class: 'axis soft', 'aria-hidden': 'true' },
      periods.length < 20 ? null : h('span', {}, periods[0].begin),
      h('span', {}, `A bar is a ${unit}; the highest is ${sizeText(most)}.`),
      periods.length < 20 ? null : h('span', {}, periods[periods.length - 1].begin)),
    h('details', {}, h('summary', {}, 'As a table'), table(`Bytes stored by ${unit}`,
      [{ text: unit === 'day' ? 'Day' : `${unit[0].toUpperCase()}${unit.slice(1)} from`, isName: true, nowrap: true },
        { text: 'Added', number: true }, { text: 'Freed', number: true }, { text: 'Commits', number: true }],
      periods.filter((period) => period.commits > 0).map((period) => [period.begin, sizeText(period.stored),
        sizeText(period.freed), period.commits.toLocaleString()]))));
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
