'use strict';
// Text of the cluster only ever becomes text nodes: names are chosen by the cluster's users.

const EVERY_MS = 5000;
const SLOWEST_MS = 60000;
const MAX_ROWS = 40;
const $ = id => document.getElementById(id);
let token = '';
let pages = [''];
let next = '';
let chosen = null; // {workload} or {pod}
let paused = false;
let failures = 0;
let timer = 0;
let running = false;
let again = false;

function el(tag, kind, ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.append(...children.map(child => child instanceof Node ? child : String(child)));
  return made;
}

async function get(path, parameters) {
  const headers = token ? {Authorization: 'Bearer ' + token} : {};
  const stop = AbortSignal.timeout(15000);
  const response = await fetch(path + '?' + new URLSearchParams(parameters), {headers, signal: stop});
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), {status: response.status});
  return answer;
}

// One request at a time: the next look begins when this one has ended.
async function look() {
  clearTimeout(timer);
  if (running) { again = true; return; }
  running = true;
  try {
    do {
      again = false;
      await update();
    } while (again);
    failures = 0;
    report('');
  } catch (error) {
    failures++;
    report(error.name === 'TypeError' ? 'The server cannot be reached.' : error.message);
    if (error.status === 401) {
      $('access').open = true;
    }
  }
  running = false;
  if (again) return look();
  if (!paused && !document.hidden) timer = setTimeout(look, Math.min(SLOWEST_MS, EVERY_MS * 2 ** failures));
}

async function update() {
  const asked = chosen;
  const spread = {page: pages.at(-1), violated: $('violated').checked};
  if ($('namespace').value.trim()) spread.namespace = $('namespace').value.trim();
  const list = await get('spread', spread);
  next = list.nextPageToken;
  showWorkloads(list.workloads);
  $('state').textContent = (list.workloads.length || 'No') + ' workloads' + (next ? ' on this page' : '')
    + ' · ' + new Date().toLocaleTimeString() + (paused ? ' · paused' : ' · live');
  if (asked?.workload) showWorkload(asked.workload, (await get('spread', asked)).workloads[0]);
  if (asked?.pod) showPod(await get('explain', asked));
}

function report(message) {
  $('problem').textContent = message;
  $('problem').hidden = !message;
  if (message) $('state').textContent = 'Not up to date';
}

