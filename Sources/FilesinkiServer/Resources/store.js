'use strict';
// The page of a store: signing in with a token, its calls, its views. The session is a cookie that scripts cannot read.

class SignedOut extends Error {}

const account = { end: null };

// A call: the lines of its answer. While the server has not read the whole log, it is made again.
async function call(name, values) {
  for (let isReading = false; ; isReading = true) {
    const reply = await send(`call/${name}`, { method: 'POST', body: JSON.stringify(values ?? {}) });
    const { lines } = await reply.json();
    if (lines.some((line) => line.type === 'encrypted')) {
      throw new CallError('This store is encrypted. The server has sealed bytes only, so there is nothing to show here: ' +
        'run filesinki ui on a device that has its key.');
    }
    const reading = lines.find((line) => line.type === 'reading');
    if (reading === undefined) {
      if (isReading) clearNotice();
      return lines;
    }
    notice(`The history is being read: commit ${reading.sequence.toLocaleString()}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// The content of a version.
async function content(values, version) {
  const reply = await send(contentAddress(values, version), {});
  return new Uint8Array(await reply.arrayBuffer());
}

function contentAddress(values, version) {
  const bytes = values.path_bytes ?? [...new TextEncoder().encode(values.path)]
    .map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `content?path=${bytes}&version=${version}`;
}

async function send(address, options) {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await fetch(address, { credentials: 'same-origin', ...options })
      .catch(() => { throw new CallError('The server cannot be reached.'); });
    if (reply.ok) return reply;
    if (reply.status === 401) throw new SignedOut(await errorText(reply));
    if (reply.status !== 429 || attempt === 20) throw new CallError(await errorText(reply));
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function errorText(reply) {
  const text = await reply.text();
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text || `The server replied ${reply.status}.`;
  }
}

const views = [
  { name: '', title: 'History', render: timeline, isLive: true },
  { name: 'files', title: 'Files', render: files },
  { name: 'deleted', title: 'Deleted files', render: deletedFiles },
  { name: 'devices', title: 'Devices', render: devices, isLive: true },
  { name: 'space', title: 'Space', render: space },
  { name: 'versions', title: 'Versions', render: versions, parent: 'files' },
].map((view) => ({ ...view, render: (path) => signedIn(() => view.render(path)) }));

// Shows the form instead when the session is over.
async function signedIn(render) {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof SignedOut)) throw error;
    return endedSession();
  }
}

function endedSession() {
  // Who has not signed in yet may have followed a link.
  const hasBegun = account.end !== null;
  showAccount(null);
  if (hasBegun) notice('The session has ended. Sign in again.', true);
  return signInForm();
}

// A button may be the first to learn that the session is over.
frame.failed = (error) => {
  if (error instanceof SignedOut) place(endedSession(), true);
  else notice(error.message, true);
};

function signInForm() {
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true,
    spellcheck: 'false', 'aria-describedby': 'token-help' });
  const form = h('form', { onsubmit: async (event) => {
    event.preventDefault();
    if (form.getAttribute('aria-busy') === 'true') return;
    form.setAttribute('aria-busy', 'true');
    try {
      const reply = await send('session', { method: 'POST', body: field.value });
      clearNotice();
      showAccount(await reply.json());
      await show(true);
    } catch (error) {
      notice(error.message, true);
      field.focus();
    } finally {
      form.removeAttribute('aria-busy');
    }
  } },
  h('p', {}, h('label', { for: 'token' }, 'Token'), ' ', field),
  h('p', { id: 'token-help', class: 'soft' },
    'A token with the right to read, as filesinki serve token make prints it. The page can change nothing.'),
  h('div', { class: 'row' }, h('button', { class: 'main' }, 'Sign in')));
  document.getElementById('views').replaceChildren();
  return [h('h2', {}, 'Sign in'), form];
}

// Whose session it is, with a way to end it; nothing without one.
function showAccount(session) {
  account.end?.();
  account.end = null;
  frame.newest = null;
  const element = document.getElementById('account');
  if (session === null) return element.replaceChildren();
  element.replaceChildren(
    h('span', { class: 'soft', title: `Token ${session.token}` }, 'Token ', h('bdi', {}, visible(session.name || session.token)), ' '),
    action('Sign out', {}, async () => {
      await send('session', { method: 'DELETE' }).catch((error) => { if (!(error instanceof SignedOut)) throw error; });
      showAccount(null);
      clearNotice();
      place(signInForm(), true);
    }));
  account.end = followWhileSeen(follow);
}

// Shows a live view again when the store changed.
async function follow(signal) {
  try {
    const reply = await send('changes', { signal });
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (part.value.includes('event: change') && currentView()[0].isLive) await showAgain();
    }
    throw new CallError('The connection has ended. Reload the page.');
  } catch (error) {
    if (!signal.aborted && !(error instanceof SignedOut)) notice(error.message, true);
  }
}

async function begin() {
  addEventListener('hashchange', () => {
    clearWords();
    show(true);
  });
  try {
    const reply = await send('session', {});
    showAccount(await reply.json());
    await show(false);
  } catch (error) {
    if (error instanceof SignedOut) place(signInForm(), false);
    else notice(error.message, true);
  }
  performance.mark('view');
  document.documentElement.dataset.ready = 'yes';
}

begin();
