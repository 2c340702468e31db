'use strict';
// What the pages have in common: elements, notices, paths and numbers, the frame of the views. Every text of a file or
// a name becomes a text node. A page has `views`: their names in the address, the first is shown at first. A live one
// is shown again when something changed; in the others a person reads or writes something that must stay.

const frame = { generation: 0, newest: null, isBusy: false, shown: new Map(), failed: (error) => notice(error.message, true) };

// An element with attributes and children; a string becomes a text node, nothing becomes nothing.
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function notice(text, isBad, ...more) {
  document.getElementById('notice').replaceChildren(h('p', { class: isBad ? 'bad' : null }, plain(text), ' ', ...more));
}

// A message of the program, which may have several lines.
function plain(text) { return text.split('\n').map((line) => visible(line)).join('\n'); }

function clearNotice() { document.getElementById('notice').replaceChildren(); }

// Takes away what was said in the view that is left.
function clearWords() {
  clearNotice();
  document.getElementById('activity').replaceChildren();
}

class CallError extends Error {
  constructor(message) { super(plain(message)); }
}

// A path as filesinki prints it: what a call needs, and what a person reads.
function pathValues(line, name = 'path') {
  const bytes = line[`${name}_bytes`];
  return bytes === undefined ? { path: line[name] } : { path: line[name], path_bytes: bytes };
}

function listedPath(element) { return typeof element === 'string' ? { path: element } : element; }

function pathName(values) { return h('bdi', {}, visible(values.path)); }

function pathHash(view, values) {
  const text = values.path_bytes === undefined ? `t${values.path}` : `b${values.path_bytes}:${values.path}`;
  return `#/${view}/${encodeURIComponent(text)}`;
}

function pathFromHash(text) {
  if (text[0] === 't') return { path: text.slice(1) };
  const colon = text.indexOf(':');
  return { path_bytes: text.slice(1, colon), path: text.slice(colon + 1) };
}

