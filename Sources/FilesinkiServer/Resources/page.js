'use strict';
// The page of a replica: its session, its calls, its views.

const session = { secret: null };

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
  if (!failure && (result.exit === 0 || result.exit === 3)) return null;
  const told = failure ?? result.lines.find((line) => line.away)?.away;
  if (told) return plain(`${told.message} ${told.remedy ?? ''}`);
  return plain(result.messages.trim()) || `The command ended with ${result.exit}.`;
}

// What a list without lines says. A command that found nothing may end with 1, and say no more.
function emptyWords(result, words) {
  const isSilent = result.exit === 1 && result.lines.length === 0 && result.messages.trim() === '';
  return (isSilent ? null : failureOf(result)) ?? words;
}

function queuedWords(result) {
  return result.lines.some((line) => line.queued) ? ' It is kept here, and published by the next sync.' : '';
}

// Runs a change, and announces its result. Returns whether it succeeded.
async function change(name, values, done, ...more) {
  const result = await call(name, values);
  const failure = failureOf(result);
  const open = name === 'sync' && result.exit === 3 ? ' There are conflicts to resolve.' : '';
  if (failure) notice(failure, true);
  else notice(done + queuedWords(result) + open, false, ...more);
  return failure === null;
}

const views = [
  { name: '', title: 'Overview', render: overview, isLive: true },
  { name: 'conflicts', title: 'Conflicts', render: conflictList, isLive: true },
  { name: 'history', title: 'History', render: history_, isLive: true },
  { name: 'deleted', title: 'Deleted files', render: deletedList, isLive: true },
  { name: 'devices', title: 'Devices', render: deviceList, isLive: true },
  { name: 'space', title: 'Space', render: space },
  { name: 'conflict', title: 'Conflict', render: conflict, changed: conflictChanged, parent: 'conflicts' },
  { name: 'versions', title: 'Versions', render: versions, parent: 'history' },
];

// Shows a live view again when the replica changed, and tells one that a person works in.
async function follow(signal) {
  try {
    const reply = await fetch('/changes', { signal, headers: { 'Authorization': `Bearer ${session.secret}` } });
    if (!reply.ok) throw new CallError(await errorText(reply));
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (!part.value.includes('changed') || frame.isBusy) continue;
      const [view] = currentView();
      if (view.isLive) await showAgain();
      else await view.changed?.();
    }
    throw new CallError('filesinki ui has ended. Run it again, and open the new address.');
  } catch (error) {
    if (signal.aborted) return;
    notice(error instanceof CallError ? error.message : 'filesinki ui has ended. Run it again, and open the new address.', true);
  }
}

// Why an address begins no session.
const refusals = {
  used: { title: 'This address was used already', words: 'It works once. Run filesinki ui again, and open the new address.' },
  wrong: {
    title: 'This address is not the printed one',
    words: 'It differs from the address that filesinki ui printed, or is of an earlier run. Copy the whole address again; it was not used by this.',
  },
  incomplete: {
    title: 'This address is not complete',
    words: 'Copy the whole address that filesinki ui printed, with all that is behind the #. If it was opened in another tab, run filesinki ui again.',
  },
};

async function begin() {
  // At once, so that there is something to see before the first answer.
  showViews(currentView()[0].name);
  await painted();
  const token = location.hash.match(/^#([0-9a-f]{32})$/);
  let refusal = refusals.incomplete;
  session.secret = sessionStorage.getItem('session');
  if (token) {
    history.replaceState(null, '', '#/');
    const reply = await fetch('/session', { method: 'POST', body: token[1] });
    if (reply.ok) {
      session.secret = await reply.text();
      sessionStorage.setItem('session', session.secret);
    } else refusal = reply.status === 410 ? refusals.used : refusals.wrong;
  }
  if (!session.secret) {
    document.getElementById('main').replaceChildren(h('h2', {}, refusal.title), h('p', {}, refusal.words));
    return;
  }
  addEventListener('hashchange', () => {
    clearWords();
    show(true);
  });
  // The overview shows it itself.
  if (currentView()[0].name !== '') call('status').then((state) => state.lines.filter((line) => line.type === 'status').forEach(showPlace), () => {});
  await show(false);
  performance.mark('view');
  document.documentElement.dataset.ready = 'yes';
  followWhileSeen(follow);
}

begin();
