import { expect, test } from '@playwright/test';
import { personAt, takePictures } from './person.ts';
import { loadApi, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

test.use({ serviceWorkers: 'allow' });
let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(async () => {
  await portal.stop();
});

test('E2E-10: an operator works off the whole list by keyboard alone, offline for a part of it, and each change arrives once', async ({
  browser,
}) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const began = Date.now();
  let undone = 0;
  /** The problems to check at the hand-over. */
  let left = -1;
  await signIn(page, portal.url, 'operator', portal.password);
  const dev = personAt(page);
  await dev.isLive();
  await takePictures(page, 'signed-in');

  await test.step('groups the list by cause from the command palette', async () => {
    await dev.hasPalette();
    await dev.types('by cause');
    await takePictures(page, 'palette');
    await dev.presses('Enter');
    await expect(page).toHaveURL(/group=cause/);
    await expect(dev.heads.first()).toBeVisible();
    await takePictures(page, 'by-cause');
  });

  await test.step('reviews all results of the first cause with one comment', async () => {
    await dev.presses('j');
    await expect(dev.at).toHaveAttribute('aria-label', /^Cause: .* 0 of (\d+) cleared, expanded$/);
    await dev.presses('Shift+E');
    await dev.hasDialog(/^Review \d+ results?$/);
    // A result may have arrived before the key.
    const title = page.getByRole('dialog').getByRole('heading', { name: /^Review \d+ results?$/ });
    const many = Number.parseInt((await title.innerText()).slice('Review '.length), 10);
    await takePictures(page, 'review-group');
    await dev.types('The repository server is being replaced today.');
    await dev.presses('Control+Enter');
    await dev.isTold(`${many} reviewed`);
    // The cursor is after the group, which can be longer than the screen.
    await page.locator('.dc-scroll').evaluate((list) => {
      list.scrollTo({ top: 0 });
    });
    await expect(dev.heads.first()).toHaveAttribute(
      'aria-label',
      new RegExp(` ${many} of ${many} cleared, expanded$`),
    );
    await takePictures(page, 'group-ruled-off');
  });

  await test.step('opens the next result in the panel and snoozes it until Monday', async () => {
    await dev.presses('j');
    const job = await dev.rowAt();
    await dev.presses('Enter');
    await expect(page.getByRole('heading', { name: 'Log', exact: true })).toBeVisible();
    await expect(page).toHaveURL(/run=/);
    await takePictures(page, 'panel');
    await dev.presses('s');
    await dev.hasDialog(/^Snooze /);
    await dev.presses('Shift+Tab');
    await dev.pressesUntil('ArrowDown', () =>
      page.getByRole('radio', { name: /Monday/, checked: true }).isVisible(),
    );
    await dev.presses('Tab');
    await dev.types('New disk comes on Monday');
    await takePictures(page, 'snooze');
    await dev.presses('Enter');
    await dev.isTold(/^Snoozed until /);
    await dev.presses('Escape');
    await expect(dev.row(job)).toContainText(/Snoozed until .*Mon|Snoozed until \d\d\/\d\d/);
    await takePictures(page, 'snoozed');
  });

  await test.step('adds a note to a result and links it to a ticket', async () => {
    const job = await dev.nextRow();
    await dev.presses('n');
    await dev.hasDialog(/^Note on /);
    await dev.types('Asked the customer for a new token.');
    await takePictures(page, 'note');
    await dev.presses('Control+Enter');
    await dev.isTold(/^Note saved: /);
    await expect(dev.row(job).getByLabel('Has a note')).toBeVisible();
    await dev.goesBackTo(job);
    await dev.presses('t');
    await dev.hasDialog(/^Ticket for /);
    // The ticketing system is not connected, so its number is enough.
    await page.getByRole('button', { name: 'Link an existing ticket' }).press('Enter');
    await expect(page.getByLabel('Ticket number')).toBeFocused();
    await dev.types('T2026-4711');
    await takePictures(page, 'ticket');
    await dev.presses('Enter');
    await dev.isTold(/^Ticket T2026-4711 linked/);
    await expect(dev.row(job)).toContainText('T2026-4711');
  });

  await test.step('reviews a result and undoes it', async () => {
    const job = await dev.nextRow();
    await dev.presses('e');
    await expect(dev.row(job)).toContainText(/Reviewed .* by you/);
    await dev.presses('u');
    await expect(dev.row(job)).not.toContainText('Reviewed');
    undone = Number(job);
  });

  await test.step('selects a range of results and reviews them', async () => {
    const job = await dev.nextRow();
    await dev.presses('x', 'Shift+J', 'Shift+J');
    await expect(page.getByRole('toolbar', { name: 'Selection' })).toContainText(/[23] selected/);
    await takePictures(page, 'range');
    await dev.presses('e');
    await dev.isTold(/^[23] reviewed$/);
    await expect(dev.row(job)).toContainText(/Reviewed .* by you/);
    await expect(page.getByText('not sent yet')).toHaveCount(0);
  });

  await test.step('shows a review as not sent after the network and the server have gone', async () => {
    await context.setOffline(true);
    await portal.kill();
    await expect(page.getByRole('button', { name: /^Offline since/ })).toBeVisible({
      timeout: 70_000,
    });
    const job = await dev.nextRow();
    await dev.presses('e');
    await expect(dev.row(job)).toContainText('not sent yet');
    await expect(page.getByRole('button', { name: /^Offline since .* 1 waiting/ })).toBeVisible();
    await takePictures(page, 'offline');
  });

  await test.step('reloads the page from the device, with the unsent review', async () => {
    const opened = await page.reload();
    expect(opened?.fromServiceWorker()).toBe(true);
    await expect(dev.heads.first()).toBeVisible();
    await expect(page.getByRole('button', { name: /^Offline since .* 1 waiting/ })).toBeVisible();
    await takePictures(page, 'opened-offline');
  });

  await test.step('reviews the next cause and all other results offline', async () => {
    await dev.presses('j', 'Shift+E');
    await dev.hasDialog(/^Review /);
    await dev.types('Reviewed offline.');
    await dev.presses('Control+Enter');
    await dev.isTold(/reviewed/i);
    await dev.presses('Control+a');
    const selection = page.getByRole('toolbar', { name: 'Selection' });
    await expect(selection).toContainText(/\d+ selected/);
    const many = /\d+/.exec(await selection.innerText())?.[0];
    await takePictures(page, 'all-selected');
    await dev.presses('e');
    await dev.isTold(`${many} reviewed`);
    await expect(selection).toBeHidden();
    await takePictures(page, 'all-reviewed');
    await dev.presses('r');
    await expect(
      page.getByRole('heading', { name: /^All clear since \d\d:\d\d [AP]M$/ }),
    ).toBeVisible();
    const { done, of, cleared, snoozed } = await dev.allClear();
    expect([done, cleared + snoozed]).toEqual([of, of]);
    expect(snoozed).toBeGreaterThanOrEqual(1);
    await takePictures(page, 'all-clear-offline');
  });

  await test.step('sends every change once after reconnecting', async () => {
    await expect(
      page.getByRole('button', { name: /^Offline since .* ([3-9]|\d\d+) waiting/ }),
    ).toBeVisible();
    await portal.start();
    await context.setOffline(false);
    const live = page.getByRole('button', { name: /^Live, synced/ });
    await expect(live).toBeVisible({ timeout: 70_000 });
    await expect(live).not.toHaveAccessibleName(/waiting/);
    const api = await loadApi(portal, 'operator2');
    const { problems } = (await api('GET', 'sync/bootstrap')) as {
      problems: { lastRun: number; review: { at: number } | null }[];
    };
    const mine = problems
      .filter(({ review }) => (review?.at ?? 0) >= began)
      .map(({ lastRun }) => lastRun);
    expect(mine.length).toBeGreaterThan(20);
    for (const run of mine) {
      const { history } = (await api('GET', `monitoring/backoffice/jobExecutions/${run}`)) as {
        history: { what: string; at: string }[];
      };
      expect(
        history.filter(({ what, at }) => what === 'Reviewed' && Date.parse(at) >= began).length,
        `run ${run}`,
      ).toBe(run === undone ? 2 : 1);
    }
  });

  await test.step('reviews the results that have arrived meanwhile', async () => {
    await dev.clearsUntil(/^All clear since \d\d:\d\d [AP]M$/);
    await takePictures(page, 'all-clear');
  });

  await test.step('hands over with a comment', async () => {
    const button = page.getByRole('button', { name: 'Hand over', exact: true });
    await dev.pressesUntil('Tab', () => button.evaluate((one) => one === document.activeElement));
    await dev.presses('Enter');
    await dev.hasDialog(/^Hand over$/);
    const toCheck = page
      .getByRole('dialog')
      .locator('div:has(> dt:text-is("To check")) dd > span')
      .first();
    await expect(toCheck).toHaveText(/^\d+$/);
    await dev.types('All clear. The new disk comes on Monday.');
    await takePictures(page, 'hand-over');
    // Results arrive all the time: what counts is what the page shows when the key is pressed.
    await toCheck.evaluate((shown) => {
      const note = ({ key }: KeyboardEvent): void => {
        if (key === 'Enter') document.documentElement.dataset['toCheck'] = shown.textContent;
      };
      addEventListener('keydown', note, { capture: true });
    });
    await dev.presses('Control+Enter');
    await dev.isTold('Handed over');
    left = Number(await page.locator('html').getAttribute('data-to-check'));
  });

  await test.step('shows the hand-over to the next operator', async () => {
    const other = await browser.newContext();
    const next = await other.newPage();
    await signIn(next, portal.url, 'operator2', portal.password);
    await personAt(next).isLive();
    const line = next.getByRole('region', { name: 'Handover' });
    await expect(line).toContainText(
      /^Since the last handover by Dev Chaudhary at \d\d:\d\d [AP]M: \d+ new, \d+ still open[.,]/,
    );
    const api = await loadApi(portal, 'operator2');
    const load = async (): Promise<Shifts> => (await api('GET', 'sync/bootstrap')) as Shifts;
    const { shifts } = await load();
    const handedOver = shifts.find(({ comment }) => comment?.startsWith('All clear. The new disk'));
    expect(handedOver?.open.reduce((sum, { problems }) => sum + problems, 0)).toBe(left);
    // Problems come and end all the time: the line and the server agree at the same moment.
    await expect(async () => {
      const [, fresh, older] = /: (\d+) new, (\d+) still open/.exec(await line.innerText()) ?? [];
      const { problems } = await load();
      const pending = problems.filter(
        ({ closedAt, review, exception, snooze }) =>
          closedAt === null && review === null && !exception && (snooze?.until ?? 0) <= Date.now(),
      );
      const begun = pending.filter(({ openedAt }) => openedAt >= (handedOver?.at ?? 0));
      expect(Number(fresh) + Number(older)).toBe(pending.length);
      // A run that began before may have ended, and been reported, since then.
      expect(Number(fresh)).toBeGreaterThanOrEqual(begun.length);
    }).toPass({ timeout: 60_000 });
    await expect(line).toContainText('All clear. The new disk comes on Monday.');
    await takePictures(next, 'next-person');
    await other.close();
  });
  await context.close();
});

/** What a device begins with, as far as it is about hand-overs. */
interface Shifts {
  readonly shifts: readonly {
    readonly at: number;
    readonly comment: string | null;
    readonly open: readonly { readonly problems: number }[];
  }[];
  readonly problems: readonly {
    readonly openedAt: number;
    readonly closedAt: number | null;
    readonly review: object | null;
    readonly exception?: object | null;
    readonly snooze: { readonly until: number } | null;
  }[];
}