const path = workload => workload.namespace + '/' + workload.kind + '/' + workload.name;
const FIRST_KEYS = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];
const order = key => -1 - FIRST_KEYS.indexOf(key);
const shortKey = key => key.replace(/^(topology\.)?kubernetes\.io\//, '');

function heat(constraint) {
  if (!constraint.whenUnsatisfiable) return 'none';
  if (constraint.violated) return constraint.whenUnsatisfiable === 'DoNotSchedule' ? 'hard' : 'soft';
  return Number(constraint.skew) ? 'within' : 'even';
}

const GRADES = ['none', 'even', 'within', 'soft', 'hard'];

function showWorkloads(workloads) {
  const rows = workloads.flatMap(workload => workload.templates.map(template => ({workload, template})));
  const keys = [...new Set(rows.flatMap(row => row.template.constraints.map(each => each.topologyKey)))]
    .sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  const head = el('tr', '', el('th', '', 'Workload'), el('th', '', 'Pods'), ...keys.map(key => {
    const column = el('th', '', ...shortKey(key).split(/(?<=\/)/).flatMap((part, i) => i ? [el('wbr'), part] : [part]));
    column.title = key;
    return column;
  }));
  $('keys').replaceChildren(head);
  const focused = document.activeElement?.dataset?.workload;
  $('workloads').replaceChildren(...rows.map(row => workloadRow(row, keys)));
  if (!rows.length) $('workloads').append(el('tr', '', el('td', 'dim', 'No workload matches.')));
  if (focused) [...document.querySelectorAll('[data-workload]')].find(e => e.dataset.workload === focused)?.focus();
  $('next').disabled = !next;
  $('first').disabled = pages.length < 2;
  $('pages').hidden = !next && pages.length < 2;
}

function workloadRow({workload, template}, keys) {
  const name = path(workload.workload);
  const revision = workload.templates.length > 1 && template.revision ? ' (' + template.revision + ')' : '';
  const {namespace, kind, name: short} = workload.workload;
  const button = el('button', '', namespace + '/', el('wbr'), kind + '/', el('wbr'), short + revision);
  button.type = 'button';
  button.dataset.workload = name;
  button.addEventListener('click', () => choose({workload: name}));
  const pending = Number(template.pendingPodCount);
  const pods = el('td', 'number', template.podCount);
  if (pending) pods.append(el('span', 'pending', ' ' + pending + ' pending'));
  const row = el('tr', chosen?.workload === name ? 'chosen' : '', el('th', '', button), pods);
  for (const key of keys) {
    const worst = template.constraints.filter(each => each.topologyKey === key)
      .sort((a, b) => GRADES.indexOf(heat(b)) - GRADES.indexOf(heat(a)))[0];
    row.append(worst ? heatCell(worst) : el('td'));
  }
  if (template.error) row.append(el('td', 'pending', template.error));
  return row;
}

function heatCell(constraint) {
  const cell = el('td', 'cell ' + heat(constraint), el('b', '', constraint.skew));
  if (constraint.whenUnsatisfiable) cell.append(' of ' + constraint.maxSkew);
  cell.title = (constraint.whenUnsatisfiable || 'no constraint') + ': ' + constraint.globalMinimum + ' to '
    + constraint.maximum + ' pods in ' + constraint.eligibleDomainCount + ' domains';
  return cell;
}

// A domain with its bar. `limit` is the highest count that maxSkew allows.
function domainRow(domain, scale, minimum, limit, more) {
  const width = count => (100 * Math.min(count, scale) / scale) + '%';
  const track = el('span', 'track');
  const bar = el('i');
  bar.style.width = width(domain.count);
  track.append(bar);
  if (more) {
    const added = el('i', 'more');
    added.style.left = width(domain.count);
    added.style.width = width(more);
    track.append(added);
  }
  for (const [kind, at] of [['minimum', minimum], ['limit', limit]]) {
    if (at === null) continue;
    const line = el('u', kind);
    line.style.left = width(at);
    track.append(line);
  }
  const row = el('li', 'domain ' + domain.kind, el('span', 'name', domain.value || '""'),
    el('span', 'count', domain.count), track);
  if (domain.said.length) {
    row.append(el('span', 'said', ...domain.said.flatMap((each, i) => i ? [', ', each] : [each])));
  }
  return row;
}

function marks(minimum, limit, more) {
  const line = el('p', 'marks', el('u'), 'minimum ' + minimum);
  if (limit !== null) line.append(el('u', 'limit'), 'limit ' + limit + ' (minimum + maxSkew)');
  if (more) line.append(el('i'), 'this pod');
  return line;
}

function rows(domains, minimum, limit, more) {
  const scale = Math.max(1, limit ?? 0, ...domains.map(each => each.count + more)) * 1.05;
  const list = el('ul', 'domains', ...domains.slice(0, MAX_ROWS)
    .map(each => domainRow(each, scale, minimum, limit, more)));
  return domains.length > MAX_ROWS
    ? [list, el('p', 'note', (domains.length - MAX_ROWS) + ' more domains')] : [list];
}

function showWorkload(name, workload) {
  const parts = [el('h3', '', name)];
  if (!workload) parts.push(el('p', 'note', 'This workload is not listed any more.'));
  for (const template of workload?.templates ?? []) {
    parts.push(el('p', 'note', template.podCount + ' pods, ' + template.pendingPodCount + ' pending'
      + (template.revision ? ', revision ' + template.revision : '')
      + (template.defaultConstraints ? ', default constraints of the scheduler' : '')));
    if (template.error) parts.push(el('p', 'pending', template.error));
    for (const each of template.constraints) {
      const minimum = Number(each.globalMinimum);
      const limit = each.whenUnsatisfiable ? minimum + each.maxSkew : null;
      parts.push(el('h3', '', each.topologyKey), el('p', '', each.whenUnsatisfiable
        ? each.whenUnsatisfiable + ', maxSkew ' + each.maxSkew + ', skew ' + each.skew
          + (each.violated ? ': ' + each.excessPodCount + ' pods too many' : '')
        : 'No constraint, skew ' + each.skew), marks(minimum, limit, 0));
      parts.push(...rows(each.domains.map(domain => {
        const count = Number(domain.podCount);
        const over = limit === null ? 0 : count - limit;
        return {value: domain.value, count, kind: over > 0 ? 'no' : 'yes',
          said: over > 0 ? [el('b', '', over + ' above the limit')] : []};
      }), minimum, limit, 0));
    }
  }
  if (Number(workload?.pendingPodCount)) {
    parts.push(el('p', 'note', 'To see why one of its pods is pending, enter the name of the pod above.'));
  }
  $('detail').replaceChildren(...parts);
}

function showPod(answer) {
  const pod = answer.pod;
  const passed = answer.passedCount;
  const parts = [el('h3', '', pod.namespace + '/' + pod.name),
    el('p', 'note', pod.node ? 'On node ' + pod.node + '; judged as if it were not there yet'
      : 'On no node'),
    el('p', passed ? 'verdict yes' : 'verdict', answer.summary)];
  if (answer.unjudgedRules.length) parts.push(el('p', 'note', 'Not judged: ' + answer.unjudgedRules.join(', ')));
  if (!answer.constraints.length) parts.push(el('p', 'note', 'No topology spread constraint applies to this pod.'));
  for (const each of answer.constraints) parts.push(...constraint(each));
  if (answer.advice.length) {
    parts.push(el('h3', '', 'Likely mistakes'), el('ul', 'advice', ...answer.advice.map(advice =>
      el('li', '', el('code', '', advice.field), el('p', '', advice.message)))));
  }
  $('detail').replaceChildren(...parts);
}

function constraint(each) {
  const rule = each.constraint;
  const hard = rule.whenUnsatisfiable === 'DoNotSchedule';
  const minimum = Number(each.globalMinimum);
  const self = each.selfMatch ? 1 : 0;
  const limit = minimum + rule.maxSkew;
  const parts = [el('h3', '', '[' + each.index + '] ' + rule.topologyKey),
    el('p', '', rule.whenUnsatisfiable + ', maxSkew ' + rule.maxSkew + ', counts ' + each.effectiveSelector
      + (self ? '' : ' (not this pod)')),
    marks(minimum, limit, self)];
  if (each.tooFewDomains) parts.push(el('p', 'note', 'The minimum is 0: fewer than minDomains domains are eligible.'));
  parts.push(...rows(each.domains.map(domain => {
    const rejected = hard && !domain.admitted;
    const said = [];
    if (!domain.eligible) said.push('not counted: ' + reasons(domain.ineligibilities));
    if (rejected && domain.eligible) {
      said.push(el('b', '', 'rejected: ' + domain.matchingPodCount + ' + ' + self + ' − ' + minimum + ' = '
        + domain.resultingSkew + ' > maxSkew ' + rule.maxSkew));
    }
    said.push(domain.passedNodeCount + ' of ' + domain.nodeCount + ' nodes available');
    if (domain.exclusions.length) said.push('excluded: ' + reasons(domain.exclusions));
    return {value: domain.value, count: Number(domain.matchingPodCount), said,
      kind: !domain.eligible ? 'off' : rejected ? 'no' : 'yes'};
  }), minimum, limit, self));
  if (Number(each.leastMaxSkew)) {
    parts.push(el('p', 'note', 'The lowest maxSkew that would admit the pod: ' + each.leastMaxSkew + '.'));
  }
  return parts;
}

const reasons = list => list.map(each => each.nodeCount + ' ' + each.message).join(', ');

function choose(asked) {
  chosen = asked;
  history.replaceState(null, '', '#' + new URLSearchParams(asked));
  look();
}

function chosenByAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.get('pod')) {
    $('pod').value = asked.get('pod');
    chosen = {pod: asked.get('pod')};
  } else if (asked.get('workload')) {
    chosen = {workload: asked.get('workload')};
  }
  look();
}

function on(id, event, action) {
  $(id).addEventListener(event, happened => {
    if (event === 'submit') happened.preventDefault();
    action();
  });
}

on('login', 'submit', () => { token = $('token').value.trim(); $('token').value = ''; $('access').open = false; look(); });
on('ask', 'submit', () => choose({pod: $('pod').value.trim()}));
on('filter', 'submit', look);
on('namespace', 'change', () => { pages = ['']; look(); });
on('violated', 'change', () => { pages = ['']; look(); });
on('next', 'click', () => { pages.push(next); look(); });
on('first', 'click', () => { pages = ['']; look(); });
on('pause', 'click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', paused);
  $('pause').textContent = paused ? 'Resume' : 'Pause';
  look();
});
document.addEventListener('visibilitychange', () => document.hidden ? clearTimeout(timer) : look());
window.addEventListener('hashchange', chosenByAddress);
chosenByAddress();
