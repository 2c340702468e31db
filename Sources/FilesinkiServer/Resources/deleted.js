'use strict';
// Deleted files of a replica: the list, and ways to bring them back, by path or by folder.

async function deletedList() {
  const result = await call('deleted');
  const lines = result.lines.filter((line) => line.type === 'deleted');
  const title = h('h2', {}, 'Deleted files');
  if (lines.length === 0) return [title, h('p', {}, emptyWords(result, 'No deleted files.'))];
  const folders = deletedFolders(lines);
  const counts = folderCounts(lines, folders);
  // The log may be far away; the list does not wait for it.
  const commits = deletionCommits(lines).catch(() => new Map());
  const deletion = (line, name, words, otherwise) => {
    const element = h(name, {});
    commits.then((found) => element.append(found.has(line.version) ? words(found.get(line.version)) : otherwise(line, found)));
    return element;
  };
  const restore = (line) => isFolder(line, folders) ? restoreFolder(line.path, lines, folders)
    : action('Restore', { 'aria-label': `Restore ${visible(line.path)}` }, () => undelete([line], folders));
  const heads = [{ text: 'Path', isName: true }, { text: 'Deleted', nowrap: true }, { text: 'By' }, { text: 'Action', nowrap: true }];
  return [
    title,
    counts.length === 0 ? null : table('Folders with deleted files',
      [{ text: 'Folder', isName: true }, { text: 'Deleted files', number: true }, { text: 'Action' }],
      counts.map(([folder, count]) => [h('bdi', {}, visible(folder)), count.toLocaleString(),
        restoreFolder(folder, lines, folders)])),
    listing('Deleted files', heads, lines, (line) => line.path, (line) => [
      [h('a', { href: pathHash('versions', pathValues(line)) }, pathName(pathValues(line))), isFolder(line, folders) ? '/' : null],
      deletion(line, 'span', (commit) => timeText(commit.time), earlierWords),
      deletion(line, 'bdi', (commit) => visible(commit.device), () => 'not known'),
      restore(line)]),
  ];
}

// A button that brings back a folder, or what was deleted in one that is there. It asks first: all that was ever deleted in it, or what
// the command line brings back of it, the last deletion.
function restoreFolder(folder, lines, folders) {
  const place = h('div', { class: 'row' });
  const words = `Restore ${visible(folder)}`;
  const close = () => {
    closed(place);
    place.replaceChildren(button);
  };
  const choice = (text, attributes, chosen) => action(text, attributes, () => {
    close();
    focusHeading();
    return undelete(chosen, folders);
  });
  const button = action('Restore', { 'aria-label': words }, async () => {
    const all = lines.filter((line) => isWithin(line, folder));
    const count = all.filter((line) => !isFolder(line, folders)).length;
    // Of a folder that is there, no deletion is the last one: the command says so, and the page offers all.
    place.dataset.open = '';
    const plan = await call('undeletable', { path: folder }).finally(() => closed(place));
    // The view was shown again meanwhile: the question belongs into that one.
    if (!place.isConnected) return [...document.querySelectorAll('main button')].find((known) => controlName(known) === words)?.click();
    const last = plan.lines.filter((line) => line.type === 'restored' && !isFolder(line, folders)).length;
    const isPart = plan.exit === 0 && last > 0 && last < count;
    const whole = choice(isPart ? `All ${countText(count, 'file')}` : `Yes, restore ${countText(count, 'file')}`, { class: isPart ? null : 'main' }, all);
    const part = isPart ? choice(`The last deletion: ${countText(last, 'file')}`, { class: 'main' }, [{ path: folder }]) : null;
    const question = isPart
      ? `${countText(count, 'file')} were deleted in ${visible(folder)}, some of them before its last deletion. Which are to come back, on all devices?`
      : `Bring back all that was deleted in ${visible(folder)}, on all devices?`;
    const no = action('Cancel', {}, opened(place, () => button, () => place.replaceChildren(button)));
    place.replaceChildren(...[h('span', {}, question), part, whole, no].filter((element) => element !== null));
    (part ?? whole).focus();
  });
  place.append(button);
  return place;
}

// The most commits that are read to say when files were deleted.
const mostCommits = 20000;

