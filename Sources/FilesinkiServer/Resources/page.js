'use strict';
// The page of a replica: its session, its calls, its views.

// The root is known as soon as the state of the replica is, as is what the overview has shown as not yet sent; whether the store was
// moved, once its remote was asked.
const session = { secret: null, root: null, unsent: null, moved: null };

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
  if (told) return toldWords(told);
  const problem = result.lines.find((line) => line.type === 'problem');
  if (problem) return placedWords(problem);
  return plain(result.messages.trim()) || `The command ended with ${result.exit}.`;
}

// What a failure says of a path that came back here, or was resolved, all the same.
const keptHere = /(^|\. )(?:(?!\. )[^])*(Restored|Resolved) here, not yet published; the next run that can will do that\.$/;

function isKeptHere(told) { return keptHere.test(told?.remedy ?? ''); }

// A failure or a notice in words. What was done is said before what was not: what is said last seems to be the end of it.
function toldWords(told) {
  const remedy = withRoot((told.remedy ?? '').replace(keptHere, (_, end) => end.trim()));
  const kept = (told.remedy ?? '').match(keptHere);
  const done = kept ? `${kept[2]} here, not yet published. ` : '';
  return plain(`${done}${told.message} ${remedy}`.trim());
}

function placedWords(told) { return told.path === undefined ? toldWords(told) : `${visible(told.path)}: ${toldWords(told)}`; }

// A word of a command, for a shell.
function shellWord(text) { return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`; }

// The commands that remedies name, and that work on one replica.
const placedCommands = /\bfilesinki (?:remote set|devices list|check-ignore|sync|status|ls|log|show|diff|explain|save|rm|mv|delete|undelete|restore|resolve|conflicts|prune|doctor|check|repair)(?![\w-]| --root)/g;

// A remedy with the replica in its commands: they are run in any folder. One that speaks of devices may be for another one, where the
// folder has another name.
function withRoot(remedy) {
  if (session.root === null || /\bdevices?\b(?! list)/.test(remedy)) return remedy;
  return remedy.replaceAll(placedCommands, (words) => `${words} --root ${shellWord(session.root)}`);
}

// What a command says beside its result, a line each.
function noticeWords(result) {
  const shown = 5;
  const notices = result.lines.filter((line) => line.type === 'notice');
  return [...notices.slice(0, shown).map(placedWords), ...notices.length > shown ? [`and ${countText(notices.length - shown, 'more notice')}`] : []];
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
  else {
    const isUrgent = result.lines.some((line) => line.type === 'notice' && line.code === 'wrong-store');
    notice([done + queuedWords(result) + open, ...noticeWords(result)].join('\n'), isUrgent, ...more);
  }
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

// What happens in the folder alone changes nothing in the replica, which is what `follow` hears of. The overview asks for it while it is
// seen, every few seconds; less often where the answer takes long.
async function followFolder(signal) {
  const least = 3000;
  for (let pause = least; !signal.aborted;) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (signal.aborted || currentView()[0].name !== '' || frame.isBusy) continue;
    const began = performance.now();
    const known = session.unsent;
    const found = await call('status').then((state) => state.lines.find((line) => line.type === 'status'), () => undefined);
    pause = Math.max(least, 50 * (performance.now() - began));
    const isNew = found !== undefined && known !== null && unsentText(found) !== known && session.unsent === known;
    if (!isNew || signal.aborted || currentView()[0].name !== '' || frame.isBusy) continue;
    session.unsent = unsentText(found);
    await showAgain().catch(frame.failed);
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
  followWhileSeen(followFolder);
}

begin();
