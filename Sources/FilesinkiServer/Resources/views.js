'use strict';
// What each view shows. Each takes the path of the address, or nothing, and returns elements.

async function overview() {
  const [state, log] = await Promise.all([call('status'), call('log', { limit: 12 })]);
  const status = state.lines.find((line) => line.type === 'status');
  if (!status) return [h('h2', {}, 'Overview'), h('p', {}, failureOf(state) ?? state.messages)];
  document.getElementById('place').textContent =
    visible(`${status.root}  ↔  ${status.remote ?? 'no remote'}, as "${status.device}"`);
  const sync = h('button', { class: 'main', onclick: () => change(sync, 'sync', {}, 'Synced.').then(() => show(false)) }, 'Sync now');
  return [
    h('h2', {}, 'Overview'),
    h('dl', { class: 'facts' },
      fact('Last synced', timeText(status.last_success)),
      status.last_failure && status.last_failure !== 'conflict' ? fact('Last run', `did not complete: ${status.last_failure}`) : null,
      fact('Files', `${status.files.toLocaleString()} (${sizeText(status.bytes)})`),
      fact('Commit', String(status.sequence)),
      fact('Open conflicts', status.conflicts === 0 ? 'none' : h('a', { href: '#/conflicts' }, String(status.conflicts)))),
    h('div', { class: 'row' }, sync),
    pathList('Changed here, not yet sent', status.pending),
    pathList('Changed in the store, not yet received', status.incoming),
    h('h3', {}, 'Activity'),
    log.exit === 0 ? commitTable(log.lines) : h('p', { class: 'soft' }, failureOf(log) ?? 'Nothing yet.'),
  ];
}

function fact(name, value) { return [h('dt', {}, name), h('dd', {}, value)]; }

function pathList(title, list) {
  if (!list || list.length === 0) return null;
  const shown = list.slice(0, 50).map(listedPath);
  return h('section', { 'aria-label': title }, h('h3', {}, title),
    h('ul', {}, shown.map((path) => h('li', {}, pathName(path)))),
    list.length > shown.length ? h('p', { class: 'soft' }, `and ${countText(list.length - shown.length, 'more path')}`) : null);
}

function commitTable(lines) {
  const commits = lines.filter((line) => line.type === 'commit');
  if (commits.length === 0) return h('p', { class: 'soft' }, 'No commit yet.');
  const heads = [{ text: 'Commit', number: true }, { text: 'Time', nowrap: true }, { text: 'Device' }, { text: 'Changes' }];
  return table('The newest commits, the newest first', heads, commits.map((commit) => [
    String(commit.sequence), timeText(commit.time), h('bdi', {}, visible(commit.device)), commitWords(commit),
  ]));
}

function commitWords(commit) {
  const counts = ['added', 'modified', 'deleted', 'renamed'].filter((kind) => commit[kind] > 0);
  const summary = counts.map((kind) => `${commit[kind].toLocaleString()} ${kind}`).join(', ');
  const paths = (commit.paths ?? []).map(listedPath);
  return h('div', {}, summary || visible(commit.operation ?? ''),
    paths.map((path) => h('div', {}, h('a', { href: pathHash('versions', path) }, pathName(path)))));
}

async function history_() {
  const log = await call('log', { limit: 200 });
  if (log.exit !== 0) return [h('h2', {}, 'History'), h('p', {}, failureOf(log))];
  return [h('h2', {}, 'History'), commitTable(log.lines)];
}

// The versions of a path: what each is, how it differs from the one before it, and a way back.
async function versions(path) {
  const log = await call('versions', path);
  const list = log.lines.filter((line) => line.type === 'version');
  const title = h('h2', {}, 'Versions of ', pathName(path));
  if (list.length === 0) return [title, h('p', {}, failureOf(log) ?? 'No version was found.')];
  const place = h('div', { 'aria-live': 'polite' });
  const heads = [
    { text: 'Version', number: true }, { text: 'Time', nowrap: true }, { text: 'Device' },
    { text: 'Size', number: true }, { text: 'What' }, { text: 'Actions' },
  ];
  return [title, table('The newest first', heads, list.map((line, index) => [
    String(line.version), timeText(line.time), h('bdi', {}, visible(line.device)),
    line.size === undefined ? '' : sizeText(line.size),
    line.kind === 'tombstone' ? 'deleted' : line.superseded ? 'superseded' : line.kind,
    h('div', { class: 'row' }, versionButtons(path, line, list[index + 1], index === 0, place)),
  ])), place];
}

