'use strict';
// The session, the calls, the views' frame. Every text of a file or a name becomes a text node.

const session = { secret: null, generation: 0 };

// An element with attributes and children; a string becomes a text node, nothing becomes nothing.
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function notice(text, isBad, ...more) {
  document.getElementById('notice').replaceChildren(h('p', { class: isBad ? 'bad' : null }, text, ' ', ...more));
}

function clearNotice() { document.getElementById('notice').replaceChildren(); }

class CallError extends Error {}

// A call: its exit code, the objects that the command printed, and its messages.
async function call(name, values) {
  const reply = await send(name, values);
  if (!reply.ok) throw new CallError(await errorText(reply));
  return reply.json();
}

// A content; nil if there is none.
async function content(name, values) {
  const reply = await send(name, values);
  if (reply.status === 404) return null;
  if (!reply.ok) throw new CallError(await errorText(reply));
  return new Uint8Array(await reply.arrayBuffer());
}

async function send(name, values) {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await fetch(`/call/${name}`, {
      method: 'POST',
      headers: { 'Authorization': `Bearer ${session.secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(values ?? {}),
    }).catch(() => { throw new CallError('filesinki ui has ended. Run it again, and open the new address.'); });
    if (reply.status !== 429 || attempt === 20) return reply;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function errorText(reply) {
  if (reply.status === 401) return 'This page has no session. Run filesinki ui again, and open the new address.';
  if (reply.status === 413) return 'This is too large to show.';
  const text = await reply.text();
  try {
    const error = JSON.parse(text);
    return error.message ?? error.messages ?? text;
  } catch {
    return text;
  }
}

// What a command that changed something says: the problem, or nothing.
function failureOf(result) {
  const failure = result.lines.find((line) => line.type === 'failure');
  if (failure) return `${failure.message} ${failure.remedy ?? ''}`;
  if (result.exit === 0 || result.exit === 3) return null;
  return result.messages.trim() || `The command ended with ${result.exit}.`;
}

// Runs a change for a button: the button is off meanwhile, and the result is announced.
async function change(button, name, values, done, ...more) {
  button.disabled = true;
  try {
    const failure = failureOf(await call(name, values));
    if (failure) notice(failure, true);
    else notice(done, false, ...more);
    return failure === null;
  } catch (error) {
    notice(error.message, true);
    return false;
  } finally {
    button.disabled = false;
  }
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
  return time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

function countText(count, noun) { return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`; }

function table(caption, heads, rows) {
  const cell = (name, value, head) => {
    const kind = head.number ? 'number' : head.nowrap ? 'nowrap' : null;
    return h(name, { class: kind, scope: name === 'th' ? 'col' : null }, value);
  };
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption),
      h('thead', {}, h('tr', {}, heads.map((head) => cell('th', head.text, head)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((value, index) => cell('td', value, heads[index])))))));
}

// The views by their name in the address; the first is shown at first. A live one is shown again when the
// replica changes; in the others a person reads or writes something that must stay.
const views = [
  { name: '', title: 'Overview', render: overview, isLive: true },
  { name: 'conflicts', title: 'Conflicts', render: conflictList, isLive: true },
  { name: 'history', title: 'History', render: history_, isLive: true },
  { name: 'deleted', title: 'Deleted files', render: deletedList, isLive: true },
  { name: 'devices', title: 'Devices', render: deviceList, isLive: true },
  { name: 'space', title: 'Space', render: space },
  { name: 'conflict', title: 'Conflict', render: conflict, parent: 'conflicts' },
  { name: 'versions', title: 'Versions', render: versions, parent: 'history' },
];

function showViews(current) {
  const shown = views.filter((view) => view.parent === undefined);
  document.getElementById('views').replaceChildren(...shown.map((view) => h('li', {},
    h('a', { href: `#/${view.name}`, 'aria-current': view.name === current ? 'page' : null }, view.title))));
}

// The view of the address, and the text behind its name.
function currentView() {
  const [name, argument] = location.hash.slice(2).split('/');
  return [views.find((known) => known.name === name) ?? views[0], argument];
}

// What a control is called; a view that is shown again gives the focus back to the one of this name.
function controlName(element) { return element.getAttribute('aria-label') ?? element.textContent; }

async function show(isNavigation) {
  const [view, argument] = currentView();
  session.generation += 1;
  const generation = session.generation;
  showViews(view.parent ?? view.name);
  document.title = `${view.title} – filesinki`;
  const main = document.getElementById('main');
  let parts;
  try {
    parts = await view.render(argument === undefined ? null : pathFromHash(decodeURIComponent(argument)));
  } catch (error) {
    parts = [h('h2', {}, view.title), h('p', {}, error.message)];
  }
  if (generation !== session.generation) return;
  const focused = document.activeElement;
  const name = focused !== main && main.contains(focused) ? controlName(focused) : null;
  main.replaceChildren(...parts.flat().filter((part) => part !== null));
  if (isNavigation) main.focus();
  else if (name !== null) [...main.querySelectorAll('a, button')].find((control) => controlName(control) === name)?.focus();
}

// Shows a live view again when the replica changed.
async function follow() {
  try {
    const reply = await fetch('/changes', { headers: { 'Authorization': `Bearer ${session.secret}` } });
    if (!reply.ok) throw new CallError(await errorText(reply));
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (part.value.includes('changed') && currentView()[0].isLive) await show(false);
    }
    throw new CallError('filesinki ui has ended. Run it again, and open the new address.');
  } catch (error) {
    notice(error instanceof CallError ? error.message : 'filesinki ui has ended.', true);
  }
}

async function begin() {
  const token = location.hash.match(/^#([0-9a-f]{32})$/);
  session.secret = sessionStorage.getItem('session');
  if (token) {
    history.replaceState(null, '', '#/');
    const reply = await fetch('/session', { method: 'POST', body: token[1] });
    if (reply.ok) {
      session.secret = await reply.text();
      sessionStorage.setItem('session', session.secret);
    }
  }
  if (!session.secret) {
    document.getElementById('main').replaceChildren(
      h('h2', {}, 'This address was used already'),
      h('p', {}, 'It works once. Run filesinki ui again, and open the new address.'));
    return;
  }
  addEventListener('hashchange', () => {
    clearNotice();
    show(true);
  });
  await show(false);
  document.documentElement.dataset.ready = 'yes';
  follow();
}

begin();