function sizeText(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

// A time of the JSON, which has nanoseconds.
function timeText(text) {
  if (!text) return 'never';
  const time = new Date(text.replace(/(\.\d{3})\d*/, '$1'));
  return time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

function countText(count, noun) { return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`; }

// A table. The cells of a column with `isName` are the headers of their rows. On a narrow screen each row is a block, in
// which the cells say their column; the roles are named, since browsers forget them then.
function table(caption, heads, rows) {
  const kind = (head) => head.number ? 'number' : head.nowrap ? 'nowrap' : null;
  const cell = (value, head) => head.isName
    ? h('th', { scope: 'row', role: 'rowheader', class: kind(head), 'data-head': head.text }, value)
    : h('td', { role: 'cell', class: kind(head), 'data-head': head.text }, value);
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', { role: 'table' }, h('caption', {}, caption),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
        heads.map((head) => h('th', { scope: 'col', role: 'columnheader', class: kind(head) }, head.text)))),
      h('tbody', { role: 'rowgroup' }, rows.map((row) => h('tr', { role: 'row' },
        row.map((value, index) => cell(value, heads[index])))))));
}

// What a button does while it runs. It keeps the focus, so it is not disabled, but does nothing when pressed again. The
// second click of a double click is ignored: another button may have taken the place of the first one by then.
function action(words, attributes, run) {
  const button = h('button', { type: 'button', ...attributes, onclick: async (event) => {
    if (event.detail > 1 || button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    try {
      await run(button);
    } catch (error) {
      frame.failed(error);
    } finally {
      button.removeAttribute('aria-disabled');
    }
  } }, words);
  return button;
}

// Tells of what a button has opened in a place. Escape closes it, as does the function that is returned, and the focus
// goes back to the button, which may have been made again by then.
function opened(place, button, close = () => place.replaceChildren()) {
  const end = () => {
    closed(place);
    close();
    button()?.focus();
  };
  place.dataset.open = '';
  place.onkeydown = (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    end();
  };
  return end;
}

function closed(place) {
  delete place.dataset.open;
  place.onkeydown = null;
}

// Shows a view again that has changed, unless somebody has written into it or opened something.
async function showAgain() {
  const isInUse = [...document.querySelectorAll('main input')].some((field) => field.value !== '') ||
    document.querySelector('main [data-open]') !== null;
  if (!isInUse) return show(false);
  notice('There is something new since this was shown.', false, action('Show it again', {}, async () => {
    clearNotice();
    await show(false);
  }));
}

// Tells a person who does not see the page of a commit that is new since the last one was shown.
function announce(commit) {
  if (commit === undefined) return;
  if (frame.newest !== null && commit.sequence > frame.newest) {
    document.getElementById('activity').replaceChildren(
      h('p', {}, visible(`Commit ${commit.sequence} by ${commit.device}: ${countsText(commit)}`)));
  }
  frame.newest = Math.max(frame.newest ?? 0, commit.sequence);
}

// A link to the view that is shown reads it anew: its address does not change, so nothing else would.
function showSame(event) {
  if (event.currentTarget.hash !== location.hash) return;
  clearWords();
  show(true);
}

// The links stay the same elements: one of them may have the focus.
function showViews(current) {
  const shown = views.filter((view) => view.parent === undefined);
  const list = document.getElementById('views');
  if (list.children.length === 0) {
    list.replaceChildren(...shown.map((view) => h('li', {}, h('a', { href: `#/${view.name}`, onclick: showSame }, view.title))));
  }
  shown.forEach((view, index) => {
    const link = list.children[index].firstElementChild;
    if (view.name === current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
}

// The view of the address, and the text behind its name.
function currentView() {
  const [name, argument] = location.hash.slice(2).split('/');
  return [views.find((known) => known.name === name) ?? views[0], argument];
}

// What a control is called; a view that is shown again gives the focus back to the one of this name.
function controlName(element) { return element.getAttribute('aria-label') ?? element.textContent; }

function argumentPath(argument) {
  try {
    return argument === undefined || argument === '' ? null : pathFromHash(decodeURIComponent(argument));
  } catch {
    return null;
  }
}

// Waits until what the page has by now was painted: the commands that a call starts would compete with that. A page that
// is not seen is not painted.
function painted() {
  if (document.visibilityState !== 'visible') return Promise.resolve();
  return new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
}

// Follows the changes while the page is seen. A browser opens few connections to one server, and a tab that nobody sees
// must not hold one of them. `run` gets what ends it.
function followWhileSeen(run) {
  let stream = null;
  const change = () => {
    const isSeen = document.visibilityState === 'visible';
    if (isSeen === (stream !== null)) return;
    stream?.abort();
    stream = isSeen ? new AbortController() : null;
    if (stream) run(stream.signal);
  };
  const leave = () => {
    stream?.abort();
    stream = null;
  };
  addEventListener('visibilitychange', change);
  addEventListener('pagehide', leave);
  addEventListener('pageshow', change);
  change();
  return () => {
    leave();
    removeEventListener('visibilitychange', change);
    removeEventListener('pagehide', leave);
    removeEventListener('pageshow', change);
  };
}

async function show(isNavigation) {
  const [view, argument] = currentView();
  frame.generation += 1;
  const generation = frame.generation;
  showViews(view.parent ?? view.name);
  document.title = `${view.title} – filesinki`;
  const main = document.getElementById('main');
  // What takes longer says so, in place of the view before.
  let hasFocus = false;
  const waiting = isNavigation || main.querySelector('h2') === null ? setTimeout(() => {
    hasFocus = isNavigation;
    if (generation === frame.generation) place([h('h2', {}, view.title), h('p', { class: 'soft', 'aria-busy': 'true' }, 'Reading …')], isNavigation);
  }, 300) : null;
  let parts;
  try {
    parts = await view.render(argumentPath(argument), !isNavigation);
  } catch (error) {
    parts = [h('h2', {}, view.title), h('p', {}, error.message)];
  }
  clearTimeout(waiting);
  // Who has gone on from the heading meanwhile is not called back to it.
  if (generation === frame.generation) place(parts, isNavigation && !hasFocus);
}

// Puts a view into the page. The focus goes to its heading, or stays at the control that had it; to the heading, too,
// if that control is gone.
function place(parts, isNavigation) {
  const main = document.getElementById('main');
  replaceParts(main, parts);
  main.querySelector('h2')?.setAttribute('tabindex', '-1');
  if (isNavigation) focusHeading();
}

function focusHeading() { document.querySelector('main h2')?.focus(); }

// Puts parts into an element, in place of those that it has.
function replaceParts(element, parts) {
  const focused = document.activeElement;
  const name = focused !== element && element.contains(focused) ? controlName(focused) : null;
  element.replaceChildren(...[parts].flat(Infinity).filter((part) => part !== null && part !== undefined));
  if (name === null) return;
  const control = [...element.querySelectorAll('a, button, h2')].find((known) => controlName(known) === name);
  document.querySelector('main h2')?.setAttribute('tabindex', '-1');
  if (control) control.focus();
  else focusHeading();
}

document.getElementById('skip').addEventListener('click', focusHeading);
