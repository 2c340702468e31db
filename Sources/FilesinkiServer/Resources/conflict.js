'use strict';
// Open conflicts: the list, and one of them with its base, both versions and the proposed merge.

async function conflictList() {
  const result = await call('conflicts');
  // The command has those of other devices behind the own ones.
  const list = result.lines.filter((line) => line.type === 'conflict').sort((a, b) => a.time < b.time ? -1 : a.time > b.time ? 1 : 0);
  const title = h('h2', {}, 'Conflicts');
  if (list.length === 0) return [title, h('p', {}, failureOf(result) ?? 'No open conflicts.')];
  const columns = versionColumns(list);
  const heads = [{ text: 'Path', isName: true }, { text: 'Since', nowrap: true }, ...columns.map(({ head }) => ({ text: head, number: true }))];
  const all = h('div', { class: 'row' });
  return [title, list.length === 1 ? null : all, listing('Open conflicts, the oldest first', heads, list, (line) => line.path,
    (line) => [
      h('a', { href: pathHash('conflict', conflictName(line)) }, pathName(pathValues(line))), timeText(line.time),
      ...bothVersions(line).map((version, index) => versionCell(line, version, columns[index])),
    ], (chosen, isFiltered) => offerAll(all, chosen, isFiltered))];
}

// The name that means one conflict: its copy. Of three devices that write one path, two have a copy.
function conflictName(line) { return pathValues(line, line.copy === undefined ? 'path' : 'copy'); }

// Buttons that resolve all conflicts of a list. A second press is needed.
function offerAll(place, chosen, isFiltered) {
  const which = `${isFiltered ? 'these' : 'all'} ${chosen.length.toLocaleString()}`;
  const offer = ({ words: version, sideOf }) => {
    const words = `Resolve ${which} with the version ${version}`;
    return action(words, {}, () => {
      const yes = action(`Yes, keep the version ${version}`, { class: 'main' }, () => {
        closed(place);
        place.replaceChildren(h('span', {}, 'Resolving …'));
        return resolveAll(chosen, sideOf);
      });
      const no = action('Cancel', {}, opened(
        place, () => [...place.querySelectorAll('button')].find((button) => button.textContent === words),
        () => offerAll(place, chosen, isFiltered)));
      place.replaceChildren(h('span', {}, `Resolve ${countText(chosen.length, 'conflict')}? The other versions stay in the history.`), yes, no);
      yes.focus();
    });
  };
  closed(place);
  const buttons = versionsOfAll(chosen).map(offer);
  const why = 'Some of these conflicts are between other devices or of one path, or one of their files was edited since: resolve them one by one.';
  place.replaceChildren(...(buttons.length === 0 && chosen.length > 0 ? [h('span', { class: 'soft' }, why)] : buttons));
}

// Resolves conflicts, some with each call, and says how far it is. `sideOf` is what a call names the version of a conflict.
async function resolveAll(lines, sideOf) {
  const batch = 50;
  frame.isBusy = true;
  focusHeading();
  try {
    let done = 0;
    for (let left = lines; left.length > 0;) {
      const side = sideOf(left[0]);
      const part = left.filter((line) => sideOf(line) === side).slice(0, batch);
      left = left.filter((line) => !part.includes(line));
      done += part.length;
      const words = `${done.toLocaleString()} of ${countText(lines.length, 'conflict')} resolved.`;
      if (!await change('take', { paths: part.map((line) => conflictName(line)), side }, words)) break;
    }
  } finally {
    frame.isBusy = false;
  }
  await show(false);
}

// What has ended a conflict whose file in place was deleted or renamed, or where it goes on, in words; null where it was resolved.
async function endInPlace(path) {
  const failure = (await call('explanation', path)).lines.find((line) => line.type === 'failure');
  return failure !== undefined && /^It was (deleted|renamed to ).*; its conflicts? /s.test(failure.message) ? toldWords(failure) : null;
}

// The conflict that is shown: its name, its path or copy, and its line as text; null for none.
let shownConflict = null;

