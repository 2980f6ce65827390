import { expect, test } from 'vitest';
import type { AppContext } from '#server/platform/app-context.ts';
import type { GraphConnections } from '#server/engine/embedded/organizations/access.ts';
import { makeRestorePorts } from '#server/engine/embedded/restore/restore-ports.ts';
import { getValue, graphError, json, testGraph } from '../graph/fixtures.ts';

const NEVER = (): never => {
  throw new Error('not used');
};

/** The target of restores to a tenant whose requests `answer` answers. */
async function openTarget(answer: Parameters<typeof testGraph>[0]) {
  const graph = testGraph(answer);
  const connections: GraphConnections = {
    open: () => Promise.resolve({ ok: true, value: graph.ports }),
    try: NEVER,
    until: NEVER,
    person: NEVER,
    login: NEVER,
  };
  const ports = makeRestorePorts(() => ({}) as AppContext, connections);
  const turns = { isTaken: NEVER, take: NEVER };
  const target = getValue(await ports.openTarget('tenant', 'organization', null, turns));
  const call = {
    signal: graph.stop.signal,
    onWaiting: (waiting: Parameters<typeof graph.waits.push>[0]) => void graph.waits.push(waiting),
  };
  return { graph, target, call };
}

test.each(['mailbox', 'drive', 'site'] as const)(
  'ENG-9: a restore to another %s waits as long as the cloud asks, shows that it waits, and can be stopped',
  async (kind) => {
    const { graph, target, call } = await openTarget((_, n) =>
      n === 1
        ? graphError(429, 'TooManyRequests', { 'retry-after': '200' })
        : json({ id: 'ada', displayName: 'Ada', webUrl: 'https://demo.sharepoint.com/sites/ada' }),
    );
    const found = getValue(await target.findObject(kind, 'ada', call));
    expect(found).toMatchObject({ kind, name: 'Ada' });
    expect(graph.waits).toEqual([
      { until: expect.any(Number) as number, reason: expect.any(String) as string },
      null,
    ]);

    const silent = await openTarget(() => new Promise(() => undefined));
    const finding = silent.target.findObject(kind, 'ada', silent.call);
    silent.graph.stop.abort();
    expect(await finding).toMatchObject({ ok: false, error: { kind: 'ended' } });
  },
);
