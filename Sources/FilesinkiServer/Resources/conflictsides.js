'use strict';
// The two versions of an open conflict: what each is called and is, who has edited it, and which of them is in place.

// A side with the device that wrote its version, if that is known.
function sideName(side, line) {
  const device = line[`${side}_device`];
  const name = { base: 'Base', here: 'Here', there: 'There' }[side];
  return device === undefined ? name : `${name} (${visible(device)})`;
}

// The two versions of a conflict: what a call names them, their heads, with and without what is said of an edit, and what they are. On
// a device that wrote neither, they have the names of their devices, and a call names them by their places; as it does where what is in
// place was edited here since: that is of neither side.
function bothVersions(line) {
  if (line.edited_here) {
    const entry = line.here ?? copyEntry(line);
    const edit = copyEditWords(line, entry);
    return [
      { side: 'copy', label: 'Conflict copy', name: `Conflict copy${edit}`, edit, words: 'in the conflict copy', losesEdit: true, entry },
      { side: 'committed', label: 'In place', name: 'In place, edited here since', words: 'in place', isEdited: true, entry: line.there ?? placeEntry(line) },
    ];
  }
  if (line.sides === undefined) {
    return ['here', 'there'].map((side) => {
      const [label, edit] = [sideName(side, line), editWords(line, line[side])];
      return { side, label, name: `${label}${edit}`, edit, losesEdit: losesEdit(line, line[side]), words: `from ${side}`, entry: line[side] };
    });
  }
  const known = line.sides.map((entry) => {
    const [label, edit] = [writerName(line, entry), editWords(line, entry)];
    return { side: isCopyOf(line, entry) ? 'copy' : 'committed', isOfOthers: true, label, name: `${label}${edit}`, edit,
      losesEdit: losesEdit(line, entry), words: entry.side === 'committed' ? 'that was committed' : `of ${visible(entry.side)}`, entry };
  });
  return [...known, { side: null, isOfOthers: true, label: 'Another device', name: 'Another device', words: 'of another device' }].slice(0, 2);
}

// What a version of another device is called, as `conflicts` does.
function writerName(line, entry) {
  return `${visible(entry.side)}${entry.side === 'committed' && line.copy !== undefined ? ' (in place)' : ''}`;
}

// The two columns of a list of conflicts that have the versions: the head of each, and what stands before the size in a row. Where a
// version of each conflict is from here, that is a device if there are several. Else the heads are the devices that wrote the versions;
// where these are not the same in all rows, each row names them.
function versionColumns(list) {
  const isOne = (names) => new Set(names).size === 1;
  if (list.every((line) => line.sides === undefined)) {
    return ['here', 'there'].map((side) => {
      const isOfOne = isOne(list.map((line) => line[`${side}_device`]));
      const before = (line, { isEdited }) => {
        const device = line[`${side}_device`];
        return isEdited ? 'in place, ' : isOfOne || device === undefined ? '' : `${visible(device)}: `;
      };
      return { head: sideName(side, isOfOne ? list[0] : {}), before };
    });
  }
  return ['One version', 'The other one'].map((head, index) => {
    const labels = list.map((line) => bothVersions(line)[index].label);
    return isOne(labels) ? { head: labels[0], before: () => '' } : { head, before: (line, { label }) => `${label}: ` };
  });
}

// What stands in a row of such a column.
function versionCell(line, version, { before }) {
  const words = version.isEdited ? 'edited here since' : `${sideSize(version.entry)}${version.edit ?? ''}`;
  return `${before(line, version)}${words}`;
}

// The versions with which all of some conflicts can be resolved: their words, and what a call names that of each conflict.
function versionsOfAll(lines) {
  if (lines.length === 0 || lines.some((line) => line.copy_unsent || isEditedInPlace(line))) return [];
  // A path can have one of several versions only; the one from here is the same for all its conflicts.
  const isOfOnePath = new Set(lines.map((line) => pathHash('', pathValues(line)))).size < lines.length;
  return [0, 1].flatMap((index) => {
    const versionOf = (line) => bothVersions(line)[index];
    const { side, words } = versionOf(lines[0]);
    // A version of another device that is not known cannot be taken. One from here that was deleted is one, too.
    const isOfAll = lines.map(versionOf).every((version) => version.words === words && (version.entry || !version.isOfOthers));
    return !isOfAll || isOfOnePath && side !== 'here' ? [] : [{ words, sideOf: (line) => versionOf(line).side }];
  });
}

// Of two versions that other devices wrote, the one in the conflict copy, and the other one.
function copyEntry(line) { return line.sides?.find((entry) => isCopyOf(line, entry)); }

function placeEntry(line) { return line.sides?.find((entry) => !isCopyOf(line, entry)); }

function isCopyOf(line, entry) {
  return entry !== undefined && entry.place === line.copy && entry.place_bytes === line.copy_bytes;
}

// What is said of a version if it is that of a conflict copy which was edited since.
function copyEditWords(line, entry) {
  if (!isCopyOf(line, entry)) return '';
  return line.copy_unsent ? ', edited since, not yet synced' : line.copy_edited ? ', edited since' : '';
}

// Whether a version is the one in place of a conflict with a copy.
function isPlaceOf(line, entry) {
  return entry !== undefined && line.copy !== undefined && entry.place === line.path && entry.place_bytes === line.path_bytes;
}

// Whether the file in place was edited after the conflict had been found.
function isEditedInPlace(line) { return line.edited_here === true || line.unsent === true || line.edited_in_place !== undefined; }

// Whether what was edited in place would be replaced by a version.
function losesEdit(line, entry) { return isEditedInPlace(line) && !isPlaceOf(line, entry); }

// Who has edited what is in place, and in which version: empty if that is not known.
function editorWords(line, shown) {
  const { device, version } = line.edited_in_place ?? {};
  if (version === undefined) return '';
  return `${device === undefined || device === shown ? '' : ` by ${visible(device)}`} (version ${version})`;
}

// What is said of a version that was edited after the conflict had been found.
function editWords(line, entry) {
  if (!isPlaceOf(line, entry)) return copyEditWords(line, entry);
  if (line.unsent) return ', edited since, not yet synced';
  // The heads have the devices of the two sides.
  return line.edited_in_place === undefined ? '' : `, edited since${editorWords(line, entry.side ?? line.edited_in_place.device)}`;
}

// What a call names as shown: the content of the file in place, and that of the conflict copy. A call that would replace or take
// another one is refused. Undefined for what has none.
function shownContents(line, both) {
  if (line.copy === undefined) return { shown: line.here?.content };
  const contentOf = (isIt) => both.find(({ entry }) => isIt(line, entry))?.entry.content;
  return { shown: contentOf(isPlaceOf), copy: contentOf(isCopyOf) };
}

// Which version is in place, and where the other one is.
function placeWords(line, versions) {
  if (line.copy === undefined) return 'Both sides keep their own version until it is resolved.';
  if (line.edited_here) return ['What was edited here since is in place; the version that was found is in ', pathName(pathValues(line, 'copy')), '.'];
  const [aside, inPlace] = isCopyOf(line, versions[1].entry) ? [versions[1], versions[0]] : versions;
  return [`The version ${inPlace.words} is in place; the one ${aside.words} is in `, pathName(pathValues(line, 'copy')), '.'];
}

function sideSize(side) { return side?.size === undefined ? side?.kind ?? 'deleted' : sizeText(side.size); }
