'use strict';
// What each view shows. Each takes the path of the address, or nothing, and returns elements.

async function overview() {
  // The log may have to be read from far away; what the replica knows is shown before.
  const log = call('log', { limit: 12 });
  log.catch(() => {});
  const state = await call('status');
  const status = state.lines.find((line) => line.type === 'status');
  if (!status) return [h('h2', {}, 'Overview'), h('p', {}, failureOf(state) ?? state.messages)];
  showPlace(status);
  session.unsent = unsentText(status);
  const position = h('span', {}, String(status.sequence));
  const sync = action('Sync now', { class: 'main' }, async () => {
    notice('Syncing …');
    await change('sync', {}, 'Synced.');
    await show(false);
  });
  return [
    h('h2', {}, 'Overview'),
    movedNote(status) ?? askedMove(status),
    h('dl', { class: 'facts' },
      fact('Last synced', timeText(status.last_success)),
      status.last_failure && !(status.moved_to !== undefined && status.last_failure === 'wrong-store') ? fact('Last run', plain(`did not complete: ${withRoot(status.refusal ?? status.last_failure_text ?? status.last_failure)}`)) : null,
      fact('Files', `${status.files.toLocaleString()} (${sizeText(status.bytes)})`),
      fact('Commit', position),
      fact('Open conflicts', status.conflicts === 0 ? 'none' : h('a', { href: '#/conflicts' }, String(status.conflicts)))),
    h('div', { class: 'row' }, sync),
    unsentList(status),
    pathList('Changed in the store, not yet received', status.incoming),
    pathList('Outside of what this replica holds, not synced', status.outside),
    h('h3', {}, 'Activity'),
    later('activity', 'Reading the history …', log.then((found) => {
      const newest = found.lines.find((line) => line.type === 'commit');
      announce(newest);
      position.textContent = positionText(status.sequence, newest?.sequence ?? 0);
      return found.exit === 0 ? commitTable(found.lines) : h('p', { class: 'soft' }, failureOf(found) ?? 'Nothing yet.');
    })),
  ];
}

// Where the store was moved to, and the command that follows it; nothing if it was not. The path of a folder is that of another machine,
// which may have another store there, or none.
function movedNote(status) {
  if (status.moved_to === undefined) return null;
  const by = status.moved_by === undefined ? '' : ` by ${visible(status.moved_by)}`;
  const place = status.moved_to.startsWith('/') ? ` (a path of ${by === '' ? 'the machine that moved it' : 'that machine'})` : '';
  const option = status.moved_option === undefined ? '' : ` ${status.moved_option}`;
  return h('p', { class: 'bad' }, 'The store was moved to ', h('bdi', {}, visible(status.moved_to)), by, place,
    '. Nothing is sent to the old place. If you know that address, run ',
    h('code', {}, visible(`filesinki remote set --root ${shellWord(status.root)} ${shellWord(status.moved_to)}${option}`)),
    /^https?:/i.test(status.moved_to) ? ', with --token-file FILE if its server asks for a token.' : '.');
}

// The same as the store says it: no run has asked yet. The page asks once for each remote.
function askedMove(status) {
  const place = h('div', {});
  if (status.remote === undefined) return place;
  if (session.moved?.remote !== status.remote) session.moved = { remote: status.remote, answer: call('moved') };
  session.moved.answer.then((answer) => {
    const told = answer.lines.find((line) => line.type === 'notice' && line.code === 'wrong-store');
    if (told !== undefined) place.replaceChildren(h('p', { class: 'bad' }, toldWords(told)));
  }, () => {});
  return place;
}

// The line below the title, which no view replaces.
function showPlace(status) {
  session.root = status.root;
  document.getElementById('place').textContent =
    visible(`${status.root}  ↔  ${status.remote ?? 'no remote'}, as "${status.device}"`);
}

// The commit that the replica has, and how far it is behind the store.
function positionText(here, there) {
  return there > here ? `${here}; the store has ${there}: ${countText(there - here, 'commit')} behind, until the next sync` : String(here);
}

// What is changed here and not sent, to be compared.
function unsentText(status) { return JSON.stringify([status.pending, status.changed, status.new, status.deleted, status.renames]); }

