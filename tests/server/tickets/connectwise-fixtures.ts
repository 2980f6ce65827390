import { afterAll } from 'vitest';
import type { Ticketing } from '#contract/tickets/ticketing.ts';
import type { Fixture } from '../http/fixtures.ts';
import { aDesk, type Desk, TICKETING } from './fixtures.ts';
import { connectWiseStandIn, type ConnectWiseStandIn, KEYS, PRIVATE } from './fakes/connectwise.ts';

/** A provider whose tickets go to ConnectWise, which is a stand-in and ends after the file. */

const begun: ConnectWiseStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});

/** Another ConnectWise, on the clock of the server. */
export async function connectWise(fixture: Fixture): Promise<ConnectWiseStandIn> {
  const cw = await connectWiseStandIn(() => fixture.context.clock.now());
  begun.push(cw);
  return cw;
}

export const settings = (url: string, more: Partial<Ticketing> = {}): Partial<Ticketing> => ({
  system: 'connectwise',
  connectwise: { url, ...KEYS },
  board: '2',
  openStatus: '1',
  closeStatus: '3',
  priority: '5',
  ...more,
});

/** A provider whose ConnectWise is connected, and whose companies stand for those there. */
export async function connected(
  fixture: Fixture,
  more: Partial<Ticketing> = {},
): Promise<{ desk: Desk; cw: ConnectWiseStandIn }> {
  const desk = await aDesk(fixture);
  const cw = await connectWise(fixture);
  await desk.connect(settings(cw.url, more), PRIVATE);
  const tested = (
    await desk.adam<{ ok: boolean; message: string }>('POST', `${TICKETING}/test`, {})
  ).body.data;
  if (!tested.ok) throw new Error(tested.message);
  await desk.map(1, '101', 'Calloway Freight');
  await desk.map(2, '102', 'Drummond & Pike');
  return { desk, cw };
}