// The commits of deletions, by their numbers: the newest commits, and older ones where a deletion is among those.
async function deletionCommits(lines) {
  const newest = 500;
  const oldest = lines.reduce((least, line) => line.version > 0 ? Math.min(least, line.version) : least, Infinity);
  let log = await call('log', { limit: newest });
  const needed = (log.lines[0]?.sequence ?? 0) - oldest + 1;
  if (needed > newest) log = await call('log', { limit: Math.min(needed, mostCommits) }).catch(() => log);
  return new Map(log.lines.filter((line) => line.type === 'commit').map((commit) => [commit.sequence, commit]));
}

// When a file was deleted whose commit was not read.
function earlierWords(line, commits) {
  if (line.version === 0) return 'not yet sent';
  const oldest = [...commits.values()].at(-1);
  return oldest !== undefined && line.version < oldest.sequence ? `before ${timeText(oldest.time)}` : 'not known';
}

// The folders above a path, the top one first. Those of a name that is not UTF-8 cannot be cut here.
function foldersAbove(line) {
  const names = line.path_bytes === undefined ? line.path.split('/').slice(0, -1) : [];
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

// What is above deleted paths: of the deleted ones, those that were folders.
function deletedFolders(lines) { return new Set(lines.flatMap(foldersAbove)); }

function isFolder(line, folders) { return line.path_bytes === undefined && folders.has(line.path); }

function isWithin(line, folder) {
  return line.path_bytes === undefined && (line.path === folder || line.path.startsWith(`${folder}/`));
}

// The top folders that have at least two deleted files, with their number.
function folderCounts(lines, folders) {
  const counts = new Map();
  for (const line of lines) {
    const [top] = foldersAbove(line);
    if (top !== undefined && !isFolder(line, folders)) counts.set(top, (counts.get(top) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]).slice(0, 50);
}

// The deleted paths that have no deleted folder above them: a folder comes back with what was deleted with it.
function topPaths(lines) {
  const known = new Set(lines.filter((line) => line.path_bytes === undefined).map((line) => line.path));
  return lines.filter((line) => !foldersAbove(line).some((folder) => known.has(folder)));
}

// As many of the paths as a call and a command line hold. One call is one commit, which a reload of the page does not stop.
function oneCall(lines) {
  let [room, count] = [1000000, 0];
  while (count < Math.min(lines.length, 10000)) {
    room -= 3 * (lines[count].path_bytes ?? lines[count].path).length;
    if (room < 0 && count > 0) break;
    count += 1;
  }
  return lines.slice(0, count);
}

// Restores deleted paths, as many with each call as it holds, and says how many files came back. What was deleted in a folder before the
// folder itself comes after it.
async function undelete(lines, folders) {
  let [left, files, failure, note, isKept] = [lines, 0, null, '', false];
  frame.isBusy = true;
  try {
    while (left.length > 0) {
      const sent = oneCall(topPaths(left));
      notice(`Restoring ${countText(left.length, 'path')} …`);
      const result = await call('undelete', { paths: sent.map((line) => pathValues(line)) });
      const told = result.lines.filter((line) => line.path !== undefined);
      files += told.filter((line) => line.type === 'saved' ? line.kind !== 'directory' : line.type === 'restored' && !isFolder(line, folders)).length;
      failure ??= failureOf(result);
      isKept ||= result.lines.some((line) => line.type === 'failure' && isKeptHere(line));
      note = queuedWords(result) || note;
      const done = new Set([...sent, ...told].map((line) => line.path_bytes ?? line.path));
      left = left.filter((line) => !done.has(line.path_bytes ?? line.path));
      // One of several paths may fail; else the next ones would, too.
      if (failure !== null && result.exit !== 5) break;
      if (left.length > 0) notice(`Restoring … ${countText(files, 'file')} restored, ${countText(left.length, 'path')} left.`);
    }
  } finally {
    frame.isBusy = false;
  }
  const words = files > 0 || failure !== null ? `Restored ${countText(files, 'file')}.` : 'Restored.';
  // Of what came back here and could not be published, the failure says so.
  notice(failure === null ? words + note : isKept ? failure : `${failure} ${words}`, failure !== null);
  await show(false);
}
