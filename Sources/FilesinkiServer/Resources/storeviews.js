'use strict';
// What each view of a store shows. Lists come in pages; a button brings the next one.

const pageLength = 100;

// A list whose next page a button brings. `ask` is called with the last line of the page before, nothing at first;
// `add` puts lines into the element.
async function paged(element, length, ask, add) {
  const next = async (last) => {
    const lines = await ask(last);
    add(lines);
    if (lines.length < length) return null;
    const more = action('Show more', {}, async () => {
      const following = await next(lines[lines.length - 1]);
      const parent = more.parentElement;
      parent.dataset.open = '';
      more.remove();
      if (following) parent.append(following);
      (following ?? document.querySelector('main h2'))?.focus();
    });
    return more;
  };
  const more = await next(undefined);
  return h('div', {}, element, more);
}

// A table of pages.
async function pagedTable(caption, heads, length, ask, row) {
  const element = table(caption, heads, []);
  const body = element.querySelector('tbody');
  let count = 0;
  const whole = await paged(element, length, ask, (lines) => {
    count += lines.length;
    body.append(...table('', heads, lines.map(row)).querySelector('tbody').children);
  });
  return count === 0 ? null : whole;
}

function pathArgument(path) {
  return path === null ? {} : path.path_bytes === undefined ? { path: path.path } : { path_bytes: path.path_bytes };
}

function after(line) {
  if (line === undefined) return {};
  return line.path_bytes === undefined ? { after: line.path } : { after_bytes: line.path_bytes };
}

// The history by days, each commit with its changes.
async function timeline() {
  const element = h('div', { class: 'timeline' });
  const days = new Map();
  const whole = await paged(element, pageLength,
    (last) => call('log', { limit: pageLength, before: last?.sequence }), (lines) => {
      if (days.size === 0) announce(lines[0]);
      for (const commit of lines) {
        const day = new Date(commit.time.replace(/(\.\d{3})\d*/, '$1')).toLocaleDateString(undefined, { dateStyle: 'full' });
        if (!days.has(day)) {
          const list = h('ol', { class: 'commits' });
          days.set(day, list);
          element.append(h('h3', {}, day), list);
        }
        days.get(day).append(commitItem(commit));
      }
    });
  return [h('h2', {}, 'History'), days.size === 0 ? h('p', {}, 'No commit yet.') : whole];
}

function commitItem(commit) {
  const place = h('div', {});
  let close = () => {};
  const time = new Date(commit.time.replace(/(\.\d{3})\d*/, '$1')).toLocaleTimeString(undefined, { timeStyle: 'short' });
  const button = action('Changes', { 'aria-expanded': 'false', 'aria-label': `Changes of commit ${commit.sequence}` }, async () => {
    if (button.getAttribute('aria-expanded') === 'true') return close();
    place.replaceChildren(await changeList(commit));
    button.setAttribute('aria-expanded', 'true');
    close = opened(place, () => button, () => {
      place.replaceChildren();
      button.setAttribute('aria-expanded', 'false');
    });
  });
  return h('li', {}, h('div', { class: 'row' },
    h('span', { class: 'soft' }, `${commit.sequence}`), time, h('bdi', {}, visible(commit.device)),
    h('span', {}, countsText(commit)), button), place);
}

function changeList(commit) {
  const list = h('ul', { class: 'changes' });
  return paged(list, pageLength, (last) => call('changes', { version: commit.sequence, limit: pageLength, ...after(last) }),
    (lines) => list.append(...lines.map((line) => changeItem(line))));
}

function changeItem(line) {
  const path = pathValues(line);
  const place = h('div', {});
  const isCompared = line.kind === 'file' && line.based_on > 0 && !line.superseded;
  return h('li', {}, h('div', { class: 'row' },
    h('span', { class: 'kind' }, changeWord(line)),
    h('a', { href: pathHash('versions', path) }, pathName(path)),
    line.moved_from === undefined ? null : h('span', { class: 'soft' }, 'from ', pathName(pathValues(line, 'moved_from'))),
    line.size === undefined ? null : h('span', { class: 'soft' }, sizeText(line.size)),
    isCompared ? compareButton(path, line, place) : null), place);
}

// Compares a version with the one that it replaced, which had the same path: that of a rename replaced none, or another file.
function compareButton(path, line, place) {
  const label = `Compare version ${line.version} of ${visible(path.path)}`;
  return action('Compare', { 'aria-label': label }, async (button) => {
    fill(place, button, `From version ${line.based_on} to ${line.version}`,
      await difference(path, [line.based_on, line.version], line.size));
  });
}

async function difference(path, versions, size) {
  if (size > largestShown) return h('p', { class: 'soft' }, 'This is too large to compare here.');
  const contents = await Promise.all(versions.map((version) => content(path, version)));
  const texts = contents.map((bytes) => bytes.length > largestShown ? null : contentText(bytes));
  if (texts.includes(null)) return h('p', { class: 'soft' }, `Not text: ${contents.map((bytes) => sizeText(bytes.length)).join(' to ')}.`);
  const compared = /\.(json|csv)$/i.test(path.path) ? comparableValues(path.path, texts) : null;
  const values = compared === null ? [] : differingValues(compared.versions, 200);
  const lines = unifiedLines(...texts.map((text) => textLines(text)));
  return [
    values.length === 0 ? null : valuesTable(compared.kind, versions.map((version) => `Version ${version}`), values),
    lines.length === 0 ? h('p', {}, 'They are equal.') : differenceElement(lines),
  ].filter((part) => part !== null);
}