// Says that the conflict which is shown was resolved or has changed. What a person writes in it stays.
async function conflictChanged() {
  const shown = shownConflict;
  if (shown === null) return;
  const result = await call('conflicts');
  const line = result.lines.find((known) => known.type === 'conflict' && pathHash('', conflictName(known)) === shown.name);
  if (shownConflict !== shown || frame.isBusy || (line !== undefined && JSON.stringify(line) === shown.text)) return;
  const end = line ? 'This conflict has changed.' : await endInPlace(shown.path) ?? 'This conflict was resolved meanwhile.';
  if (shownConflict !== shown || frame.isBusy) return;
  shownConflict = null;
  notice(end, false, action('Show it again', {}, async () => {
    clearNotice();
    await show(false);
  }));
}

// The path that a conflict copy was made for; any other path as it is.
function originalName(path) { return path.replace(/ \(conflict \S+ [0-9a-f]{8,64}\)([^/]*)$/, '$1'); }

// One conflict: base, both versions, what differs by name where the format has names, and the merge.
// It is found as the command line finds it: by its path, else by its copy.
async function conflict(name) {
  shownConflict = null;
  const result = await call('conflicts');
  const lines = result.lines.filter((known) => known.type === 'conflict');
  const isNamed = (values) => values.path === name.path && values.path_bytes === name.path_bytes;
  const ofPath = lines.filter((known) => isNamed(pathValues(known)));
  if (ofPath.length > 1) return severalConflicts(name, ofPath);
  const line = ofPath[0] ?? lines.find((known) => isNamed(pathValues(known, 'copy')));
  const title = h('h2', {}, 'Conflict in ', pathName(line ? pathValues(line) : { path: originalName(name.path) }));
  if (!line) return [title, h('p', {}, await endInPlace(name) ?? 'It is resolved.'), h('p', {}, h('a', { href: '#/conflicts' }, 'All conflicts'))];
  const path = conflictName(line);
  shownConflict = { name: pathHash('', path), path, text: JSON.stringify(line) };
  const others = lines.filter((known) => known.path === line.path && known.path_bytes === line.path_bytes && known !== line);
  const both = bothVersions(line);
  const target = { ...path, ...shownContents(line, both) };
  const versions = [{ side: 'base', name: 'Base', entry: line.base, isUnknown: line.base_unknown === true }, ...both];
  const isLarge = (entry) => entry !== undefined && entry.size > largestShown;
  const isMerged = both.every(({ entry }) => entry) && !versions.some(({ entry }) => isLarge(entry));
  const asked = versions.map(({ side, entry }) => entry?.kind === 'file' && !isLarge(entry) ? side : null);
  const [merge, ...contents] = await Promise.all([isMerged ? 'proposal' : null, ...asked].map((side) =>
    side === null ? null : content('side', { ...path, side })));
  const steps = explanationSteps(path, versions);
  const marks = contentMarks(contents);
  return [
    title,
    h('p', { class: 'soft' }, `Since ${timeText(line.time)}. `, placeWords(line, both)),
    line.sides === undefined ? null : h('p', {}, 'Other devices wrote both versions.'),
    others.length === 0 ? null : h('p', {}, 'This path has other open conflicts, which stay open: ', conflictLinks(others), '.'),
    h('div', { class: 'row' },
      both.map((version) => takeButton(line, target, version, path, both)),
      line.base ? takeAction('Go back to the base', line, isEditedInPlace(line), () => resolve('take', { ...target, side: 'base' }, path, both)) : null),
    h('div', { class: 'sides' }, versions.map((version, index) => sideElement(version, contents[index], marks[index]))),
    marksLegend(marks),
    namedDifferences(pathValues(line), contents, versions),
    later(null, 'Asking what a merge would decide …', steps.then((found) => explanationElements(found, versions))),
    ...mergeElements(target, path, line, merge, both, steps),
  ];
}

// Links to conflicts of one path, which their copies tell apart.
function conflictLinks(lines) {
  return lines.flatMap((line, index) => [
    index === 0 ? '' : ', ', h('a', { href: pathHash('conflict', conflictName(line)) }, pathName(conflictName(line)))]);
}

function severalConflicts(path, lines) {
  return [h('h2', {}, 'Conflicts in ', pathName(path)), h('p', {}, 'Several conflicts of this path are open: ', conflictLinks(lines), '.')];
}

