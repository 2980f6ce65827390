import { expect, test } from 'vitest';
import type { Who } from '#workers/api.ts';
import { scene } from '#tests/workers/scene.ts';

const nameOf = (who: Who): string | null => (who.is === 'in' ? who.me.name : null);

test('OWN-1: a change of who one is stands on the page as soon as the server has it, and one that failed asks for nothing', async () => {
  const { clock, server, ann, annDevice } = scene();
  const door = annDevice.open();
  await clock.pass(2_000);
  const before = nameOf(door.session.who);
  expect(before).not.toBeNull();
  let refreshes = 0, refuse = true;
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) => {
    if (request.url.endsWith('auth/refresh')) refreshes += 1;
    if (!request.url.includes('/security-questions')) return handle(request, cookie);
    if (refuse) return Promise.resolve(Response.json({ success: false, message: 'no', error: { kind: 'bad-input', message: 'no', issues: [] } }, { status: 400 }));
    ann.me.name = 'Ann Again';
    return Promise.resolve(Response.json({ success: true, data: {} }));
  };
  const input = { id: ann.me.id, answers: [1, 2, 3].map((n) => ({ question: `Question ${n}`, answer: `answer ${n}` })) };
  expect(await door.ask('setSecurityQuestions', input)).toMatchObject({ ok: false });
  expect([refreshes, nameOf(door.session.who)]).toEqual([0, before]);
  refuse = false;
  expect(await door.ask('setSecurityQuestions', input)).toMatchObject({ ok: true });
  expect([refreshes, nameOf(door.session.who)]).toEqual([1, 'Ann Again']);
});