// What is changed here and not sent, each path with what happened to it, in the words of `status`. What was deleted can come back.
function unsentList(status) {
  const key = (path) => pathHash('', pathValues(path));
  const kinds = new Map(['new', 'deleted'].flatMap((kind) => (status[kind] ?? []).map((path) => [key(listedPath(path)), kind])));
  const paths = new Map([...status.pending, ...(status.changed ?? [])].map(listedPath).map((path) => [key(path), path]));
  const origins = new Map((status.renames ?? []).map((line) => [key(pathValues(line)), line]));
  const deleted = (status.deleted ?? []).map(listedPath);
  const renamed = [...origins.values()].filter((line) => line.edited !== true).length;
  const folders = deletedFolders(deleted);
  const back = (path) => isFolder(path, folders) ? restoreFolder(path.path, sentDeletions, 'Bring back', false)
    : action('Bring back', { 'aria-label': `Bring back ${visible(path.path)}` }, () => undelete([path], folders));
  const parts = [[deleted.length, 'deleted'], [renamed, 'renamed']].filter(([count]) => count > 0);
  const whole = parts.find(([count]) => count === paths.size);
  const counts = parts.map(([count, word], index) => `${count.toLocaleString()} ${index === 0 ? 'of them ' : ''}${word}`).join(' and ');
  const title = whole !== undefined ? `${whole[1] === 'deleted' ? 'Deleted' : 'Renamed'} here, not yet sent`
    : `Changed here, ${counts === '' ? '' : `${counts}, `}not yet sent`;
  return pathList(title, [...paths.values()], (path) => {
    const origin = origins.get(key(path));
    const kind = kinds.get(key(path)) ?? (origin === undefined || origin.edited === true ? 'changed' : 'renamed');
    const from = origin === undefined ? [] : [h('span', { class: 'soft' }, origin.edited === true ? ' edited, and renamed from ' : ' from '), pathName(pathValues(origin, 'moved_from'))];
    return [h('span', { class: 'soft' }, kind), ' ', pathName(path), ...from, ...kind === 'deleted' ? [' ', back(path)] : []];
  });
}

// Paths below a title; one may be in the list twice.
function pathList(title, paths, item = pathName) {
  const list = [...new Map((paths ?? []).map(listedPath).map((path) => [path.path_bytes ?? path.path, path])).values()];
  if (list.length === 0) return null;
  const shown = list.slice(0, 50);
  return h('section', { 'aria-label': title }, h('h3', {}, `${title} (${list.length.toLocaleString()})`),
    h('ul', {}, shown.map((path) => h('li', {}, item(path)))),
    list.length > shown.length ? h('p', { class: 'soft' }, `and ${countText(list.length - shown.length, 'more path')}`) : null);
}

function commitTable(lines) {
  const commits = lines.filter((line) => line.type === 'commit');
  if (commits.length === 0) return h('p', { class: 'soft' }, 'No commit yet.');
  const heads = [{ text: 'Commit', number: true, isName: true }, { text: 'Time', nowrap: true }, { text: 'Device' }, { text: 'Changes' }];
  return table('The newest commits, the newest first', heads, commits.map((commit) => [
    String(commit.sequence), timeText(commit.time), h('bdi', {}, visible(commit.device)), commitWords(commit),
  ]));
}

// How many commits the history shows; it keeps them when something changed.
const past = { length: 100 };

async function history_(path, isAgain) {
  if (!isAgain) past.length = 100;
  const log = await call('log', { limit: past.length });
  announce(log.lines.find((line) => line.type === 'commit'));
  const title = h('h2', {}, 'History');
  if (log.exit !== 0) return [title, h('p', {}, failureOf(log))];
  const isMore = log.lines.filter((line) => line.type === 'commit').length === past.length;
  return [title, pathForm(), commitTable(log.lines), isMore ? action('Show older commits', {}, async () => {
    past.length += 400;
    await show(false);
  }) : null];
}

// A field for the path of a file, which leads to its versions.
function pathForm() {
  const field = h('input', { id: 'path', required: true, autocomplete: 'off', spellcheck: 'false', class: 'wide' });
  return h('form', { class: 'row', onsubmit: (event) => {
    event.preventDefault();
    // A whole path, as a file manager copies it, is one in the root.
    const typed = session.root !== null && field.value.startsWith(`${session.root}/`) ? field.value.slice(session.root.length) : field.value;
    location.hash = pathHash('versions', { path: typed.replace(/^\/+|\/+$/g, '') });
  } }, h('label', { for: 'path' }, 'Versions of the path'), field, h('button', {}, 'Show'));
}

