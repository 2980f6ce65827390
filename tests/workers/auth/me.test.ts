import { expect, test } from 'vitest';
import type { ClientSessionState } from '#workers/api.ts';
import { scene } from '#tests/workers/scene.ts';

const getName = (who: ClientSessionState): string | null =>
  who.kind === 'in' ? who.me.name : null;

test('OWN-1: a changed account shows on the page as soon as the server has it, and a failed change sends no further request', async () => {
  const { clock, server, ann, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const before = getName(api.session.who);
  expect(before).not.toBeNull();
  let refreshes = 0;
  let refuse = true;
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) => {
    if (request.url.endsWith('auth/refresh')) refreshes += 1;
    if (!request.url.includes('/security-questions')) return handle(request, cookie);
    if (refuse)
      return Promise.resolve(
        Response.json(
          {
            success: false,
            message: 'no',
            error: { kind: 'bad-input', message: 'no', issues: [] },
          },
          { status: 400 },
        ),
      );
    ann.me.name = 'Ann Again';
    return Promise.resolve(Response.json({ success: true, data: {} }));
  };
  const input = {
    id: ann.me.id,
    answers: [1, 2, 3].map((n) => ({ question: `Question ${n}`, answer: `answer ${n}` })),
  };
  expect(await api.ask('setSecurityQuestions', input)).toMatchObject({ ok: false });
  expect([refreshes, getName(api.session.who)]).toEqual([0, before]);
  refuse = false;
  expect(await api.ask('setSecurityQuestions', input)).toMatchObject({ ok: true });
  expect([refreshes, getName(api.session.who)]).toEqual([1, 'Ann Again']);
});

test("OWN-1: an answer that was under way during a change doesn't restore the previous account", async () => {
  const { clock, server, ann, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const late: (() => void)[] = [];
  const handle = server.handle.bind(server);
  server.handle = async (request, cookie) => {
    if (request.url.includes('/security-questions')) {
      ann.me.name = 'Ann Again';
      return Response.json({ success: true, data: {} });
    }
    const answer = await handle(request, cookie);
    if (!/sync\/bootstrap|auth\/refresh/.test(request.url)) return answer;
    // Written down now, with the name of now, and handed over when the test says so.
    const body = await answer.text();
    await new Promise<void>((resolve) => {
      late.push(resolve);
    });
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
  api.session.loop?.reload();
  await clock.pass(100);
  expect(late).toHaveLength(1);
  const saved = api.ask('setSecurityQuestions', {
    id: ann.me.id,
    answers: [1, 2, 3].map((n) => ({ question: `Question ${n}`, answer: `answer ${n}` })),
  });
  await clock.pass(100);
  // The refresh that follows the change, then the load from before it.
  late.splice(1).forEach((hand) => {
    hand();
  });
  await saved;
  expect(getName(api.session.who)).toBe('Ann Again');
  late.splice(0).forEach((hand) => {
    hand();
  });
  await clock.pass(2_000);
  expect(getName(api.session.who)).toBe('Ann Again');
});

test('OWN-1: without a network, a reload starts with the account as last changed', async () => {
  const { clock, server, ann, annDevice } = scene();
  const page = annDevice.open();
  await clock.pass(2_000);
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) => {
    if (!request.url.includes('/security-questions')) return handle(request, cookie);
    ann.me.forceSecurityQuestions = false;
    return Promise.resolve(Response.json({ success: true, data: {} }));
  };
  ann.me.forceSecurityQuestions = true;
  page.session.loop?.reload();
  await clock.pass(2_000);
  expect(page.session.who).toMatchObject({ kind: 'in', me: { forceSecurityQuestions: true } });
  await page.ask('setSecurityQuestions', {
    id: ann.me.id,
    answers: [1, 2, 3].map((n) => ({ question: `Question ${n}`, answer: `answer ${n}` })),
  });
  await page.session.loop?.settled();
  annDevice.kill(page);

  server.handle = () => Promise.reject(new TypeError('offline'));
  const reloaded = annDevice.open();
  await clock.pass(2_000);
  expect(reloaded.session.who).toMatchObject({ kind: 'in', me: { forceSecurityQuestions: false } });
});

test("OWN-1: a reload doesn't start with an older answer that arrived after a change", async () => {
  const { clock, server, ann, annDevice } = scene();
  const page = annDevice.open();
  await clock.pass(2_000);
  const handle = server.handle.bind(server);
  const late: (() => void)[] = [];
  server.handle = async (request, cookie) => {
    if (request.url.includes('/security-questions')) {
      ann.me.name = 'Ann Again';
      return Response.json({ success: true, data: {} });
    }
    const answer = await handle(request, cookie);
    if (!request.url.includes('sync/bootstrap')) return answer;
    const body = await answer.text();
    await new Promise<void>((resolve) => {
      late.push(resolve);
    });
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
  page.session.loop?.reload();
  await clock.pass(100);
  await page.ask('setSecurityQuestions', {
    id: ann.me.id,
    answers: [1, 2, 3].map((n) => ({ question: `Question ${n}`, answer: `answer ${n}` })),
  });
  for (const deliver of late) deliver();
  await clock.pass(2_000);
  await page.session.loop?.settled();
  annDevice.kill(page);

  server.handle = () => Promise.reject(new TypeError('offline'));
  const reloaded = annDevice.open();
  await clock.pass(2_000);
  expect(getName(reloaded.session.who)).toBe('Ann Again');
});