function versionButtons(path, line, older, isNewest, place) {
  if (line.kind !== 'file') return [];
  const values = { ...path, version: line.version };
  const label = (what) => `${what} version ${line.version}`;
  const buttons = [h('button', { 'aria-label': label('Show'), onclick: async () => {
    place.replaceChildren(h('h3', {}, label('Content of')), await contentElement(await content('content', values)));
    place.scrollIntoView({ block: 'nearest' });
  } }, 'Show')];
  if (older !== undefined && older.kind === 'file') {
    buttons.push(h('button', { 'aria-label': label('Compare with the one before'), onclick: async () => {
      const result = await call('diff', { ...values, older: older.version });
      place.replaceChildren(h('h3', {}, `From version ${older.version} to ${line.version}`), ...differenceElements(result));
      place.scrollIntoView({ block: 'nearest' });
    } }, 'Compare'));
  }
  if (!isNewest) {
    const restore = h('button', { 'aria-label': label('Restore'), onclick: () =>
      change(restore, 'restore', values, `Version ${line.version} is restored.`).then(() => show(false)) }, 'Restore');
    buttons.push(restore);
  }
  return buttons;
}

function differenceElements(result) {
  const differences = result.lines.filter((line) => line.type === 'difference');
  if (differences.length === 0) return [h('p', {}, failureOf(result) ?? 'They are equal.')];
  return differences.map((difference) => h('pre', { class: 'side' }, textLines(difference.diff).map((line) =>
    h('span', { class: `line${line.startsWith('+') ? ' added' : line.startsWith('-') ? ' removed' : ''}` }, visible(line)))));
}

// A content as text by lines, as a picture, or by its size.
async function contentElement(bytes, changed) {
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
  return h('pre', { tabindex: '0' }, shown.map((line, index) =>
    h('span', { class: `line${changed?.[index] ? ' added' : ''}` }, visible(line))),
    lines.length > shown.length ? h('span', { class: 'line' }, `… ${countText(lines.length - shown.length, 'more line')}`) : null);
}

async function conflictList() {
  const result = await call('conflicts');
  const list = result.lines.filter((line) => line.type === 'conflict');
  const title = h('h2', {}, 'Conflicts');
  if (list.length === 0) return [title, h('p', {}, failureOf(result) ?? 'No open conflicts.')];
  const heads = [{ text: 'Path' }, { text: 'Since', nowrap: true }, { text: 'Here', number: true }, { text: 'There', number: true }];
  return [title, table('Open conflicts, the oldest first', heads, list.map((line) => [
    h('a', { href: pathHash('conflict', pathValues(line)) }, pathName(pathValues(line))), timeText(line.time),
    sideSize(line.here), sideSize(line.there),
  ]))];
}

function sideSize(side) { return side?.size === undefined ? side?.kind ?? 'deleted' : sizeText(side.size); }

// One conflict: base, both versions, what differs by name where the format has names, and the merge.
async function conflict(path) {
  const result = await call('conflicts');
  const line = result.lines.find((known) => known.type === 'conflict' && known.path === path.path &&
    known.path_bytes === path.path_bytes);
  const title = h('h2', {}, 'Conflict in ', pathName(path));
  if (!line) return [title, h('p', {}, 'It is resolved.'), h('p', {}, h('a', { href: '#/conflicts' }, 'All conflicts'))];
  const sides = ['base', 'here', 'there'];
  const contents = await Promise.all(sides.map((side) => line[side] ? content('side', { ...path, side }) : null));
  const merge = line.here && line.there ? await content('side', { ...path, side: 'merge' }) : null;
  return [
    title,
    h('p', { class: 'soft' }, `Since ${timeText(line.time)}. `, line.copy === undefined
      ? 'Both sides keep their own version until it is resolved.'
      : ['The version from there is in place; the one from here is in ', pathName(pathValues(line, 'copy')), '.']),
    h('div', { class: 'row' },
      takeButton(path, 'here', 'Keep the version from here', line.here),
      takeButton(path, 'there', 'Keep the version from there', line.there),
      takeButton(path, 'base', 'Go back to the base', line.base)),
    h('div', { class: 'sides' }, await Promise.all(sides.map((side, index) => sideElement(side, line[side], contents, index)))),
    namedDifferences(path, contents),
    ...mergeElements(path, merge),
  ];
}