// A version of another device that is not known cannot be taken; a deletion can.
function takeButton(line, target, version, path, both) {
  const { side, words, entry, isOfOthers } = version;
  if (!entry && isOfOthers) return null;
  return takeAction(`Keep the ${entry ? 'version' : 'deletion'} ${words}`, line, version.losesEdit, () => resolve('take', { ...target, side }, path, both));
}

// A button that resolves a conflict. It asks first where that replaces what was merged by hand in place.
function takeAction(words, line, isAsked, run, attributes = {}, isReady = () => true) {
  if (!isAsked) return action(words, attributes, () => isReady() ? run() : undefined);
  const place = h('span', { class: 'row' });
  const ask = action(words, attributes, () => {
    if (!isReady()) return;
    const yes = action('Yes, replace it', { class: 'main' }, () => {
      closed(place);
      place.replaceChildren(ask);
      return run();
    });
    const no = action('Cancel', {}, opened(place, () => ask, () => place.replaceChildren(ask)));
    place.replaceChildren(h('span', {}, `What is in place was edited${line.edited_in_place ? editorWords(line) : ' here'} after the conflict was found. Replace it? It stays in the history.`), yes, no);
    yes.focus();
  });
  place.append(ask);
  return place;
}

// What has become of what was not chosen. Nothing is left of a deletion, and a conflict with one cannot be opened again.
function resolvedWords(values, both) {
  const others = both.filter(({ side, entry }) => entry && side !== values.side);
  return others.length === 0 ? 'Resolved.' : 'Resolved. The other version stays in the history.';
}

async function resolve(name, values, path, both) {
  const reopen = async () => {
    if (!await change('reopen', path, 'The conflict is open again.')) return;
    location.hash = pathHash('conflict', path);
    show(true);
  };
  const undo = action('Undo', {}, reopen);
  frame.isBusy = true;
  const result = await call(name, values).finally(() => { frame.isBusy = false; });
  if (failureOf(result) === null) {
    if (name === 'use') endDraft(path);
    notice([`${resolvedWords(values, both)}${queuedWords(result)}`, ...noticeWords(result)].join('\n'), false, both.some(({ entry, isOfOthers }) => !entry && !isOfOthers) ? null : undo);
    await show(false);
    return;
  }
  const failure = result.lines.find((line) => line.type === 'failure');
  if (name === 'use' && !values.unchecked && failure?.remedy?.includes('--unchecked')) return noticeOfText(failure, values, path, both);
  const lines = (await call('conflicts')).lines.filter((line) => line.type === 'conflict');
  const open = lines.find((line) => pathHash('', conflictName(line)) === pathHash('', path));
  const isOpen = open !== undefined;
  // It was resolved elsewhere: the page says who did, and a button opens it again. A text that a person wrote stays.
  // Where both files are still what was shown, another device has edited one: the message says which.
  const now = isOpen ? shownContents(open, bothVersions(open)) : {};
  const edited = ['shown', 'copy'].find((kind) => isOpen && values[kind] !== undefined && values[kind] !== now[kind]);
  if (edited && failure?.code === 'changing') noticeOfEdit(edited, now, name, values, path, both);
  else if (isOpen || !failure) notice(failureOf(result), true);
  else if (isKeptHere(failure) || failure.remedy?.includes('resolve --undo')) {
    notice(isKeptHere(failure) ? failureOf(result) : failure.message, true, action('Open it again', {}, reopen));
  } else notice(failureOf(result), true);
  // One of the files was edited since this was shown: the view has other buttons then.
  if (isOpen && name === 'take') return show(false);
  if (isOpen || name !== 'take') return;
  if (currentView()[0].name === 'conflict') history.replaceState(null, '', '#/conflicts');
  await show(false);
}

// Says why a text is not taken without a question: it is no document of the file's format any more.
function noticeOfText(failure, values, path, both) {
  const yes = action('Yes, use it', {}, () => resolve('use', { ...values, unchecked: true }, path, both));
  const no = action('Cancel', {}, () => {
    clearNotice();
    document.getElementById('merge')?.focus();
  });
  notice(`${failure.message} Use it nevertheless?`, true, yes, no);
}

