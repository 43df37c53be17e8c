/** The page of the shop: one client of the SDK for each customer, drawn again when the SDK has an update. */
import { SplitFactory } from '@splitsoftware/splitio-browserjs';

interface Settings {
  readonly burgee: string;
  readonly key: string;
  readonly signInPath: string;
}

const flag = 'checkout_one_page';
const titles: Record<string, string> = { on: 'One page', off: 'Three steps', compact: 'One page, compact' };
const parts: Record<string, number> = { on: 4, off: 3, compact: 3 };

const customers = Array.from({ length: 24 }, (_, index) => ({
  key: `user-${4712 + index}`,
  attributes: {
    country: ['DE', 'SE', 'PL', 'AT', 'GB', 'CH'][index % 6] ?? 'DE',
    email: index % 8 === 7 ? `user-${4712 + index}@acme.example` : `user-${4712 + index}@mail.example`,
    beta: index % 5 === 0,
  },
}));

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return found;
};

const settings: Settings = await (await fetch('/settings.json')).json();
element('flag').setAttribute('href', settings.signInPath);

const factory = SplitFactory({
  core: { authorizationKey: settings.key, key: customers[0]?.key ?? '' },
  urls: {
    sdk: `${settings.burgee}/api`,
    events: `${settings.burgee}/api`,
    auth: `${settings.burgee}/api`,
    telemetry: `${settings.burgee}/api`,
    streaming: settings.burgee,
  },
});
const clients = customers.map(({ key }) => factory.client(key));
const tiles = customers.map(({ key, attributes }) => {
  const tile = element('shoppers').appendChild(document.createElement('li'));
  tile.innerHTML = '<div class="sketch" aria-hidden="true"></div><div class="gets"></div><div class="who"></div>';
  part(tile, '.who').textContent = `${key}, ${attributes.country}${attributes.beta ? ', beta' : ''}`;
  tile.title = attributes.email;
  return tile;
});
const shown: string[] = customers.map(() => 'control');

/** The SDK tells every client of an update; one drawing is enough for all of them. */
let isDrawing = false;
function drawSoon(): void {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    draw();
  });
}

function draw(): void {
  const moves = new Map<string, number>();
  for (const [index, { attributes }] of customers.entries()) {
    const treatment = clients[index]?.getTreatment(flag, attributes) ?? 'control';
    const before = shown[index] ?? 'control';
    if (treatment === before) continue;
    shown[index] = treatment;
    drawTile(index, treatment, before !== 'control');
    if (before !== 'control') moves.set(`${before} to ${treatment}`, (moves.get(`${before} to ${treatment}`) ?? 0) + 1);
  }
  drawCounts();
  if (moves.size > 0) log([...moves].map(([move, count]) => `${count} from ${move}`).join(', '));
}

function drawTile(index: number, treatment: string, isMove: boolean): void {
  const tile = tiles[index];
  if (!tile) return;
  tile.className = `shopper ${treatment}`;
  part(tile, '.gets').textContent = titles[treatment] ?? treatment;
  const sketch = part(tile, '.sketch');
  sketch.replaceChildren(...Array.from({ length: parts[treatment] ?? 1 }, () => document.createElement('i')));
  if (!isMove) return;
  // Reading the width restarts the animation.
  void tile.offsetWidth;
  tile.classList.add('moved');
}

function drawCounts(): void {
  const counts = Map.groupBy(shown, (treatment) => treatment);
  element('counts').replaceChildren(
    ...[...new Set([...Object.keys(titles), ...counts.keys()])].map((treatment) => {
      const item = document.createElement('li');
      const number = document.createElement('b');
      number.textContent = String(counts.get(treatment)?.length ?? 0);
      item.append(number, ` ${titles[treatment] ?? treatment}`);
      return item;
    }),
  );
}

function log(text: string): void {
  const line = document.createElement('li');
  line.textContent = `${new Date().toLocaleTimeString()}  ${text}`;
  element('log').prepend(line);
}

function part(tile: HTMLElement, selector: string): HTMLElement {
  const found = tile.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`A tile has no ${selector}`);
  return found;
}

const say = (text: string) => {
  element('state').textContent = text;
};
for (const client of clients) {
  client.on(client.Event.SDK_READY, () => {
    say('Connected. Changes arrive as soon as they are saved.');
    drawSoon();
  });
  client.on(client.Event.SDK_UPDATE, drawSoon);
  client.on(client.Event.SDK_READY_TIMED_OUT, () => say('Burgee does not answer. Is the demo still running?'));
}