function takeButton(path, side, words, entry) {
  if (!entry) return null;
  const button = h('button', { onclick: () => resolve(button, 'take', { ...path, side }, path) }, words);
  return button;
}

async function resolve(button, name, values, path) {
  const undo = h('button', { onclick: () =>
    change(undo, 'reopen', path, 'The conflict is open again.').then((isDone) => {
      if (!isDone) return;
      location.hash = pathHash('conflict', path);
      show(true);
    }) }, 'Undo');
  if (await change(button, name, values, 'Resolved. The other version stays in the history.', undo)) await show(false);
}

async function sideElement(side, entry, contents, index) {
  const names = { base: 'Base', here: 'Here', there: 'There' };
  const bytes = contents[index];
  let changed = null;
  if (index > 0 && bytes !== null && contents[0] !== null) {
    const [base, own] = [contentText(contents[0]), contentText(bytes)];
    if (base !== null && own !== null) changed = changedLines(textLines(base), textLines(own));
  }
  return h('section', { class: 'side', 'aria-label': names[side] }, h('h3', {}, names[side]),
    h('p', { class: 'soft' }, entry ? `${sideSize(entry)}, ${timeText(entry.modified)}` : 'nothing'),
    entry ? await contentElement(bytes, changed) : null);
}

function namedDifferences(path, contents) {
  if (contents[1] === null || contents[2] === null) return null;
  const texts = contents.map((bytes) => bytes === null ? '' : contentText(bytes));
  if (texts.includes(null)) return null;
  const compared = comparableValues(path.path, texts);
  if (!compared) return null;
  const rows = differingValues(...compared.versions, 200);
  if (rows.length === 0) return null;
  const value = (text) => text === undefined ? h('span', { class: 'soft' }, 'none') : h('code', {}, visible(text));
  return table(`What differs, by ${compared.kind.toLowerCase()}`,
    [compared.kind, 'Base', 'Here', 'There'].map((text) => ({ text })),
    rows.map(([name, ...values]) => [visible(name), ...values.map(value)]));
}

// The proposed merge, to be edited. A text with mixed line ends cannot be edited in a browser.
function mergeElements(path, merge) {
  const text = merge === null ? null : contentText(merge);
  if (text === null) return [];
  const isWindows = text.includes('\r');
  if (isWindows && /(^|[^\r])\n|\r(?!\n)/.test(text)) return [];
  const area = h('textarea', { id: 'merge', spellcheck: 'false' });
  area.value = text;
  const use = h('button', { class: 'main', onclick: () => {
    if (/^(<{7}|={7}|>{7})( |$)/m.test(area.value)) {
      notice('There are conflict markers left. Remove them first.', true);
      area.focus();
      return;
    }
    resolve(use, 'use', { ...path, text: isWindows ? area.value.replaceAll('\n', '\r\n') : area.value }, path);
  } }, 'Use this text');
  return [h('h3', {}, h('label', { for: 'merge' }, 'Proposed merge')),
    h('p', { class: 'soft' }, 'Lines that both sides changed are between markers. Edit it, then use it.'), area,
    h('div', { class: 'row' }, use)];
}

async function deletedList() {
  const result = await call('deleted');
  const paths = result.lines.filter((line) => line.type === 'deleted').map((line) => pathValues(line));
  const title = h('h2', {}, 'Deleted files');
  if (paths.length === 0) return [title, h('p', {}, failureOf(result) ?? 'No deleted files.')];
  const restore = (values, words) => {
    const button = h('button', { onclick: () =>
      change(button, 'undelete', { paths: [values] }, 'Restored.').then(() => show(false)) }, words);
    return button;
  };
  const shown = paths.slice(0, 1000);
  const folders = folderCounts(paths);
  return [
    title,
    folders.length === 0 ? null : table('Folders with deleted files', [{ text: 'Folder' }, { text: 'Files', number: true }, { text: 'Action' }],
      folders.map(([folder, count]) => [h('bdi', {}, visible(folder)), count.toLocaleString(),
        restore({ path: folder }, `Restore ${visible(folder)}`)])),
    table('Deleted files', [{ text: 'Path' }, { text: 'Action' }], shown.map((path) => [
      h('a', { href: pathHash('versions', path) }, pathName(path)),
      h('span', {}, restore(path, `Restore ${visible(path.path)}`))])),
    paths.length > shown.length ? h('p', { class: 'soft' }, `and ${countText(paths.length - shown.length, 'more file')}`) : null,
  ];
}