// Says that what is in place, or the conflict copy, was edited after the page had shown it. A text that a person wrote stays, and may
// be used all the same. `now` has the contents of both.
function noticeOfEdit(edited, now, name, values, path, both) {
  const isCopy = edited === 'copy';
  const words = `${isCopy ? 'The conflict copy' : 'What is in place'} was edited after it was shown here.`;
  if (name === 'take') return notice(`${words} Nothing was replaced.`, true);
  const yes = action(isCopy ? 'Yes, use this text' : 'Yes, replace it', {}, () => resolve(name, { ...values, ...now }, path, both));
  const look = action(isCopy ? 'Show the conflict copy' : 'Show what is in place', {}, async () => {
    clearNotice();
    await show(false);
  });
  const question = isCopy ? 'Use this text and remove the copy?' : 'Replace it by this text?';
  return notice(`${words} ${question} It stays in the history.`, true, yes, look);
}

// The marks of the lines of the base and of both versions; none for one that is no text, or of a base that is none.
function contentMarks(contents) {
  const [base, ...own] = contents.map((bytes) => bytes === null ? null : contentText(bytes)).map((text) => text === null ? null : textLines(text));
  if (base === null || own.every((lines) => lines === null)) return [];
  return lineMarks(base, own);
}

function sideElement({ side, name, entry, isUnknown, isEdited }, bytes, marks) {
  return h('section', { class: 'side', 'aria-label': name }, h('h3', {}, name),
    h('p', { class: 'soft' }, isEdited && bytes ? sizeText(bytes.length) : entry ? `${sideSize(entry)}, ${timeText(entry.modified)}` : isUnknown ? 'unknown here' : side === 'base' ? 'nothing' : 'deleted'),
    !entry ? null : entry.size > largestShown ? h('p', { class: 'soft' }, 'Too large to show here.')
      : entry.kind === 'file' && side !== null ? contentElement(bytes, marks, name) : null);
}

// What the signs beside the lines mean.
function marksLegend(marks) {
  if (!marks.flat().some((mark) => mark !== null)) return null;
  return h('p', { class: 'soft' }, 'Lines with + are changed or new on that side only, with − gone on one side, with ! changed or gone on both.');
}

function namedDifferences(path, contents, versions) {
  if (contents[1] === null || contents[2] === null) return null;
  const texts = contents.map((bytes) => bytes === null ? '' : contentText(bytes));
  if (texts.includes(null)) return null;
  const compared = comparableValues(path.path, texts);
  if (!compared) return null;
  const rows = differingValues(compared.versions, 200);
  if (rows.length === 0) return null;
  return valuesTable(compared.kind, versions.map(({ name }) => name), rows);
}

// What a merge decides and what it cannot, place by place; null if that is not known.
async function explanationSteps(path, versions) {
  if (versions.slice(1).some(({ entry }) => entry?.kind !== 'file')) return null;
  const result = await call('explanation', path);
  const explanation = result.lines.find((known) => known.type === 'explanation');
  return explanation?.explanation ?? null;
}

// The same as tables: of a database by table, row and cell.
function explanationElements(all, versions) {
  const steps = (all ?? []).filter((step) => step.cell !== undefined || step.place !== '');
  const isConflict = (step) => step.from === 'none';
  // What is left out is no conflict, if possible.
  const first = new Set([...steps.filter(isConflict), ...steps.filter((step) => !isConflict(step))].slice(0, 500));
  const shown = steps.filter((step) => first.has(step));
  const cells = shown.filter((step) => step.cell !== undefined);
  const others = shown.filter((step) => step.cell === undefined);
  const value = (text) => text === undefined ? h('span', { class: 'soft' }, 'none') : h('code', {}, visible(text));
  const parts = [];
  if (cells.length > 0) {
    const heads = ['Table', 'Row', 'Column', ...versions.map(({ name }) => name)].map((text) => ({ text }));
    parts.push(table('What the merge decides, by table, row and cell', [...heads, { text: 'Merge' }],
      cells.map(({ cell, ...step }) => [visible(cell.table), h('code', {}, visible(cell.key)),
        cell.column === undefined ? h('span', { class: 'soft' }, 'whole row') : visible(cell.column),
        ...[cell.base, cell.here, cell.there].map((text) => cell.column === undefined ? '' : value(text)), decision(step, versions)])));
  }
  if (others.length > 0) {
    parts.push(table('What the merge decides, by place', [{ text: 'Place', isName: true }, { text: 'Merge' }],
      others.map((step) => [visible(step.place), decision(step, versions)])));
  }
  if (steps.length > shown.length) parts.push(h('p', { class: 'soft' }, `and ${countText(steps.length - shown.length, 'more place')}`));
  return parts;
}

