'use strict';
// Parts of views that both pages have.

function fact(name, value) { return [h('dt', {}, name), h('dd', {}, value)]; }

function countsText(commit) {
  const counts = ['added', 'modified', 'deleted', 'renamed'].filter((kind) => commit[kind] > 0);
  return counts.map((kind) => `${commit[kind].toLocaleString()} ${kind}`).join(', ') || visible(commit.operation ?? '');
}

function commitWords(commit) {
  const paths = (commit.paths ?? []).map(listedPath);
  return h('div', {}, countsText(commit),
    paths.map((path) => h('div', {}, h('a', { href: pathHash('versions', path) }, pathName(path)))));
}

// Shows what a button brought, with a heading that has the focus: it is read out, and the next key scrolls there.
function fill(place, title, ...parts) {
  const heading = h('h3', { tabindex: '-1' }, title);
  place.replaceChildren(heading, ...parts.flat());
  heading.focus();
  place.scrollIntoView({ block: 'nearest' });
}

// A difference as `diff` prints it.
function differenceElement(lines) {
  return h('pre', { class: 'side', tabindex: '0', role: 'region', 'aria-label': 'Difference' }, lines.map((line) => {
    const name = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : 'span';
    const kind = { ins: 'line added', del: 'line removed', span: 'line' }[name];
    return h(name, { class: kind }, visible(line));
  }));
}

function differenceElements(result) {
  const differences = result.lines.filter((line) => line.type === 'difference');
  if (differences.length === 0) return [h('p', {}, failureOf(result) ?? 'They are equal.')];
  return differences.map((difference) => differenceElement(textLines(difference.diff)));
}

// A content as text by lines, as a picture, or by its size.
function contentElement(bytes, changed, label) {
  if (bytes === null) return h('p', { class: 'soft' }, 'No content.');
  const image = imageType(bytes);
  if (image) {
    const url = URL.createObjectURL(new Blob([bytes], { type: image }));
    return h('img', { src: url, alt: `Picture of ${sizeText(bytes.length)}`, onload: () => URL.revokeObjectURL(url) });
  }
  const text = contentText(bytes);
  if (text === null) return h('p', { class: 'soft' }, `Not text: ${sizeText(bytes.length)}.`);
  const lines = textLines(text);
  const shown = lines.slice(0, 5000);
  return h('pre', { tabindex: '0', role: 'region', 'aria-label': `Text${label === undefined ? '' : `, ${label}`}` },
    shown.map((line, index) => h(changed?.[index] ? 'ins' : 'span',
      { class: `line${changed?.[index] ? ' added' : ''}` }, visible(line))),
    lines.length > shown.length ? h('span', { class: 'line' }, `… ${countText(lines.length - shown.length, 'more line')}`) : null);
}

// What differs between values that have names: cells, members. `heads` are the names of the versions.
function valuesTable(kind, heads, rows) {
  const value = (text) => text === undefined ? h('span', { class: 'soft' }, 'none') : h('code', {}, visible(text));
  return table(`What differs, by ${kind.toLowerCase()}`,
    [{ text: kind, isName: true }, ...heads.map((text) => ({ text }))],
    rows.map(([name, ...values]) => [visible(name), ...values.map(value)]));
}

function meters(caption, rows, name, bytes, column = 'Stored') {
  const most = Math.max(1, ...rows.map(bytes));
  const shown = rows.slice(0, 30);
  if (shown.length === 0) return null;
  return table(caption, [{ text: 'What', isName: true }, { text: column, number: true }, { text: 'Share of the largest' }],
    shown.map((row) => {
      const bar = h('span', {});
      bar.style.width = `${Math.round(100 * bytes(row) / most)}%`;
      return [name(row), sizeText(bytes(row)), h('span', { class: 'meter', 'aria-hidden': 'true' }, bar)];
    }));
}

// How a store grew: a bar for each day, week or month, and the same as a table.
function growthElement(growth, total) {
  const days = growth ?? [];
  if (days.length === 0) return null;
  const { unit, periods } = growthPeriods(days, 60);
  const most = Math.max(1, ...periods.map((period) => period.stored));
  const stored = periods.reduce((sum, period) => sum + period.stored, 0);
  const freed = periods.reduce((sum, period) => sum + period.freed, 0);
  const words = `From ${periods[0].begin} on ${sizeText(stored)} were added and ${sizeText(freed)} were freed; ` +
    `the contents take ${sizeText(total)} now.`;
  const bars = periods.map((period, index) => {
    const height = Math.max(period.stored > 0 ? 1 : 0, Math.round(100 * period.stored / most));
    return svg('rect', { class: 'bar', x: index * 10 + 1, y: 100 - height, width: 8, height });
  });
  const width = periods.length * 10;
  return h('section', { 'aria-label': 'Growth' }, h('h3', {}, 'Growth'), h('p', {}, words),
    svg('svg', { class: 'growth', viewBox: `0 0 ${width} 100`, preserveAspectRatio: 'none', role: 'img',
      'aria-label': `Bytes stored by ${unit}; the largest is ${sizeText(most)}. The table below has the numbers.` },
      ...bars),
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