// The top folders that have at least two deleted files. A name that is not UTF-8 is in none.
function folderCounts(paths) {
  const counts = new Map();
  for (const path of paths) {
    const slash = path.path_bytes === undefined ? path.path.indexOf('/') : -1;
    if (slash > 0) counts.set(path.path.slice(0, slash), (counts.get(path.path.slice(0, slash)) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]).slice(0, 50);
}

async function deviceList() {
  const result = await call('devices');
  const list = result.lines.filter((line) => line.type === 'device');
  const heads = [{ text: 'Device' }, { text: 'Has seen commit', number: true }, { text: 'Last active', nowrap: true }, { text: '' }];
  return [h('h2', {}, 'Devices'), list.length === 0
    ? h('p', {}, failureOf(result) ?? 'No devices.')
    : table('The devices that use this store', heads, list.map((line) => [
      h('bdi', {}, visible(line.device)), String(line.seen), timeText(line.time), line.this ? 'this one' : '']))];
}

// Where the store's bytes are, and what a prune would free.
async function space() {
  const [usage, statistics] = await Promise.all([call('usage'), call('statistics')]);
  const title = h('h2', {}, 'Space');
  const stats = statistics.lines.find((line) => line.type === 'stats');
  if (!stats) return [title, h('p', {}, failureOf(statistics) ?? failureOf(usage))];
  const days = h('select', { id: 'days' },
    [['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['365', 'a year']].map(([value, words]) =>
      h('option', { value, selected: value === '30' }, words)));
  const answer = h('span', { role: 'status' });
  const ask = h('button', { onclick: async () => {
    ask.disabled = true;
    const result = await call('prunable', { days: Number(days.value) }).catch((error) => ({ error }));
    ask.disabled = false;
    const plan = result.lines?.find((line) => line.type === 'prune');
    answer.textContent = plan
      ? `A prune would free ${sizeText(plan.freed_bytes)}: ${countText(plan.dropped_versions, 'old version')}.`
      : result.error?.message ?? failureOf(result);
  } }, 'What would a prune free?');
  return [
    title,
    h('dl', { class: 'facts' },
      fact('Files', `${stats.files.toLocaleString()} (${sizeText(stats.file_bytes)})`),
      fact('Versions', `${stats.versions.toLocaleString()} (${sizeText(stats.version_bytes)})`),
      fact('Stored', sizeText(stats.stored_bytes)),
      fact('Not in the current tree', sizeText(stats.not_current_bytes))),
    h('div', { class: 'row' }, h('label', { for: 'days' }, 'Keep all versions of the last'), days, ask, answer),
    meters('Files and folders by what they take in the store', usage.lines.filter((line) => line.type === 'usage'),
      (line) => pathName(pathValues(line)), (line) => line.stored_bytes),
    meters('Contents by their last use', stats.ages.filter((age) => age.contents > 0),
      (age) => lastUses[age.last_used] ?? age.last_used, (age) => age.stored_bytes),
    meters('Stored by device', stats.devices, (device) => h('bdi', {}, visible(device.device)), (device) => device.bytes),
  ];
}

const lastUses = {
  current: 'in the current tree', day: 'until less than a day ago', week: 'until less than a week ago',
  month: 'until less than 30 days ago', year: 'until less than a year ago', older: 'longer ago',
};

function meters(caption, rows, name, bytes) {
  const most = Math.max(1, ...rows.map(bytes));
  const shown = rows.slice(0, 30);
  if (shown.length === 0) return null;
  return table(caption, [{ text: 'What' }, { text: 'Stored', number: true }, { text: 'Share of the largest' }],
    shown.map((row) => {
      const bar = h('span', {});
      bar.style.width = `${Math.round(100 * bytes(row) / most)}%`;
      return [name(row), sizeText(bytes(row)), h('span', { class: 'meter', 'aria-hidden': 'true' }, bar)];
    }));
}