// How many versions of a path are shown.
const shownVersions = { length: 200 };

// The versions of a path: what each is, how it differs from the one before it, and a way back.
async function versions(path, isAgain) {
  if (!isAgain) shownVersions.length = 200;
  const log = await call('versions', { ...path, limit: shownVersions.length });
  const list = log.lines.filter((line) => line.type === 'version');
  const title = h('h2', {}, 'Versions of ', pathName(path));
  // Of a folder, the commits that changed something in it.
  if (log.lines.some((line) => line.type === 'commit')) return [h('h2', {}, 'Commits in ', pathName(path)), commitTable(log.lines)];
  if (list.length === 0) return [title, h('p', {}, failureOf(log) ?? 'No version was found.')];
  const place = h('section', { 'aria-label': 'What was chosen' });
  const heads = [
    { text: 'Version', number: true, isName: true }, { text: 'Time', nowrap: true }, { text: 'Device' },
    { text: 'Size', number: true }, { text: 'What' }, { text: 'Actions' },
  ];
  const renamed = (words, line, member) => line?.[member] === undefined ? null
    : h('p', {}, words, h('a', { href: pathHash('versions', pathValues(line, member)) }, pathName(pathValues(line, member))));
  const since = renamed('The versions since the rename: ', list[0], 'moved_to');
  // Of several renames the newest one, as `log` says it.
  const before = renamed('The versions before the rename: ', list.find((line) => line.moved_from !== undefined), 'moved_from');
  return [title, since, table('The newest first', heads, list.map((line, index) => [
    String(line.version), timeText(line.time), h('bdi', {}, visible(line.device)),
    line.size === undefined ? '' : sizeText(line.size),
    versionWords(line),
    h('div', { class: 'row' }, versionButtons(path, line, list[index + 1], index === 0, place)),
  ])), before, list.length < shownVersions.length ? null : action('Show older versions', {}, async () => {
    shownVersions.length += 800;
    await show(false);
  }), place];
}

function versionButtons(path, line, older, isNewest, place) {
  if (line.kind !== 'file' || line.pruned || line.lost) return [];
  const values = { ...path, version: line.version };
  const label = (what) => `${what} version ${line.version}`;
  const buttons = [action('Show', { 'aria-label': label('Show') }, async (button) => {
    fill(place, button, label('Content of'), line.size > largestShown
      ? tooLarge(line.size) : contentElement(await content('content', values)));
  })];
  if (older !== undefined && older.kind === 'file' && !older.pruned && !older.lost) {
    buttons.push(action('Compare', { 'aria-label': label('Compare with the one before') }, async (button) => {
      if (Math.max(line.size, older.size) > 4 * largestShown) return fill(place, button, 'Difference', tooLarge(line.size));
      const title = `From version ${older.version} to ${line.version}`;
      const words = sameContentWords(older, line);
      if (words !== null) return fill(place, button, title, h('p', {}, words));
      fill(place, button, title, differenceElements(await call('diff', { ...values, older: older.version })));
    }));
  }
  if (!isNewest) {
    buttons.push(action('Restore', { 'aria-label': label('Restore') }, async () => {
      await change('restore', values, `Version ${line.version} is restored.`);
      await show(false);
    }));
  }
  return buttons;
}

async function deviceList() {
  const result = await call('devices');
  const list = result.lines.filter((line) => line.type === 'device');
  const heads = [
    { text: 'Device', isName: true }, { text: 'Has seen commit', number: true }, { text: 'Last active', nowrap: true },
    { text: 'Note' },
  ];
  return [h('h2', {}, 'Devices'), list.length === 0
    ? h('p', {}, failureOf(result) ?? 'No devices.')
    : table('The devices that use this store', heads, list.map((line) => [
      h('bdi', {}, visible(line.device)), String(line.seen), timeText(line.time), line.this ? 'this one' : '']))];
}

// Where the store's bytes are, and what a prune would free. In a folder, only what is in it.
async function space(path) {
  const usage = later(null, 'Asking what paths take …', call('usage', path ?? {}).then((found) => usageElements(found, path)));
  if (path !== null) return [h('h2', {}, 'Space in ', pathName(path)), ways('space', path, 'The whole store'), usage];
  return [
    h('h2', {}, 'Space'),
    pruneForm(),
    later(null, 'Reading the store …', call('statistics').then(statisticsElements)),
    usage,
  ];
}