function decision(step, versions) {
  const detail = step.detail === undefined ? '' : `: ${visible(step.detail)}`;
  if (step.from === 'none') return h('strong', {}, `conflict${detail}`);
  // On a device that wrote neither version, they have the names of their devices.
  const [first, second] = versions.slice(1);
  const from = { here: first.isOfOthers ? first.name : 'here', there: second.isOfOthers ? second.name : 'there' }[step.from];
  return `${from ?? step.from}, ${visible(step.reason)}${detail}`;
}

// How the proposed merge is to be read. Where markers would stand around the whole document it has none, and the version from here
// of each conflict.
function proposalWords(text, steps, first) {
  if (/^<{7}( .*)?$/m.test(text)) {
    return h('p', { class: 'soft' }, 'What both sides changed is between markers, in a text also what one side changed in the lines beside it. Edit it, then use it.');
  }
  const words = (found) => {
    const version = `Where both sides changed the same it has the version ${first.words}`;
    if (found === null) return `${version}. Check that, then use it.`;
    const places = found.filter((step) => step.from === 'none').map((step) => step.place === '' ? 'the whole document' : visible(step.place));
    if (places.length === 0) return 'Everything is merged. Edit it, or use it as it is.';
    const more = places.length > 20 ? ` and ${countText(places.length - 20, 'more place')}` : '';
    return `${version}: ${places.slice(0, 20).join(', ')}${more}. All else is merged. Check that, then use it.`;
  };
  return later(null, 'Asking what a merge would decide …', steps.then((found) => [h('p', {}, words(found))]));
}

// What a person has written and not used yet, by conflict, with the versions that it is of.
const drafts = new Map();

// A text that was used is not what is proposed if the conflict is opened again; a button shows it then.
function endDraft(path) {
  const draft = drafts.get(pathHash('', path));
  if (draft !== undefined) draft.versions = null;
}

// The proposed merge, to be edited. A text with mixed line ends cannot be edited in a browser.
function mergeElements(target, path, line, merge, both, steps) {
  const text = merge === null ? null : contentText(merge);
  if (text === null) return [];
  const isWindows = text.includes('\r');
  if (isWindows && /(^|[^\r])\n|\r(?!\n)/.test(text)) return [];
  const [name, versions] = [pathHash('', path), JSON.stringify([line.base, line.here, line.there, line.sides])];
  const left = h('span', { role: 'alert', class: 'bad' });
  const area = h('textarea', { id: 'merge', spellcheck: 'false', oninput: () => {
    drafts.set(name, { versions, text: area.value });
    left.textContent = '';
  } });
  const draft = drafts.get(name);
  area.value = draft?.versions === versions ? draft.text : text;
  const back = draft === undefined || draft.versions === versions ? null : action('Show the text written before', {}, () => {
    area.value = draft.text;
    area.dispatchEvent(new Event('input'));
    area.focus();
  });
  const isReady = () => {
    const marker = /^(<{7}|={7}|>{7})( .*)?$/m.exec(area.value);
    if (marker === null) return true;
    const number = area.value.slice(0, marker.index).split('\n').length;
    left.textContent = `There are conflict markers left, the first in line ${number.toLocaleString()}. Remove them first.`;
    // A browser scrolls to the selection when the focus comes.
    area.setSelectionRange(marker.index, marker.index + marker[0].length);
    area.focus();
    return false;
  };
  const use = takeAction('Use this text', line, isEditedInPlace(line), () => {
    return resolve('use', { ...target, text: isWindows ? area.value.replaceAll('\n', '\r\n') : area.value }, path, both);
  }, { class: 'main' }, isReady);
  return [h('h3', {}, h('label', { for: 'merge' }, 'Proposed merge')),
    proposalWords(text, steps, both[0]), area,
    h('div', { class: 'row' }, use, back, left)];
}
