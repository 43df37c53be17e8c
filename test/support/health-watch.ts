/** Polls the health of nodes continuously, as load balancers and supervisors do. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from './process.ts';
import { until } from './until.ts';

/** Far more than /health takes: a supervisor with a shorter timeout would restart a healthy node. */
const timeoutMs = 5_000;
const everyMs = 100;

export interface HealthWatch {
  /** Waits until each of the nodes answers /ready so. */
  readiness(status: number): Promise<void>;
  /** Every answer of /health so far was 200, and came soon. */
  stop(): Promise<void>;
}

export function watchHealth(nodes: readonly Server[]): HealthWatch {
  const complaints: string[] = [];
  const ready = new Map<Server, number>();
  let stopped = false;
  // A failing test does not reach its end.
  after(() => {
    stopped = true;
  });
  const watch = async (ask: () => Promise<void>) => {
    while (!stopped) {
      await ask();
      await pause(everyMs);
    }
  };
  const askHealth = async ({ url }: Server) => {
    const begun = performance.now();
    const status = await statusOf(`${url}/health`);
    const milliseconds = performance.now() - begun;
    if (status !== 200 || milliseconds > timeoutMs) complaints.push(`${status} after ${milliseconds} ms`);
  };
  const askReady = async (node: Server) => void ready.set(node, await statusOf(`${node.url}/ready`));
  const watching = nodes.flatMap((node) => [watch(() => askHealth(node)), watch(() => askReady(node))]);
  return {
    readiness: async (status) => {
      ready.clear();
      await until(`/ready answers ${status}`, () => nodes.every((node) => ready.get(node) === status));
    },
    stop: async () => {
      stopped = true;
      await Promise.all(watching);
      assert.deepEqual(complaints, []);
    },
  };
}

/** 0 when there is no answer. */
async function statusOf(url: string): Promise<number> {
  try {
    const reply = await fetch(url);
    await reply.text();
    return reply.status;
  } catch {
    return 0;
  }
}
