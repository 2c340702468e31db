'use strict';
// Deleted files of a replica: the list, and ways to bring them back, by path or by folder.

// What was deleted here and no run has sent is not in the list; null if there is nothing of that.
async function unsentDeletions() {
  const status = (await call('status')).lines.find((line) => line.type === 'status');
  const count = status?.deleted?.length ?? 0;
  if (count === 0) return null;
  return h('p', {}, `${countText(count, 'path')} deleted here, not yet sent: `, h('a', { href: '#/' }, 'Overview'), ' brings back what was deleted.');
}

async function deletedList() {
  const unsent = unsentDeletions().catch(() => null);
  const result = await call('deleted');
  const lines = sentLines(result);
  const title = h('h2', {}, 'Deleted files');
  if (lines.length === 0) {
    const waiting = await unsent;
    // Conflict copies that were resolved are no deleted files: what the command says of them is for a terminal.
    const words = 'No deleted files.';
    return [title, waiting ?? h('p', {}, result.exit === 1 && result.lines.length === 0 ? words : emptyWords(result, words))];
  }
  // To look at all files may take longer; the list does not wait for it.
  const waiting = h('div', {});
  unsent.then((found) => { if (found !== null) waiting.append(found); });
  const folders = deletedFolders(lines);
  const counts = folderCounts(lines, folders);
  // The log may be far away; the list does not wait for it.
  const log = deletionLog(lines);
  const commits = log.then((read) => new Map(read.lines.filter((line) => line.type === 'commit').map((commit) => [commit.sequence, commit])), () => new Map());
  log.then((read) => {
    const why = failureOf(read);
    if (why !== null) waiting.append(h('p', { class: 'soft' }, `When and by whom they were deleted is not known, as the history was not read. ${why}`));
  }, () => {});
  const deletion = (line, name, words, otherwise) => {
    const element = h(name, {});
    commits.then((found) => element.append(found.has(line.version) ? words(found.get(line.version)) : otherwise(line, found)));
    return element;
  };
  const restore = (line) => isFolder(line, folders) ? restoreFolder(line.path, async () => lines)
    : action('Restore', { 'aria-label': `Restore ${visible(line.path)}` }, () => undelete([line], folders));
  const heads = [{ text: 'Path', isName: true }, { text: 'Deleted', nowrap: true }, { text: 'By' }, { text: 'Action', nowrap: true }];
  return [
    title,
    waiting,
    counts.length === 0 ? null : table('Folders with deleted files',
      [{ text: 'Folder', isName: true }, { text: 'Deleted files', number: true }, { text: 'Action' }],
      counts.map(([folder, count]) => [h('bdi', {}, visible(folder)), count.toLocaleString(),
        restoreFolder(folder, async () => lines)])),
    listing('Deleted files', heads, lines, (line) => line.path, (line) => [
      [h('a', { href: pathHash('versions', pathValues(line)) }, pathName(pathValues(line))), isFolder(line, folders) ? '/' : null],
      deletion(line, 'span', (commit) => timeText(commit.time), earlierWords),
      deletion(line, 'bdi', (commit) => visible(commit.device), () => 'not known'),
      restore(line)]),
  ];
}

// The number of files among paths, each once.
function countFiles(lines, folders) {
  const files = lines.filter((line) => line.kind !== 'directory' && !isFolder(line, folders));
  return new Set(files.map((line) => line.path_bytes ?? line.path)).size;
}

// What `undelete` would bring back; nothing of what is not deleted. `isThere` says that nothing of it is, `refused` what is in its place.
async function undeletePlan(values) {
  const plan = await call('undeletable', values);
  const refused = plan.lines.find((line) => (line.type === 'failure' || line.type === 'problem')
    && line.code === 'exists' && line.message.startsWith('Cannot be restored'));
  const failures = plan.lines.filter((line) => line.type === 'failure');
  const found = plan.lines.filter((line) => line.type === 'restored');
  return { found, refused, isThere: found.length === 0 && failures.length > 0 && failures.every((line) => line.code === 'exists') };
}

// What comes back of a folder: what the command line brings back of it, the last deletion, and all that was ever deleted in it,
// each with the number of its files. The last deletion may be one that no run has sent, which the list of deleted files has not.
async function folderDeletions(folder, lines) {
  // Of a folder that is there, no sent deletion is the last one.
  const { found: last, refused } = await undeletePlan({ path: folder });
  if (refused !== undefined) return { refused };
  const names = new Set(last.map((line) => line.path_bytes ?? line.path));
  const all = [...last, ...lines.filter((line) => isWithin(line, folder) && !names.has(line.path_bytes ?? line.path))];
  const folders = deletedFolders(all);
  // Which of the older ones are folders, a plan of them tells.
  const isPlanned = all.length > last.length && oneCall(all).length === all.length;
  const { found: planned, isThere } = isPlanned ? await undeletePlan({ paths: all.map((line) => pathValues(line)) }) : { found: [], isThere: false };
  // A folder that is there again does not come back itself, nor does what is in it again: the plan has what does.
  const wanted = last.length === 0 && planned.length > 0 ? planned : all;
  return { all: wanted, folders, last: countFiles(last, folders), count: countFiles(planned.length > 0 ? planned : all, folders), isThere };
}

// A button that brings back a folder. It asks first, with the numbers of files: all that was ever deleted in it, or the last deletion.
// With `isAsked` false it asks only where these differ.
function restoreFolder(folder, deletedLines, what = 'Restore', isAsked = true) {
  const place = h('div', { class: 'row' });
  const words = `${what} ${visible(folder)}`;
  const close = () => {
    closed(place);
    place.replaceChildren(button);
  };
  const button = action(what, { 'aria-label': words }, async () => {
    place.dataset.open = '';
    const found = await deletedLines().then((lines) => folderDeletions(folder, lines)).finally(() => closed(place));
    // The view was shown again meanwhile: the question belongs into that one.
    if (!place.isConnected) return [...document.querySelectorAll('main button')].find((known) => controlName(known) === words)?.click();
    const { all, folders, last, count, isThere, refused } = found;
    if (refused !== undefined) return notice(placedWords(refused), true);
    if (isThere) return notice(`All that was deleted in ${visible(folder)} is there again.`);
    const choice = (text, attributes, chosen) => action(text, attributes, () => {
      close();
      focusHeading();
      return undelete(chosen, folders);
    });
    const isPart = last > 0 && last < count;
    if (!isAsked && !isPart) return undelete(all.length > 0 ? all : [{ path: folder }], folders);
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

// The deleted files that runs have sent.
async function sentDeletions() { return sentLines(await call('deleted')); }

function sentLines(result) { return result.lines.filter((line) => line.type === 'deleted' && line.unsent !== true); }

// The most commits that are read to say when files were deleted.
const mostCommits = 20000;

// The log with the commits of deletions: the newest commits, and older ones where a deletion is among those.
async function deletionLog(lines) {
  const newest = 500;
  const oldest = lines.reduce((least, line) => line.version > 0 ? Math.min(least, line.version) : least, Infinity);
  let log = await call('log', { limit: newest });
  const needed = (log.lines[0]?.sequence ?? 0) - oldest + 1;
  if (needed > newest) log = await call('log', { limit: Math.min(needed, mostCommits) }).catch(() => log);
  return log;
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
      files += countFiles(told.filter((line) => line.type === 'saved' || line.type === 'restored'), folders);
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