function pruneForm() {
  const days = h('select', { id: 'days', onchange: () => { answer.replaceChildren(); } },
    [['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['365', 'year']].map(([value, words]) =>
      h('option', { value, selected: value === '30' }, words)));
  const answer = h('div', { role: 'status' });
  const ask = action('What would a prune free?', {}, async () => {
    const asked = days.value;
    const kept = days.selectedOptions[0].textContent;
    let found = [];
    answer.textContent = 'Reading the store …';
    try {
      // One after the other: each needs the replica for itself.
      const byDays = pruneWords(
        await call('prunable', { days: Number(asked) }), `With all versions of the last ${kept} kept`, `filesinki prune --keep-within ${asked}d`);
      const bySettings = settingsPruneWords(await call('prunable'));
      found = [byDays, bySettings?.join() === byDays.join() ? null : bySettings];
    } finally {
      answer.replaceChildren(...(days.value === asked ? found.filter((words) => words).map((words) => h('p', {}, words)) : []));
    }
  });
  return [h('div', { class: 'row' }, h('label', { for: 'days' }, 'Keep all versions of the last'), days, ask), answer];
}

// What a prune would free, and the command that does: what it removes does not come back, so the page has no button for it.
function pruneWords(result, rules, command) {
  const plan = result.lines.find((line) => line.type === 'prune');
  if (!plan) return [failureOf(result) ?? ''];
  if (plan.freed_bytes <= 0) return [`${rules}, a prune would free nothing.${deviceWords(plan)}`];
  return [`${rules}, a prune would free about ${sizeText(plan.freed_bytes)}: ${countText(plan.dropped_versions, 'old version')}. To run it: `,
    h('code', {}, withRoot(command))];
}

// What only devices keep, where that is why a prune frees nothing; empty if there is none.
function deviceWords(plan) {
  const shares = (plan.kept ?? []).filter((kept) => kept.reason === 'device' && kept.versions > 0);
  if (shares.length === 0) return '';
  const list = shares.map(({ versions, device }) => `${countText(versions, 'old version')} for ${visible(device)}`).join(', ');
  return ` It keeps ${list}, until a later commit is acknowledged there: once a day or after 64 commits, in a sync.`;
}

// The same of a prune by the rules of the settings; null where they have none.
function settingsPruneWords(result) {
  const failure = result.lines.find((line) => line.type === 'failure');
  // A mistake in the settings has the path of their file.
  if (failure?.code === 'usage') return failure.path === undefined ? null : [placedWords(failure)];
  const rules = result.lines.find((line) => line.type === 'prune')?.settings ?? [];
  return pruneWords(result, `By the settings (${rules.map(visible).join(', ')})`, 'filesinki prune');
}

function usageElements(usage, folder) {
  const lines = usage.lines.filter((line) => line.type === 'usage' && line.path !== folder?.path);
  if (lines.length === 0) return h('p', {}, failureOf(usage) ?? 'No files.');
  return meters('Files and folders by what all their versions take in the store, deleted ones too', lines, sizeLink, (line) => line.stored_bytes);
}

function statisticsElements(statistics) {
  const stats = statistics.lines.find((line) => line.type === 'stats');
  if (!stats) return h('p', {}, failureOf(statistics));
  return [
    h('dl', { class: 'facts' },
      fact('Files', `${stats.files.toLocaleString()} (${sizeText(stats.file_bytes)})`),
      fact('Versions', `${stats.versions.toLocaleString()} (${sizeText(stats.version_bytes)})`),
      fact('Stored', sizeText(stats.stored_bytes)),
      fact('Not in the current tree', sizeText(stats.not_current_bytes))),
    growthElement(stats.growth, stats.stored_bytes),
    meters('Contents by their last use', stats.ages.filter((age) => age.contents > 0),
      (age) => lastUses[age.last_used] ?? age.last_used, (age) => age.stored_bytes),
    meters('Stored by device', stats.devices, (device) => h('bdi', {}, visible(device.device)), (device) => device.bytes),
  ];
}

const lastUses = {
  current: 'in the current tree', day: 'less than a day ago', week: 'less than a week ago', month: 'less than 30 days ago',
  year: 'less than a year ago', older: 'longer ago',
};
