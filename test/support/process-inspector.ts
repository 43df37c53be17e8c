/** Inspects a server process from outside with Node's inspector; the server runs unmodified. */
import { once } from 'node:events';
import { after } from 'node:test';
import type { Server } from './process.ts';

/** For the start of a server that is to be inspected. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

export interface ProcessInspector {
  /** What is in use after the garbage is collected, in bytes. */
  memory(): Promise<{ heap: number; buffers: number }>;
  /**
   * The longest that the process computed without letting others in, in milliseconds of its own processor time, since
   * the question was asked last. Time in which the machine did something else does not count.
   */
  longestTurn(): Promise<number>;
  /**
   * The milliseconds of a turn as they would be on the machine where the limit was chosen, if this one computes slower
   * just now. They are held against a loop that is measured in the same process, only where they are over the limit.
   */
  asThere(turn: number, limitMs?: number): Promise<number>;
}

/** The longest turn that is allowed. */
export const maxMs = 100;

/** What the loop took, at the least, on the machine of docs/trust.md. */
const loopMsThere = 170;

export async function inspect(server: Server): Promise<ProcessInspector> {
  const url = /ws:\/\/\S+/.exec(server.stderr())?.[0];
  if (url === undefined) throw new Error('the server was not started to be inspected');
  const socket = new WebSocket(url);
  after(() => socket.close());
  await once(socket, 'open');
  const waiting = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    waiting.get(message.id)?.(message);
  });
  const command = (method: string, params: object = {}) => {
    const id = waiting.size + 1;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise<Message>((resolve) => void waiting.set(id, resolve));
  };
  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const { result } = await command('Runtime.evaluate', { expression, returnByValue: true });
    if (result?.exceptionDetails) throw new Error(JSON.stringify(result.exceptionDetails));
    return result?.result?.value as Value;
  };
  await evaluate(`(${watchTurns})()`);
  return {
    memory: async () => {
      await command('HeapProfiler.collectGarbage');
      const { heapUsed, arrayBuffers } = await evaluate<NodeJS.MemoryUsage>('process.memoryUsage()');
      return { heap: heapUsed, buffers: arrayBuffers };
    },
    longestTurn: () => evaluate('burgeeTurns()'),
    asThere: async (turn, limitMs = maxMs) => {
      if (turn <= limitMs) return turn;
      const loopMs = await evaluate<number>(`(${measureLoop})()`);
      // The loop was a long turn itself.
      await evaluate('burgeeTurns()');
      return turn / Math.max(1, loopMs / loopMsThere);
    },
  };
}

interface Message {
  readonly id: number;
  readonly result?: { readonly result?: { readonly value?: unknown }; readonly exceptionDetails?: unknown };
}

/** Runs in the server. Between two calls of a timer that is always due lies one turn of the event loop. */
function watchTurns(): void {
  const spent = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = spent();
  const tick = () => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(tick, 1).unref();
  Object.assign(globalThis, {
    burgeeTurns: () => {
      tick();
      const turn = longest;
      longest = 0;
      return turn;
    },
  });
}

/** Runs in the server: the processor time, in milliseconds, of what large bodies cost it at the least, reading JSON. */
function measureLoop(): number {
  const text = JSON.stringify(Array.from({ length: 25_000 }, (_, index) => ({ name: `treatment ${index}`, size: 1 })));
  const before = process.threadCpuUsage();
  for (let round = 0; round < 30; round += 1) JSON.stringify(JSON.parse(text));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