// A folder as it is now.
async function files(path) {
  const name = (line) => {
    const own = pathValues(line);
    const label = { ...own, path: own.path.slice(own.path.lastIndexOf('/') + 1) };
    return h('a', { href: pathHash(line.kind === 'directory' ? 'files' : 'versions', own) }, pathName(label),
      line.kind === 'directory' ? '/' : null);
  };
  const heads = [
    { text: 'Name', isName: true }, { text: 'Size', number: true }, { text: 'Files', number: true },
    { text: 'Modified', nowrap: true }, { text: 'Version', number: true },
  ];
  const list = await pagedTable('Files and folders, by name', heads, pageLength,
    (last) => call('files', { limit: pageLength, ...pathArgument(path), ...after(last) }), (line) => [
      name(line), line.kind === 'directory' ? sizeText(line.bytes) : line.size === undefined ? line.kind : sizeText(line.size),
      line.kind === 'directory' ? line.files.toLocaleString() : '', timeText(line.modified), String(line.version),
    ]);
  return [h('h2', {}, path === null ? 'Files' : ['Files in ', pathName(path)]),
    ways('files', path, 'All files'), list ?? h('p', {}, 'No files.')];
}

async function versions(path) {
  const title = h('h2', {}, 'Versions of ', path === null ? '' : pathName(path));
  if (path === null) return [title, h('p', {}, 'No version was found.')];
  const chosen = h('section', { 'aria-label': 'What was chosen' });
  const heads = [
    { text: 'Version', number: true, isName: true }, { text: 'Time', nowrap: true }, { text: 'Device' },
    { text: 'Size', number: true }, { text: 'What' }, { text: 'Actions' },
  ];
  const list = await pagedTable('The newest first', heads, pageLength,
    (last) => call('versions', { limit: pageLength, ...pathArgument(path), before: last?.version }), (line) => [
      String(line.version), timeText(line.time), h('bdi', {}, visible(line.device)),
      line.size === undefined ? '' : sizeText(line.size), versionWords(line),
      h('div', { class: 'row' }, versionActions(path, line, chosen)),
    ]);
  return [title, ways('files', path, 'All files'), list ?? h('p', {}, 'No version was found.'), chosen];
}

function versionActions(path, line, chosen) {
  if (line.kind !== 'file') return [];
  const label = (what) => `${what} version ${line.version}`;
  const name = path.path.slice(path.path.lastIndexOf('/') + 1);
  return [
    action('Show', { 'aria-label': label('Show') }, async (button) => {
      const shown = line.size > largestShown
        ? tooLarge(line.size) : contentElement(await content(path, line.version));
      fill(chosen, button, label('Content of'), shown);
    }),
    line.based_on > 0 && !line.superseded ? compareButton(path, line, chosen) : null,
    h('a', { href: contentAddress(path, line.version), download: name, 'aria-label': label('Download') }, 'Download'),
  ].filter((part) => part !== null);
}

async function deletedFiles() {
  const heads = [{ text: 'Path', isName: true }, { text: 'Deleted', nowrap: true }, { text: 'By' }, { text: 'Size', number: true }];
  const list = await pagedTable('Deleted files, the last one first', heads, pageLength,
    (last) => call('deleted', { limit: pageLength, ...(last === undefined ? {} : { before: last.sequence, ...pathArgument(pathValues(last)) }) }),
    (line) => [h('a', { href: pathHash('versions', pathValues(line)) }, pathName(pathValues(line))), timeText(line.time),
      h('bdi', {}, visible(line.device)), sizeText(line.size)]);
  return [h('h2', {}, 'Deleted files'), list ?? h('p', {}, 'No deleted files.'),
    h('p', { class: 'soft' }, 'To bring one back, use filesinki undelete on a device.')];
}

async function devices() {
  const list = await call('devices');
  if (list.length === 0) return [h('h2', {}, 'Devices'), h('p', {}, 'No devices.')];
  const heads = [{ text: 'Device', isName: true }, { text: 'Last commit', number: true }, { text: 'Time', nowrap: true },
    { text: 'Commits', number: true }, { text: 'Stored', number: true }];
  return [h('h2', {}, 'Devices'), table('The devices that have published', heads, list.map((line) => [
    h('bdi', {}, visible(line.device)), String(line.sequence), timeText(line.time), line.commits.toLocaleString(),
    sizeText(line.stored_bytes)]))];
}

// What takes space: by path, and how it grew.
async function space(path) {
  const [[store], usage, [growth]] = await Promise.all([
    call('store'), call('usage', { limit: 30, ...pathArgument(path) }), call('growth')]);
  return [
    h('h2', {}, 'Space', path === null ? null : [' in ', pathName(path)]),
    path === null ? h('dl', { class: 'facts' },
      fact('Files', `${store.files.toLocaleString()} (${sizeText(store.bytes)})`),
      fact('Versions of files', store.versions.toLocaleString()),
      fact('Commits', store.commits.toLocaleString()),
      fact('Contents in the store', sizeText(store.stored_bytes))) : ways('space', path, 'The whole store'),
    path === null ? growthElement(growth.days, growth.stored_bytes) : null,
    meters('Files and folders by their size now', usage, sizeLink, (line) => line.bytes, 'Size'),
  ];
}
