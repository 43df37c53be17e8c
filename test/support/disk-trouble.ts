/** What must hold while SQLite's disk rejects writes, and afterwards. */
import assert from 'node:assert/strict';
import type { Client } from './nodes.ts';
import type { Installation } from './process.ts';
import { until } from './until.ts';
import { type Place, requireFair, requireOnce, startWriting, type Told } from './write-load.ts';

/** While the disk takes nothing: changes are refused, reads go on, and nothing is half done. */
async function requireRefusal(client: Client, place: Place): Promise<void> {
  await until('a change is refused', async () => {
    const answer = await client.post(`/splits/ws/${place.project.id}/trafficTypes/user`, { name: `n${Date.now()}` });
    requireFair(answer);
    return answer.status === 503;
  });
  for (const path of ['/workspaces', place.path, '/auditLogs?limit=5']) {
    assert.equal((await client.get(path)).status, 200, path);
  }
  assert.equal((await fetch(`${client.node.url}/ready`)).status, 200);
  await client.node.says(/"msg":"the database is not available"/);
}

/** What keeps the disk from taking anything. */
export interface Trouble {
  begin(): unknown;
  end(): unknown;
}

/** Writers continue throughout; the trouble comes twice. Returns the responses that they got. */
export async function goThroughTrouble(client: Client, place: Place, trouble: Trouble): Promise<readonly Told[]> {
  const load = startWriting([client], place);
  await load.succeeds(client);
  for (let time = 0; time < 2; time += 1) {
    await trouble.begin();
    await load.isRefused(client);
    await requireRefusal(client, place);
    await trouble.end();
    // By itself: nobody restarts anything.
    await load.succeeds(client);
  }
  const told = await load.stop();
  for (const { answer } of told) {
    assert.ok(answer);
    requireFair(answer);
  }
  return told;
}

export async function requireNothingLost(burgee: Installation, place: Place, told: readonly Told[]): Promise<void> {
  const { isWhole } = await integrityOf(burgee);
  assert.ok(isWhole);
  await requireOnce(burgee, place, told);
}

export const integrityOf = async (burgee: Installation) => {
  const [row] = await burgee.rows<{ integrity_check: string }>('pragma integrity_check');
  return { isWhole: row?.integrity_check === 'ok' };
};
